/** From an exported session back to what is recorded of it; refused unless every event is as it was when it was exported. */
import type { EventDraft, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { CHAIN_START, toChainHash, toEventBody } from "./chain.ts";
import type { SessionExport } from "./read-side.ts";
import type { StoredArtifact } from "./stored-artifact.ts";
import { fromExportedArtifact } from "./stored-artifact.ts";

export type ImportedSession = {
  readonly sessionId: SessionId;
  readonly drafts: readonly EventDraft[];
  /** Of every run, the highest that it was started under. */
  readonly epochs: ReadonlyMap<RunId, number>;
  readonly artifacts: readonly StoredArtifact[];
  readonly importedAt: string;
};

const invalid = (what: string, hint?: string): RetinueError =>
  new RetinueError("import_invalid", `This cannot be imported: ${what}.`, hint === undefined ? {} : { hint });

/** Throws `import_invalid`. What is exported may have passed through a file, so nothing of it is believed. */
export const readExport = (exported: unknown): ImportedSession => {
  const { session, events, artifacts } = toParts(exported);
  const { sessionId } = session;
  const drafts: EventDraft[] = [];
  const epochs = new Map<RunId, number>();
  let hash = CHAIN_START;
  for (const [at, event] of events.entries()) {
    const { seq, ...draft } = event;
    if (seq !== at + 1) throw invalid(`event ${at + 1} is missing`);
    if (draft.sessionId !== sessionId) throw invalid(`event ${seq} is of another session`);
    if (draft.type === "run.requested" && !epochs.has(draft.runId)) epochs.set(draft.runId, 0);
    const epoch = epochs.get(draft.runId);
    if (epoch === undefined) throw invalid(`event ${seq} is of a run that was never requested`);
    if (draft.type === "run.started") epochs.set(draft.runId, Math.max(epoch, draft.epoch));
    hash = toChainHash(hash, toEventBody(draft, seq));
    drafts.push(draft);
  }
  if (events.length !== session.headSeq || hash !== session.headHash)
    throw invalid(
      "its events are not those that its chain of hashes ends with",
      "It was changed after it was exported, or secrets were taken out of it: export it again from the store that has it.",
    );
  return {
    sessionId,
    drafts,
    epochs,
    importedAt: new Date().toISOString(),
    artifacts: artifacts.map((artifact) => {
      const stored = fromExportedArtifact(artifact);
      if (stored === undefined) throw invalid(`artifact ${artifact.artifactId} is damaged`);
      return stored;
    }),
  };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whose outer shape is right; the chain says whether its inner one is. */
const toParts = (exported: unknown): Pick<SessionExport, "session" | "events" | "artifacts"> => {
  if (!isRecord(exported) || exported["format"] !== "retinue-session") throw invalid("it is no exported session");
  if (exported["version"] !== 1) throw invalid(`it is of version ${String(exported["version"])}, and 1 is known`);
  const { session, events, artifacts, damage } = exported;
  if (damage !== null) throw invalid("the session was damaged when it was exported");
  if (!isRecord(session) || typeof session["sessionId"] !== "string" || !Array.isArray(events) || !Array.isArray(artifacts))
    throw invalid("it is not whole");
  if (events.length === 0 || !events.every(isEvent)) throw invalid("what it holds are no events");
  if (!artifacts.every(isRecord)) throw invalid("what it holds are no artifacts");
  // As far as it matters here it was checked above, and the rest is in the hash.
  return { session, events, artifacts } as unknown as ReturnType<typeof toParts>;
};

const isEvent = (value: unknown): value is RecordedEvent =>
  isRecord(value) && ["sessionId", "runId", "agent", "type", "at"].every((key) => typeof value[key] === "string");

/** What becomes of the failure to record events that are in the chain, but are none that this version knows. */
export const toImportError = (thrown: unknown): RetinueError =>
  thrown instanceof RetinueError ? thrown : invalid(`its events cannot be recorded here (${String(thrown)})`);

export const refuseExisting = (sessionId: SessionId): RetinueError =>
  new RetinueError("session_exists", `There is a session ${sessionId} already; nothing was imported.`);
