/**
 * What the agents of each session have last seen of the files they work on, so that nobody writes over what somebody else has written since, the user
 * above all: a change that was made in between is found by what the file system says of the file, and the agent is told and shown it.
 */
import { stat } from "node:fs/promises";
import type { BigIntStats } from "node:fs";
import type { RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { readPlainFile } from "./read-plain-file.ts";

/** What one agent saw, and whether it wrote it. */
type Seen = { readonly state: string; readonly by: string; readonly agent: string; readonly isWritten: boolean };

type SessionFiles = {
  /** By agent and absolute path. */
  readonly own: Map<string, string>;
  /** What any agent of the session saw last, by absolute path. */
  readonly latest: Map<string, Seen>;
};

/** The oldest are forgotten: what a process has forgotten of a session, the record knows. */
const MOST_SESSIONS = 500;
const MOST_FILES = 20_000;
const MOST_TEXT_CHARS = 16_000_000;
/** Longer texts are not kept; the agent has to read them again. */
const MOST_FILE_CHARS = 200_000;

const sessions = new Map<string, SessionFiles>();
/** The latest write of each file in this process. */
const writes = new Map<string, Seen>();
/** Texts by path and state, to show what changed since. */
const texts = new Map<string, string>();
let textChars = 0;

const keep = <Value>(map: Map<string, Value>, key: string, value: Value, most: number): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
};

const keepText = (file: string, state: string, text: string | undefined): void => {
  if (text === undefined || text.length > MOST_FILE_CHARS) return;
  const key = `${file}\0${state}`;
  textChars += text.length - (texts.get(key)?.length ?? 0);
  texts.delete(key);
  texts.set(key, text);
  for (const [oldest, { length }] of texts) {
    if (textChars <= MOST_TEXT_CHARS) break;
    texts.delete(oldest);
    textChars -= length;
  }
};

/** The turns of a main agent are one conversation; every other run is an agent of its own. */
const holderOf = ({ sessionId, runId, depth }: RunIdentity): string => (depth === 0 ? sessionId : runId);

const filesOf = ({ sessionId }: RunIdentity): SessionFiles => {
  const files = sessions.get(sessionId) ?? { own: new Map(), latest: new Map() };
  keep(sessions, sessionId, files, MOST_SESSIONS);
  return files;
};

const toState = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join(":");

const statsOf = (file: string): Promise<BigIntStats | undefined> => stat(file, { bigint: true }).catch(() => undefined);

const note = (run: RunIdentity, file: string, state: string, isWritten: boolean): void => {
  const by = holderOf(run);
  const { own, latest } = filesOf(run);
  keep(own, `${by}\0${file}`, state, MOST_FILES);
  const seen: Seen = { state, by, agent: run.agent, isWritten };
  // Who reads what another wrote leaves it the other's.
  if (isWritten || latest.get(file)?.state !== state) keep(latest, file, seen, MOST_FILES);
  if (isWritten) keep(writes, file, seen, MOST_FILES);
};

/** The run has the file before it, as it was when these were taken; `text` is all of it. */
export const noteRead = (run: RunIdentity, file: string, stats: BigIntStats, text?: string): void => {
  note(run, file, toState(stats), false);
  keepText(file, toState(stats), text);
};

/** The run has just written the file, so that it knows what stands there. */
export const noteWritten = async (run: RunIdentity, file: string, text?: string): Promise<void> => {
  const stats = await statsOf(file);
  if (stats === undefined) return;
  note(run, file, toState(stats), true);
  keepText(file, toState(stats), text);
};

/** When agents of a session last saw files, as its record tells: milliseconds by absolute path. */
export type SeenBefore = (run: RunIdentity) => Promise<ReadonlyMap<string, number>>;

/** Whether the agent has neither read nor written the file, in this process or by the record. */
export const isUnseen = async (run: RunIdentity, file: string, seenBefore?: SeenBefore): Promise<boolean> =>
  !filesOf(run).own.has(`${holderOf(run)}\0${file}`) && (await seenBefore?.(run))?.has(file) !== true;

export type Wanted = {
  readonly run: RunIdentity;
  readonly file: string;
  /** As the model reads it. */
  readonly shown: string;
  /** What stands there will be gone, whatever it is. */
  readonly replaces: boolean;
  /** Asked where this process knows nothing of the file in the session. */
  readonly seenBefore?: SeenBefore | undefined;
  /** Words the whole difference, if it is short; absent where the agent may not read the file. */
  readonly compare?: ((before: string, after: string) => string | undefined) | undefined;
};

/** Throws `file_changed` where the run would write over what it does not know. A file that is gone can be lost to nobody. */
export const requireKnown = async (wanted: Wanted): Promise<void> => {
  const { run, file, shown, replaces } = wanted;
  const stats = await statsOf(file);
  if (stats === undefined) return;
  const now = toState(stats);
  const { own, latest } = filesOf(run);
  const [mine, last] = [own.get(`${holderOf(run)}\0${file}`), latest.get(file)];
  const known = mine ?? last?.state;
  if (known !== undefined && known !== now) throw await changed(wanted, known, now);
  if (known === undefined && (await isNewer(wanted, stats))) throw await changed(wanted, undefined, now);
  const written = writes.get(file);
  if (replaces && mine === undefined && written?.state === now && written.by !== holderOf(run))
    throw new RetinueError(
      "file_changed",
      `${shown} was written by another agent (${written.agent}), and you have not read it. Nothing was written.`,
    );
};

const isNewer = async ({ run, file, seenBefore }: Wanted, { mtimeMs }: BigIntStats): Promise<boolean> => {
  const at = (await seenBefore?.(run))?.get(file);
  return at !== undefined && Number(mtimeMs) > at;
};

/** Whoever was shown the whole difference has the file before it. */
const changed = async ({ run, file, shown, compare }: Wanted, known: string | undefined, now: string): Promise<RetinueError> => {
  const before = known === undefined ? undefined : texts.get(`${file}\0${known}`);
  const after = before === undefined || compare === undefined ? undefined : await readShort(file, now);
  const said = `${shown} was changed since you last read or wrote it. Nothing was written.`;
  const difference = before === undefined || after === undefined ? undefined : compare?.(before, after);
  if (difference === undefined) return new RetinueError("file_changed", said);
  note(run, file, now, false);
  keepText(file, now, after);
  return new RetinueError("file_changed", `${said}\n${difference}`, {
    hint: "Keep what was changed, and make your change on what stands there now.",
  });
};

/** Undefined where it is no short text, or no longer what it was. */
const readShort = async (file: string, state: string): Promise<string | undefined> => {
  const bytes = await readPlainFile(file, MOST_FILE_CHARS);
  const stats = await statsOf(file);
  return bytes === undefined || bytes.includes(0) || !stats || toState(stats) !== state ? undefined : bytes.toString("utf8");
};
