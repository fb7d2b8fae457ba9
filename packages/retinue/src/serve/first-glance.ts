/**
 * What a large session shows before all of it is read: the latest run at depth 0, from its request and the latest events alone. Its sums and the runs
 * below it are not in it; the whole view takes its place.
 */
import { foldSession, type SessionView } from "@retinue/client";
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import type { RetinueStore } from "../open-record.ts";

/** Events that are looked through for those of the run. */
const LATEST_EVENTS = 20_000;
/** A run is started soon after it was requested. */
const FIRST_EVENTS = 50;

/** Undefined where there is no such run. */
export const readFirstGlance = async (
  store: Pick<RetinueStore, "latestRoot" | "read" | "readRuns">,
  { sessionId, headSeq }: { readonly sessionId: SessionId; readonly headSeq: number },
): Promise<SessionView | undefined> => {
  const root = await store.latestRoot(sessionId);
  if (root === undefined) return undefined;
  const { runId, seq } = root;
  const first = (await store.read(sessionId, seq - 1, FIRST_EVENTS)).filter((event) => event.runId === runId);
  const known = first.at(-1)?.seq ?? seq;
  const latest = await store.readRuns(sessionId, [runId], Math.max(known, headSeq - LATEST_EVENTS));
  const isEnough = latest.some(({ type }) => type === "model.answered");
  const rest: readonly RecordedEvent[] = isEnough ? latest : await store.readRuns(sessionId, [runId], known);
  return foldSession(sessionId, [...first, ...rest]);
};
