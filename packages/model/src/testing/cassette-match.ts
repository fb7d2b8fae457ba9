/** Finds the recorded exchange that a request asks for, and says what differs where there is none. */
import type { Json, JsonObject } from "@retinue/protocol";
import type { CassetteEntry, CassetteRequest } from "./cassette-file.ts";

/** The same for bodies that differ only in the order of their keys. */
const toCanonical = (value: Json): string =>
  JSON.stringify(value, (_, inner: Json) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([left], [right]) => (left < right ? -1 : 1))) : inner,
  );

/** The same for requests that a cassette takes for the same. */
export const toRequestKey = ({ method, url, body }: CassetteRequest, { ignoreToolSchemas = false }: MatchOptions = {}): string =>
  `${method} ${url}\n${toCanonical(ignoreToolSchemas ? withoutTools(body) : body)}`;

export type MatchOptions = {
  /** Requests that differ only in the tools that they declare are the same. */
  readonly ignoreToolSchemas?: boolean;
};

/** Every wire format declares its tools in this field. */
const withoutTools = (body: Json): Json => {
  if (!isObject(body)) return body;
  const { tools: _, ...rest } = body;
  return rest;
};

/** `unread` are the exchanges not played yet, `read` those that were. */
export const explainMismatch = (
  request: CassetteRequest,
  { unread, read }: { readonly unread: readonly CassetteEntry[]; readonly read: readonly CassetteEntry[] },
): string => {
  const asked = `${request.method} ${request.url}`;
  const key = toRequestKey(request);
  const times = read.filter((entry) => toRequestKey(entry.request) === key).length;
  if (times > 0) return `${asked} was recorded ${times} time(s) and is asked once more.`;
  if (unread.length === 0) return `${asked} is asked after all ${read.length} recorded exchanges were played.`;
  const candidates = unread
    .filter((entry) => entry.request.method === request.method && entry.request.url === request.url)
    .map((entry) => differences(entry.request.body, request.body));
  const nearest = candidates.toSorted((left, right) => left.length - right.length)[0];
  if (!nearest) {
    const recorded = [...new Set(unread.map((entry) => `${entry.request.method} ${entry.request.url}`))];
    return `${asked} was not recorded; not played yet: ${recorded.join(", ")}.`;
  }
  if (nearest.every((difference) => difference.startsWith("tools")))
    return (
      `${asked} differs from the nearest of ${candidates.length} recorded only in the schemas of the tools, which another version declared:\n  ` +
      `${nearest.slice(0, MOST_SHOWN).join("\n  ")}\n  Record it again, or ignore them with --ignore-tool-schemas.`
    );
  const more = nearest.length > MOST_SHOWN ? `\n  … and ${nearest.length - MOST_SHOWN} more` : "";
  return `${asked} differs from the nearest of ${candidates.length} recorded:\n  ${nearest.slice(0, MOST_SHOWN).join("\n  ")}${more}`;
};

const MOST_SHOWN = 8;

/** A line for each place at which the two are not the same. */
const differences = (recorded: Json | undefined, now: Json | undefined, path = ""): string[] => {
  const at = path === "" ? "body" : path;
  if (recorded === undefined) return [`${at}: not recorded, now ${show(now)}`];
  if (now === undefined) return [`${at}: recorded ${show(recorded)}, now missing`];
  if (Array.isArray(recorded) && Array.isArray(now)) {
    const length = Math.max(recorded.length, now.length);
    return Array.from({ length }, (_, index) =>
      differences(recorded[index] as Json | undefined, now[index] as Json | undefined, `${path}[${index}]`),
    ).flat();
  }
  if (isObject(recorded) && isObject(now)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(now)])];
    return keys.flatMap((key) => differences(recorded[key], now[key], path === "" ? key : `${path}.${key}`));
  }
  if (typeof recorded === "string" && typeof now === "string" && recorded !== now) return [`${at}: ${showTexts(recorded, now)}`];
  return recorded === now ? [] : [`${at}: recorded ${show(recorded)}, now ${show(now)}`];
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const show = (value: Json | undefined): string => cut(JSON.stringify(value) ?? "nothing");

/** Long texts from just before where they part. */
const showTexts = (recorded: string, now: string): string => {
  let same = 0;
  while (same < recorded.length && recorded[same] === now[same]) same++;
  const from = Math.max(0, same - 20);
  const where = from === 0 ? "" : ` (from character ${from})`;
  return `recorded ${show(recorded.slice(from))}, now ${show(now.slice(from))}${where}`;
};

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
