/** When the agents of a session last read or wrote files, by its record: so that a process that resumes a session knows what was changed since. */
import path from "node:path";
import type { SeenBefore } from "@retinue/confine";
import type { CallId, Json, RecordedEvent, SessionId } from "@retinue/protocol";

export type SeenBeforeOptions = {
  readonly folder: string;
  readonly events: (sessionId: SessionId) => Promise<readonly RecordedEvent[]>;
};

const MOST_SESSIONS = 100;

/** Read once a session: what this process itself sees, it remembers. */
export const createSeenBefore = ({ folder, events }: SeenBeforeOptions): SeenBefore => {
  const known = new Map<SessionId, Promise<ReadonlyMap<string, number>>>();
  return ({ sessionId }) => {
    const reading = known.get(sessionId) ?? events(sessionId).then((all) => toSeenTimes(all, folder));
    known.set(sessionId, reading);
    const [oldest] = known.keys();
    if (known.size > MOST_SESSIONS && oldest !== undefined) known.delete(oldest);
    return reading;
  };
};

const TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit"]);

export const toSeenTimes = (events: readonly RecordedEvent[], folder: string): ReadonlyMap<string, number> => {
  const started = new Map<CallId, readonly string[]>();
  const times = new Map<string, number>();
  for (const event of events)
    if (event.type === "tool.started" && TOOLS.has(event.tool)) started.set(event.callId, pathsOf(event.input));
    else if (event.type === "tool.settled" && event.outcome === "ok")
      for (const named of started.get(event.callId) ?? []) times.set(path.resolve(folder, named), Date.parse(event.at));
  return times;
};

const pathsOf = (input: Json): readonly string[] => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const { path: named, files } = input as { readonly path?: Json; readonly files?: Json };
  if (typeof named === "string") return [named];
  return Array.isArray(files) ? files.flatMap(pathsOf) : [];
};
