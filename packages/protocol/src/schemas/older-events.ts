/**
 * What events of older versions lack, and what stands in its place. An event carries no version, so an older one is known by the
 * fields that it lacks; a field that is there is never replaced.
 */
import type { Json, JsonObject } from "../json.ts";

type Fill = {
  /** The first version whose events all have these fields. */
  readonly since: number;
  readonly fields: (event: JsonObject) => JsonObject;
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const NOTHING_KNOWN = { system: "", tools: "", messages: "" };

/** A run without a grant could start nobody; what it might do itself was in its spec. */
const fillSpec = (spec: JsonObject): JsonObject => ({
  treeLimits: {},
  delegates: [],
  grant: { tools: spec["tools"] ?? [], writes: [], hosts: [], approve: spec["approve"] ?? "ask", maxDepth: 0 },
  ...spec,
});

const FILLS: Readonly<Record<string, Fill>> = {
  "run.requested": {
    since: 2,
    fields: ({ spec }) => (isObject(spec) ? { spec: fillSpec(spec) } : {}),
  },
  "model.requested": { since: 2, fields: () => ({ digest: NOTHING_KNOWN }) },
  "approval.requested": { since: 2, fields: () => ({ hash: "" }) },
  "approval.answered": { since: 2, fields: () => ({ scope: "once" }) },
  "context.fitted": { since: 2, fields: ({ afterTokens }) => (afterTokens === undefined ? {} : { limitTokens: afterTokens }) },
  "run.settled": {
    since: 2,
    fields: ({ result }) => (isObject(result) ? { result: { unverified: [], ...result } } : {}),
  },
};

/** The fields that are objects and are filled inside take the place of what they were made from. */
const REPLACED: ReadonlySet<string> = new Set(["spec", "result"]);

/** The event as it would be written today. The same object where nothing is lacking. */
export const fillOlderEvent = (type: string, event: JsonObject, version: number): JsonObject => {
  const fill = Object.hasOwn(FILLS, type) ? FILLS[type] : undefined;
  if (fill === undefined || version >= fill.since) return event;
  const added = Object.entries(fill.fields(event)).filter(([key]) => REPLACED.has(key) || !Object.hasOwn(event, key));
  return added.length === 0 ? event : { ...event, ...Object.fromEntries(added) };
};
