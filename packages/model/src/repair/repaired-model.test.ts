import type { Json, JsonObject } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import type { Model, ModelAnswer, ModelChunk, ModelRequest } from "../contract.ts";
import { repairCalls } from "./repaired-model.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    path: { type: "string" },
    content: { type: "string" },
    limit: { type: "integer" },
    ratio: { anyOf: [{ type: "number" }, { type: "null" }] },
    recursive: { type: "boolean" },
    names: { type: "array", items: { type: "string" } },
    range: { type: "object", properties: { from: { type: "integer" }, to: { type: "integer" } } },
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
  },
  required: ["path"],
};

const TOOLS: ModelRequest["tools"] = [{ name: "read", description: "Reads.", inputSchema: SCHEMA }];
const REQUEST: ModelRequest = { system: "", messages: [], tools: TOOLS, toolChoice: "auto" };

/** A model that says this, in pieces of so many characters. */
const saying = (text: string, { pieces = 7, calls = [] as ModelAnswer["content"] } = {}): Model => ({
  id: "box/small",
  price: () => 0,
  stream: async function* (): AsyncGenerator<ModelChunk> {
    for (let at = 0; at < text.length; at += pieces) yield { type: "text", text: text.slice(at, at + pieces) };
    yield {
      type: "answer",
      content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls],
      finishReason: calls.length > 0 ? "tool-calls" : "stop",
      usage: { input: 1, output: 1, cached: 0, reasoning: 0 },
      costUsd: 0,
    };
  },
});

const ask = async (model: Model, request: Partial<ModelRequest> = {}) => {
  let shown = "";
  let thought = "";
  let answer: ModelAnswer | undefined;
  for await (const chunk of repairCalls(model).stream({ ...REQUEST, ...request }, new AbortController().signal)) {
    if (chunk.type === "text") shown += chunk.text;
    if (chunk.type === "reasoning") thought += chunk.text;
    if (chunk.type === "answer") answer = chunk;
  }
  const content = answer?.content ?? [];
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  return { shown, thought, text, calls, finishReason: answer?.finishReason };
};

const json = (value: Json): string => JSON.stringify(value);
const named = (args: JsonObject): string => json({ name: "read", arguments: args });

/** The six forms in which models write calls into their text. */
const FORMS: Readonly<Record<string, (args: JsonObject) => string>> = {
  "Hermes <tool_call>": (args) => `<tool_call>\n${named(args)}\n</tool_call>`,
  "qwen3-coder XML": (args) =>
    `<tool_call>\n<function=read>\n${Object.entries(args)
      .map(([name, value]) => `<parameter=${name}>\n${typeof value === "string" ? value : json(value)}\n</parameter>`)
      .join("\n")}\n</function>\n</tool_call>`,
  "Mistral [TOOL_CALLS]": (args) => `[TOOL_CALLS][${named(args)}]`,
  "fenced JSON": (args) => `\`\`\`json\n${named(args)}\n\`\`\``,
  "bare JSON": (args) => json({ name: "read", parameters: args }),
  "<|python_tag|>": (args) => `<|python_tag|>${json({ name: "read", parameters: args })}`,
};

const OBJECT_TEXT = '{\n  "a": 1\n}';

const asText = (value: Json): Json => (typeof value === "number" || typeof value === "boolean" ? String(value) : value);
const mapped = (args: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, change(value)]));

/** Ways in which arguments go wrong: what the model wrote, from what it meant. */
const KINDS: Readonly<Record<string, (args: JsonObject) => { readonly tool?: string; readonly wrote: string }>> = {
  "numbers as text": (args) => ({
    wrote: json({
      ...mapped(args, (value) => (typeof value === "number" ? asText(value) : value)),
      ...("either" in args ? { either: args["either"] } : {}),
    }),
  }),
  "truth values as text": (args) => ({
    wrote: json(mapped(args, (value) => (typeof value === "boolean" ? asText(value) : value))),
  }),
  "null for what may be left out": (args) => ({ wrote: json({ ...args, ...("range" in args ? {} : { range: null }) }) }),
  "single quotes": (args) => ({
    wrote: json(args).replaceAll(
      /"((?:[^"\\]|\\.)*)"/g,
      (_, inside: string) => `'${inside.replaceAll("'", String.raw`\'`).replaceAll(String.raw`\"`, '"')}'`,
    ),
  }),
  "a trailing comma": (args) => ({ wrote: json(args).replace(/\}$/, ",}") }),
  "encoded twice": (args) => ({ wrote: json(json(args)) }),
  "a prefix before the name": (args) => ({ tool: "functions.read", wrote: json(args) }),
  "an object for a text": (args) => ({
    wrote: args["content"] === OBJECT_TEXT ? json({ ...args, content: { a: 1 } }) : json(args),
  }),
  "a part encoded twice": (args) => ({ wrote: json(mapped(args, (value) => (typeof value === "object" ? json(value) : value))) }),
  "Python's words": (args) => ({
    wrote: json(args).replaceAll(":true", ":True").replaceAll(":false", ":False").replaceAll(":null", ":None"),
  }),
  "line breaks in strings": (args) => ({ wrote: json(args).replaceAll(String.raw`\n`, "\n") }),
  "bare keys": (args) => ({ wrote: json(args).replaceAll(/"(\w+)":/g, "$1:") }),
  "a fence around them": (args) => ({ wrote: `\`\`\`json\n${json(args)}\n\`\`\`` }),
  "one value for a list": (args) => ({
    wrote: json(Array.isArray(args["names"]) && args["names"].length === 1 ? { ...args, names: args["names"][0] ?? null } : args),
  }),
};

/** Repeatable chance. */
const createChance = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
};

const TEXTS = [
  "src/a.ts",
  "",
  "it's",
  'say "no"',
  "two\nlines",
  "C:\\new\\table",
  "</parameter>",
  "{ not json",
  "ärger 🙂",
  "a, b: c}",
  "true",
  "12",
];

const intended = (chance: (below: number) => number): JsonObject => {
  const text = (): string => TEXTS[chance(TEXTS.length)] ?? "";
  return {
    path: text(),
    ...(chance(2) ? { content: chance(2) ? text() : OBJECT_TEXT } : {}),
    ...(chance(2) ? { limit: chance(1000) - 500 } : {}),
    ...(chance(2) ? { ratio: chance(2) ? null : chance(100) / 8 } : {}),
    ...(chance(2) ? { recursive: chance(2) === 1 } : {}),
    ...(chance(2) ? { names: Array.from({ length: chance(3) }, text) } : {}),
    ...(chance(2) ? { range: { from: chance(9), to: chance(9) } } : {}),
    ...(chance(2) ? { either: chance(2) ? text() : chance(9) } : {}),
  };
};

const ROUNDS = 300;

describe("what a clumsy model writes", () => {
  const PLAIN: JsonObject = {
    path: "src/a.ts",
    limit: 3,
    recursive: true,
    names: ["a"],
    content: '{\n  "a": 1\n}',
  };

  test("runs in at least 18 of 20 kinds: the six forms, and fourteen ways to write arguments wrongly", async () => {
    const running: string[] = [];
    for (const [form, write] of Object.entries(FORMS)) {
      const { calls, shown, finishReason } = await ask(saying(write(PLAIN)));
      if (calls.length === 1 && json(JSON.parse(calls[0]?.arguments ?? "") as Json) === json(PLAIN)) running.push(form);
      expect(shown, form).toBe("");
      expect(finishReason).toBe("tool-calls");
      expect(calls[0]?.repaired?.how.join()).toContain("written as");
    }
    for (const [kind, write] of Object.entries(KINDS)) {
      const { tool = "read", wrote } = write(PLAIN);
      const { calls } = await ask(saying("", { calls: [{ type: "tool-call", callId: "c1", tool, arguments: wrote }] }));
      expect(calls[0]?.tool, kind).toBe("read");
      if (json(JSON.parse(calls[0]?.arguments ?? "") as Json) === json(PLAIN)) running.push(kind);
      expect(calls[0]?.repaired?.wrote, kind).toBe(wrote);
    }
    expect(running.length, running.join(", ")).toBeGreaterThanOrEqual(18);
  });

  test.each(Object.entries(FORMS))(
    "as %s never becomes another call than was meant, however it is cut into pieces",
    async (_, write) => {
      const chance = createChance(7);
      for (let round = 0; round < ROUNDS; round++) {
        // A union of text and number cannot be told apart where nothing is quoted.
        const { either: _either, ...args } = intended(chance);
        const before = chance(2) ? "I look.\n" : "";
        const { calls, shown, text } = await ask(saying(before + write(args), { pieces: 1 + chance(40) }));
        expect(shown.trim()).toBe(text.trim());
        for (const call of calls) expect(JSON.parse(call.arguments)).toEqual(args);
      }
    },
  );

  test.each(Object.entries(KINDS))("with %s never becomes another call than was meant", async (_, write) => {
    const chance = createChance(11);
    for (let round = 0; round < ROUNDS; round++) {
      const args = intended(chance);
      const { tool = "read", wrote } = write(args);
      const { calls } = await ask(saying("", { calls: [{ type: "tool-call", callId: "c1", tool, arguments: wrote }] }));
      expect(calls).toHaveLength(1);
      // Mended to what was meant, or left as it was written.
      if (calls[0]?.arguments !== wrote) expect(JSON.parse(calls[0]?.arguments ?? "")).toEqual(args);
    }
  });
});

describe("a doubt stays a doubt", () => {
  test.each([
    ['{"path":"src/a.ts","content":"cut o', "cut off"],
    ['{"path":"a","path":"b"}', "one key twice"],
    ['{"path":"a"} {"path":"b"}', "two values"],
    ["{'path': 'it's'}", "a quote within quotes"],
    ['{"path":"a","limit":"3 lines"}', "no number"],
    ['{"path":"a","either":null}', "null, which is left out, and nothing else"],
    ['{"path":{"cmd":"ls"}}', "an object where a path stands"],
    ['[{"path":"a"}]', "a list"],
  ])("%s", async (wrote) => {
    const { calls } = await ask(saying("", { calls: [{ type: "tool-call", callId: "c1", tool: "read", arguments: wrote }] }));
    const given = calls[0]?.arguments ?? "";
    if (wrote.includes("either")) expect(JSON.parse(given)).toEqual({ path: "a" });
    else expect(given).toBe(wrote);
  });

  test.each([
    ["a tool that the run has not", '<tool_call>{"name":"rm","arguments":{"path":"a"}}</tool_call>'],
    ["an example that is explained further", '```json\n{"name":"read","arguments":{"path":"a"}}\n```\nThat is how a call looks.'],
    ["data that is no call", '{"name":"read","arguments":{},"version":"1.0.0"}'],
    ["a sentence with a brace", 'It returns { "name": "read" } as ever.'],
    ["code in another language", "```ts\nconst a = { name: 1 };\n```"],
    ["a package file", '```json\n{"name":"read","version":"1.0.0"}\n```'],
    ["an opening alone", "Use <tool_call> for that"],
  ])("%s is text, all of it is shown, and nothing is called", async (_, said) => {
    for (const pieces of [1, 5, 1000])
      expect(await ask(saying(said, { pieces }))).toMatchObject({ calls: [], shown: said, text: said, finishReason: "stop" });
  });
});

test("what was thought leaves the answer, and is shown as a thought", async () => {
  expect(await ask(saying("<think>\nhm, well\n</think>\n\nIt is so.", { pieces: 3 }))).toMatchObject({
    shown: "It is so.",
    text: "It is so.",
    thought: "\nhm, well\n",
    calls: [],
  });
});

test("in the last turn, and beside calls that were made as they should be, text stays text", async () => {
  const said = '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>';
  expect(await ask(saying(said), { toolChoice: "none" })).toMatchObject({ calls: [], shown: said, text: said });
  const native = { type: "tool-call", callId: "c1", tool: "read", arguments: '{"path":"a"}' } as const;
  expect((await ask(saying(said, { calls: [native] }))).calls).toEqual([native]);
});

test("calls of one answer get ids of their own, also several in one form", async () => {
  const one = named({ path: "a" });
  const { calls } = await ask(saying(`<tool_call>${one}</tool_call>\n<tool_call>${named({ path: "b" })}</tool_call>`));
  expect(calls.map((call) => call.arguments)).toEqual(['{"path":"a"}', '{"path":"b"}']);
  expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2);
});
