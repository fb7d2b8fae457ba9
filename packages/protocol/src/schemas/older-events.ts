/**
 * What events of older versions lack, and what stands in its place. An event carries no version, so an older one is known by the
 * fields that it lacks; a field that is there is never replaced, and an event that lacks nothing stays the same object.
 */
import type { Json, JsonObject } from "../json.ts";

type Fill = {
  /** The first version whose events all have these fields. */
  readonly since: number;
  readonly fill: (event: JsonObject) => JsonObject;
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const withDefaults = (object: JsonObject, defaults: JsonObject): JsonObject =>
  Object.keys(defaults).every((key) => Object.hasOwn(object, key)) ? object : { ...defaults, ...object };

/** The event with one of its fields filled inside. */
const within = (event: JsonObject, field: string, defaultsOf: (inner: JsonObject) => JsonObject): JsonObject => {
  const inner = event[field];
  if (!isObject(inner)) return event;
  const filled = withDefaults(inner, defaultsOf(inner));
  return filled === inner ? event : { ...event, [field]: filled };
};

/** A run without a grant could start nobody; what it might do itself was in its spec. */
const specDefaults = ({ tools = [], approve = "ask" }: JsonObject): JsonObject => ({
  treeLimits: {},
  delegates: [],
  grant: { tools, writes: [], hosts: [], approve, maxDepth: 0 },
});

const FILLS: Readonly<Record<string, Fill>> = {
  "run.requested": { since: 2, fill: (event) => within(event, "spec", specDefaults) },
  "model.requested": { since: 2, fill: (event) => withDefaults(event, { digest: { system: "", tools: "", messages: "" } }) },
  "approval.requested": { since: 2, fill: (event) => withDefaults(event, { hash: "" }) },
  "approval.answered": { since: 2, fill: (event) => withDefaults(event, { scope: "once" }) },
  "context.fitted": {
    since: 2,
    fill: (event) => (event["afterTokens"] === undefined ? event : withDefaults(event, { limitTokens: event["afterTokens"] })),
  },
  "run.settled": { since: 2, fill: (event) => within(event, "result", () => ({ unverified: [] })) },
};

/** The event as it would be written today. */
export const fillOlderEvent = (type: string, event: JsonObject, version: number): JsonObject => {
  const older = Object.hasOwn(FILLS, type) ? FILLS[type] : undefined;
  return older === undefined || version >= older.since ? event : older.fill(event);
};
