/**
 * Values from elsewhere (a file, a socket, an older log) as events and inputs. What they carry besides is kept as it is: a newer version may
 * have put it there.
 */
import type { z } from "zod";
import { RetinueError } from "../errors.ts";
import type { InputBody, RetinueEvent } from "../events.ts";
import type { JsonObject } from "../json.ts";
import { EVENT_SCHEMAS, EVENT_VERSION } from "./event-schemas.ts";
import { INPUT_SCHEMAS } from "./input-events.ts";
import { fillOlderEvent } from "./older-events.ts";

export type ReadEventOptions = {
  /** The version of the event format that the event was written in. Any up to this one where it is not known. */
  readonly version?: number;
};

/** Throws `event_unknown` for a type that this version does not know, and `event_invalid`, naming the field, for anything else. */
export const readEvent = (value: unknown, { version = 1 }: ReadEventOptions = {}): RetinueEvent => {
  const { type, fields } = readTyped(value, "event");
  if (!Object.hasOwn(EVENT_SCHEMAS, type)) {
    const written = version > EVENT_VERSION ? `, written in version ${version},` : "";
    const message = `${nameOf(fields)}${written} has the type "${type}", which version ${EVENT_VERSION} of the event format does not know.`;
    throw new RetinueError("event_unknown", message);
  }
  const event = fillOlderEvent(type, fields, version);
  check(EVENT_SCHEMAS[type as keyof typeof EVENT_SCHEMAS], event, `${nameOf(fields)} (${type})`);
  // Its schema has just agreed, and the schemas agree with the types.
  return event as unknown as RetinueEvent;
};

const ENVELOPE = { sessionId: true, runId: true, parentRunId: true, depth: true, agent: true, seq: true, at: true } as const;

const INPUT_BODIES: Readonly<Record<InputBody["type"], z.ZodObject>> = {
  "message.received": INPUT_SCHEMAS["message.received"].omit(ENVELOPE),
  "message.withdrawn": INPUT_SCHEMAS["message.withdrawn"].omit(ENVELOPE),
  "approval.answered": INPUT_SCHEMAS["approval.answered"].omit(ENVELOPE),
  "cancel.requested": INPUT_SCHEMAS["cancel.requested"].omit(ENVELOPE),
  "turn.queued": INPUT_SCHEMAS["turn.queued"].omit(ENVELOPE),
  "turn.withdrawn": INPUT_SCHEMAS["turn.withdrawn"].omit(ENVELOPE),
};

/** An input before whoever appends it has said to which run. Throws as `readEvent` does; inputs of older versions are not taken. */
export const readInput = (value: unknown): InputBody => {
  const { type, fields } = readTyped(value, "input");
  if (!Object.hasOwn(INPUT_BODIES, type))
    throw new RetinueError("event_unknown", `"${type}" is no input of version ${EVENT_VERSION} of the event format.`, {
      hint: `Inputs are ${Object.keys(INPUT_BODIES).join(", ")}.`,
    });
  check(INPUT_BODIES[type as InputBody["type"]], fields, `The input ${type}`);
  // Its schema has just agreed.
  return fields as unknown as InputBody;
};

const readTyped = (value: unknown, what: string): { readonly type: string; readonly fields: JsonObject } => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RetinueError("event_invalid", `An ${what} is an object, and this is ${toKind(value)}.`);
  // Only fields that the schema agrees with are relied on.
  const fields = value as JsonObject;
  const { type } = fields;
  if (typeof type !== "string")
    throw new RetinueError("event_invalid", `${nameOf(fields, what)} cannot be read: type is missing.`);
  return { type, fields };
};

const toKind = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
};

const nameOf = ({ seq }: JsonObject, what = "event"): string => (typeof seq === "number" ? `Event ${seq}` : `An ${what}`);

const check = (schema: z.ZodType, value: JsonObject, name: string): void => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const { paths, message } = toFault(value, parsed.error.issues, []);
  throw new RetinueError("event_invalid", `${name} cannot be read: ${paths.join(" or ")}${message}.`, { cause: parsed.error });
};

/** Paths of fields, and what is wrong with them. */
type Fault = { readonly paths: readonly string[]; readonly message: string; readonly isMissing: boolean };

/** The first fault. Of a union whose members all lack a field, each of these fields. */
const toFault = (value: JsonObject, issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[]): Fault => {
  const [issue] = issues;
  if (issue === undefined) return { paths: [above.join(".")], message: " does not fit its schema", isMissing: false };
  const path = [...above, ...issue.path];
  if (valueAt(value, path) === undefined) return { paths: [path.join(".")], message: " is missing", isMissing: true };
  const members = issue.code === "invalid_union" ? issue.errors.map((errors) => toFault(value, errors, path)) : [];
  const [first] = members;
  if (first !== undefined && members.every(({ isMissing }) => isMissing))
    return { ...first, paths: members.flatMap(({ paths }) => paths) };
  return first ?? { paths: [path.join(".")], message: `: ${issue.message}`, isMissing: false };
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Readonly<Record<PropertyKey, unknown>>)[key] : undefined),
    value,
  );
