/** Calls whose arguments were understood though they do not fit: they do what the strict call does, and nothing else. */
import type { JsonObject } from "@retinue/protocol";
import { createScriptedModel } from "@retinue/model/testing";
import { mendArguments, toDeclaration } from "@retinue/runtime";
import { runTest } from "@retinue/runtime/testing";
import { describe, expect, test } from "vitest";
import { createBuiltinTools } from "./builtin-tools.ts";

const TOOLS = new Map(createBuiltinTools({}).map((tool) => [tool.name, tool]));
const toolOf = (name: string) => {
  const tool = TOOLS.get(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
};
const understood = (name: string, given: unknown): unknown => {
  const tool = toolOf(name);
  const strict = tool.input.safeParse(given);
  if (strict.success) return strict.data;
  const mended = mendArguments(toDeclaration(tool).inputSchema, given);
  const parsed = mended === undefined ? undefined : tool.input.safeParse(mended);
  return parsed?.success === true ? parsed.data : undefined;
};

/** Numbers from 0 up to 1 that are the same for the same seed. */
const createSeededRandom = (seed: number): (() => number) => {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return state / 2 ** 32;
  };
};

const EDIT = { path: "a.ts", edits: [{ old: "x", new: "y" }] };

describe("arguments by the names and in the forms of other tools", () => {
  test.each<readonly [string, JsonObject, JsonObject]>([
    ["read", { file_path: "a.ts" }, { path: "a.ts" }],
    ["read", { filePath: "a.ts", offset: "3", limit: null }, { path: "a.ts", offset: 3 }],
    ["read", { arguments: { path: "a.ts" } }, { path: "a.ts" }],
    ["write", { file_path: "a.ts", contents: "x" }, { path: "a.ts", content: "x" }],
    ["edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, EDIT],
    ["edit", { path: "a.ts", old_str: "x", new_str: "y", explanation: "why" }, EDIT],
    ["edit", { path: "a.ts", edits: { old: "x", new: "y" } }, EDIT],
    ["edit", { path: "a.ts", edits: '[{"old":"x","new":"y"}]' }, EDIT],
    ["edit", { path: "a.ts", edits: [{ search: "x", replace: "y" }] }, EDIT],
    [
      "edit",
      { path: "a.ts", old_string: "x", new_string: "y", replace_all: "true" },
      { path: "a.ts", edits: [{ old: "x", new: "y", all: true }] },
    ],
    ["shell", { cmd: "ls -l" }, { command: "ls -l" }],
    ["shell", { command: ["grep", "-n", "a b", "it's"] }, { command: String.raw`grep -n 'a b' 'it'\''s'` }],
    ["grep", { query: "x", path: "src" }, { pattern: "x", path: "src" }],
    ["todo", { todos: [{ content: "a", status: "done" }] }, { items: [{ text: "a", status: "completed" }] }],
    [
      "todo",
      { items: ["a", "b"] },
      {
        items: [
          { text: "a", status: "pending" },
          { text: "b", status: "pending" },
        ],
      },
    ],
    ["ask_user", { prompt: "Which?" }, { question: "Which?" }],
  ])("%s %j is %j", (name, given, meant) => {
    expect(understood(name, given)).toEqual(meant);
  });

  test.each<readonly [string, JsonObject]>([
    ["read", { file_path: "a.ts", filename: "b.ts" }],
    ["read", { path: ["a.ts", "b.ts"] }],
    ["write", { path: "a.ts" }],
    ["shell", { cmd: "ls", script: "rm -r ." }],
    ["shell", { command: { run: "ls" } }],
  ])("%s %j has no reading, or two, and is refused", (name, given) => {
    expect(understood(name, given)).toBeUndefined();
  });
});

test("a call that does not fit is told what it gave, what is wrong, and a call that works", async () => {
  const model = createScriptedModel([
    { toolCalls: [{ tool: "edit", input: { place: "a.ts" }, callId: "c1" }] },
    { text: "I could not." },
  ]);
  await runTest({ models: [model], tools: [toolOf("edit")] });
  const answer = JSON.stringify(model.requests[1]?.messages.find(({ role }) => role === "tool"));
  expect(answer).toContain("You gave: place.");
  expect(answer).toContain("Give either path and edits, or files.");
  const example = /A call that fits: (\{.*?\})"/.exec(answer)?.[1] ?? "";
  expect(toolOf("edit").input.safeParse(JSON.parse(example.replaceAll(String.raw`\"`, '"'))).success).toBe(true);
});

describe("over random calls", () => {
  const PIECES = [
    "a.ts",
    "../x",
    "/etc/passwd",
    "a,b.ts",
    "a b",
    "it's",
    '"q"',
    "$(id)",
    "; rm -r .",
    "-rf",
    "\\",
    "*",
    "~",
    "\n",
    "{}",
    "é",
    "null",
    "7",
    "true",
  ];
  const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
    path: ["file_path", "filename", "filePath"],
    content: ["contents", "file_text"],
    command: ["cmd", "command_line"],
    pattern: ["query", "regex"],
  };

  test("paths, commands and texts of what was understood are to the letter what was written", () => {
    let understoodCalls = 0;
    for (let seed = 1; seed <= 3_000; seed += 1) {
      const random = createSeededRandom(seed);
      const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T; // Never empty.
      const text = (): string =>
        Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(PIECES)).join(pick(["", " ", "/"]));
      const [name, strict] = pick<readonly [string, JsonObject]>([
        ["read", { path: text() }],
        ["write", { path: text(), content: text() }],
        ["edit", { path: text(), edits: [{ old: text(), new: text() }] }],
        ["shell", { command: text() }],
        ["grep", { pattern: text(), path: text() }],
      ]);
      const tool = toolOf(name);
      const renamed = Object.fromEntries(
        Object.entries(strict).map(([key, value]) => [random() < 0.7 ? pick(OTHER_NAMES[key] ?? [key]) : key, value]),
      );
      const spoilt = pick<JsonObject>([
        renamed,
        { arguments: renamed },
        { ...renamed, note: text() },
        ...(name === "edit" ? [{ ...renamed, edits: JSON.stringify(strict["edits"]) }] : []),
      ]);
      const parsed = tool.input.safeParse(strict);
      const read = understood(name, spoilt);
      // What fits as it stands was never mended.
      if (!parsed.success || read === undefined || tool.input.safeParse(spoilt).success) continue;
      understoodCalls += 1;
      expect(read).toEqual(parsed.data);
      expect(tool.touches(read)).toEqual(tool.touches(parsed.data));
    }
    expect(understoodCalls).toBeGreaterThan(1_500);
  });

  test("a command that was given as words is those words again to a shell", async () => {
    const { execFileSync } = await import("node:child_process");
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = createSeededRandom(seed);
      const words = Array.from(
        { length: 1 + Math.floor(random() * 4) },
        () => PIECES[Math.floor(random() * PIECES.length)] ?? "",
      );
      const read = understood("shell", { command: ["printf", String.raw`%s\0`, ...words] }) as { readonly command: string };
      expect(execFileSync("bash", ["-c", read.command]).toString().split("\0").slice(0, -1)).toEqual(words);
    }
  });
});
