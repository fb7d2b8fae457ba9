/** Says in words how what would be written now differs from what was recorded. Times are not compared; nobody can repeat those. */
import type { EventDraft, RecordedEvent } from "@retinue/protocol";

/** Of the envelope and of times. An artifact is made of an output that a replay only has in its short form; what was spent below stands in other runs. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  "seq",
  "at",
  "epoch",
  "activeMs",
  "durationMs",
  "expiresAt",
  "artifact",
  "total",
  "remaining",
]);

const PARTS = {
  system: "the system prompt",
  tools: "the declarations of the tools (a name, a description or a schema)",
  messages: "the conversation",
} as const;

/** Null where they are the same. */
export const differenceOf = (recorded: RecordedEvent, again: EventDraft): string | null => {
  if (recorded.type !== again.type) return `${recorded.type} was recorded, and ${again.type} would be written now.`;
  if (recorded.type === "model.requested" && again.type === "model.requested") {
    for (const [part, words] of Object.entries(PARTS) as [keyof typeof PARTS, string][])
      if (recorded.digest[part] !== again.digest[part])
        return `The request of step ${recorded.step} differs in ${words}: ${recorded.digest[part]} was recorded, ${again.digest[part]} would be asked now.`;
  }
  const at = firstDifference(recorded, again, recorded.type);
  return at && `${at.path} differs: ${show(at.recorded)} was recorded, ${show(at.again)} would be written now.`;
};

type Difference = { readonly path: string; readonly recorded: unknown; readonly again: unknown };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const firstDifference = (recorded: unknown, again: unknown, path: string): Difference | null => {
  if (Object.is(recorded, again)) return null;
  if (!isRecord(recorded) || !isRecord(again)) return { path, recorded, again };
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(again)])) {
    if (NOT_COMPARED.has(key)) continue;
    const found = firstDifference(recorded[key], again[key], `${path}.${key}`);
    if (found) return found;
  }
  return null;
};

const SHOWN_CHARS = 200;

/** Of two texts, from a little before where they part. */
export const showDifference = (recorded: unknown, now: unknown): string => {
  if (typeof recorded !== "string" || typeof now !== "string")
    return `${show(recorded)} was recorded, and it is ${show(now)} now.`;
  let at = 0;
  while (at < Math.min(recorded.length, now.length) && recorded[at] === now[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `${show(recorded.slice(from))} was recorded, and it is ${show(now.slice(from))} now, from character ${at + 1} on.`;
};

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
};
