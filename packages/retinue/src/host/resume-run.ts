/** Goes on with a run that was requested before, with no more rights than one that is started now. */
import type { Engine, RunHandle } from "@retinue/engine";
import type { Model } from "@retinue/model";
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { stricterMode } from "@retinue/runtime";
import type { NarrowedLog } from "../narrowed-log.ts";
import { DEFAULT_SETTINGS } from "../settings/settings.ts";
import type { BegunModes } from "./begun-modes.ts";
import type { RetinueStore } from "../open-record.ts";
import type { OwnSessions } from "./own-sessions.ts";
import type { RunSpecs } from "./run-specs.ts";
import type { ResumedApprove, ResumeRunOptions } from "./workspace.ts";

export type ResumeParts = {
  readonly store: RetinueStore;
  readonly record: NarrowedLog;
  readonly engine: Pick<Engine, "resume">;
  readonly own: OwnSessions;
  readonly specs: RunSpecs;
  readonly modes: Pick<BegunModes, "read">;
  readonly resolve: (model: string) => Promise<Model>;
};

export const resumeRun = async (
  { store, record, engine, own, specs, modes, resolve }: ResumeParts,
  id: SessionId | RunId,
  { signal, approve, limits, ...how }: ResumeRunOptions = {},
): Promise<ResumedApprove & { readonly run: RunHandle }> => {
  const sessionId = isRunId(id) ? await store.sessionOf(id) : id;
  if (sessionId !== undefined) await own.require(sessionId);
  const events = sessionId === undefined ? [] : await store.read(sessionId);
  const root = events.findLast(
    ({ type, depth, runId }) => type === "run.requested" && (isRunId(id) ? runId === id : depth === 0),
  );
  if (root?.type !== "run.requested")
    throw new RetinueError(
      isRunId(id) ? "run_unknown" : "session_unknown",
      `There is no ${isRunId(id) ? "run" : "session"} ${id}.`,
    );
  const ofRoot = events.filter(({ runId }) => runId === root.runId);
  const isSettled = ofRoot.some(({ type }) => type === "run.settled");
  const isCancelled = ofRoot.some((event) => event.type === "cancel.requested" && event.finish !== true);
  // A missing key is told before the run is taken up; taken up, it would fail and be over. One that is only to be settled needs none.
  if (!isSettled && !isCancelled && !root.spec.recordedOnly) await resolve(root.spec.model);
  const begunWith = root.spec.grant.approve;
  const isImported = await own.isImported(root.sessionId);
  const now = stricterMode(begunWith, approve ?? specs.approveSet ?? (await modes.read(root)) ?? DEFAULT_SETTINGS.approve);
  if (!isSettled)
    await record.narrow(root.sessionId, {
      ...specs.grantedNow({ approve: now, ...(limits === undefined ? {} : { limits }) }),
      isImported,
    });
  const run = await engine.resume(root.runId, how);
  if (signal) cancelWith(run, signal);
  return { run, begunWith, approve: isImported ? stricterMode(now, "ask") : now };
};

export const isRunId = (id: SessionId | RunId): id is RunId => id.startsWith("run_");

const cancelWith = (run: RunHandle, signal: AbortSignal): void => {
  const cancel = (): void => run.cancel(signal.reason instanceof Error ? signal.reason.message : undefined);
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
};
