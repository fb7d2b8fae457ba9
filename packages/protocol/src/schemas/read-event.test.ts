/** Events of this and of older versions are read whole; what is no event is refused by naming the field at fault. */
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { RetinueError } from "../errors.ts";
import { EVENT_SCHEMAS, EVENT_VERSION } from "./event-schemas.ts";
import { readEvent, readInput } from "./read-event.ts";
import { defOf } from "./schema-def.ts";
import { createGenerator, createRandom } from "./testing/generate-value.ts";

const ROUNDS = 60;
const TYPES = Object.entries(EVENT_SCHEMAS) as readonly (readonly [string, z.ZodObject])[];

type Fields = Record<string, unknown>;

const generated = (type: string, schema: z.ZodObject): readonly Fields[] => {
  const generate = createGenerator(createRandom(TYPES.findIndex(([name]) => name === type)));
  return Array.from({ length: ROUNDS }, () => generate(schema) as Fields);
};

const thrownBy = (act: () => unknown): RetinueError => {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof RetinueError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
};

const without = (value: unknown, path: readonly string[]): unknown => {
  const copy: unknown = structuredClone(value);
  const last = path.at(-1) ?? "";
  const holder = path.slice(0, -1).reduce((at, key) => (at as Fields)[key], copy) as Fields;
  delete holder[last];
  return copy;
};

/** The fields of an event that its schema requires, down to the last one. */
const requiredPaths = (schema: z.core.$ZodType, value: unknown, path: readonly string[]): readonly (readonly string[])[] => {
  const def = defOf(schema);
  if (def.type === "optional" || def.type === "nullable")
    return value === null || value === undefined ? [] : requiredPaths(def.innerType, value, path);
  if (def.type === "array")
    return (value as readonly unknown[]).flatMap((item, index) => requiredPaths(def.element, item, [...path, String(index)]));
  if (def.type === "union") {
    const member = def.options.find((option) => (option as z.ZodType).safeParse(value).success);
    return member === undefined ? [] : requiredPaths(member, value, path);
  }
  if (def.type !== "object") return [];
  return Object.entries(def.shape).flatMap(([name, field]) => {
    const own = [...path, name];
    const isOptional = defOf(field).type === "optional";
    const below = requiredPaths(field, (value as Fields)[name], own);
    return isOptional ? below : [own, ...below];
  });
};

describe.each(TYPES)("%s", (type, schema) => {
  test("generated events go through JSON and are read as they were", () => {
    for (const event of generated(type, schema)) {
      const text = JSON.stringify(event);
      expect(readEvent(JSON.parse(text))).toEqual(event);
      expect(readEvent(event)).toBe(event);
      expect(readEvent(JSON.parse(text), { version: EVENT_VERSION })).toEqual(event);
    }
  });

  test("an event that lacks a field is refused, and the message names the field", () => {
    for (const event of generated(type, schema).slice(0, 12))
      for (const path of requiredPaths(schema, event, [])) {
        const { code, message } = thrownBy(() => readEvent(without(event, path), { version: EVENT_VERSION }));
        expect(code).toBe("event_invalid");
        expect(message).toMatch(/ cannot be read: .* is missing\.$/);
        expect(message.replace(/^.* cannot be read: /, "").split(/ or | is missing/)).toContain(path.join("."));
      }
  });

  test("what a newer version adds to it is kept", () => {
    const [event] = generated(type, schema);
    const more = { ...event, invented: { later: [1, 2] } };
    expect(readEvent(more)).toEqual(more);
  });
});

const envelope = { sessionId: "ses_a", runId: "run_a", parentRunId: null, depth: 0, agent: "main", seq: 7, at: "2026-01-01" };

describe("events of older versions", () => {
  test("a message without an id, an answer without a scope and a request without a digest are read", () => {
    const message = { ...envelope, type: "message.received", from: "human", content: [{ type: "text", text: "hello" }] };
    expect(readEvent(message)).toBe(message);
    const answered = { ...envelope, type: "approval.answered", approvalId: "apr_1", allowed: true };
    expect(readEvent(answered)).toEqual({ ...answered, scope: "once" });
    const asked = { ...envelope, type: "model.requested", step: 1, model: "a/b", estimatedTokens: 3, handIn: false };
    expect(readEvent(asked)).toEqual({ ...asked, digest: { system: "", tools: "", messages: "" } });
  });

  test("a run from before there were grants has one that hands nothing on to anybody below", () => {
    const spec = { system: "s", model: "a/b", fallbacks: [], tools: ["read"], limits: {}, approve: "all", workspace: "/w" };
    const requested = { ...envelope, type: "run.requested", task: [], spec };
    const grant = { tools: ["read"], writes: [], hosts: [], approve: "all", maxDepth: 0 };
    expect(readEvent(requested)).toEqual({ ...requested, spec: { ...spec, treeLimits: {}, delegates: [], grant } });
  });

  test("what is there is never replaced, and the event that was given is not changed", () => {
    const answered = { ...envelope, type: "approval.answered", approvalId: "apr_1", allowed: true, scope: "session" };
    expect(readEvent(answered)).toBe(answered);
    const older = Object.freeze({ ...envelope, type: "approval.requested", approvalId: "apr_1", act: ACT });
    expect(readEvent(older)).toMatchObject({ hash: "" });
    expect(older).not.toHaveProperty("hash");
  });

  test("an event that says to be of this version has to be whole", () => {
    const answered = { ...envelope, type: "approval.answered", approvalId: "apr_1", allowed: true };
    expect(thrownBy(() => readEvent(answered, { version: EVENT_VERSION })).message).toBe(
      "Event 7 (approval.answered) cannot be read: scope is missing.",
    );
  });

  test("an error code that this version does not know is kept", () => {
    const failed = { ...envelope, type: "worktree.refused", error: { code: "of_another_version", message: "m" } };
    expect(readEvent(failed)).toBe(failed);
  });
});

const ACT = { callId: "c", tool: "write", effect: "write", input: {}, paths: [], hosts: [] };

describe("what is no event", () => {
  test("a type that is not known is a typed error that tells the version", () => {
    const { code, message } = thrownBy(() => readEvent({ ...envelope, type: "run.dreamt" }, { version: 9 }));
    expect(code).toBe("event_unknown");
    expect(message).toBe(
      `Event 7, written in version 9, has the type "run.dreamt", which version ${EVENT_VERSION} of the event format does not know.`,
    );
    expect(thrownBy(() => readEvent({ ...envelope, type: "constructor" })).code).toBe("event_unknown");
  });

  test.each([
    [null, "An event is an object, and this is null."],
    [[], "An event is an object, and this is a list."],
    ["text", "An event is an object, and this is a string."],
    [{}, "An event cannot be read: type is missing."],
    [{ ...envelope, type: "tool.progress", callId: "c", text: 3 }, /^Event 7 \(tool\.progress\) cannot be read: text: /],
    [{ ...envelope, sessionId: "other", type: "tool.progress", callId: "c", text: "" }, /sessionId: /],
  ])("%j is refused in plain words", (value, expected) => {
    const { code, message } = thrownBy(() => readEvent(value));
    expect(code).toBe("event_invalid");
    expect(message).toMatch(expected);
  });
});

describe("inputs", () => {
  test("an input needs no envelope", () => {
    const input = { type: "cancel.requested", finish: true, source: { via: "server", user: "ada" } };
    expect(readInput(input)).toBe(input);
  });

  test("what only a driver may write is no input, and a field that is missing is named", () => {
    expect(thrownBy(() => readInput({ type: "run.settled" })).code).toBe("event_unknown");
    expect(thrownBy(() => readInput({ type: "approval.answered", approvalId: "apr_1", allowed: true })).message).toBe(
      "The input approval.answered cannot be read: scope is missing.",
    );
  });
});
