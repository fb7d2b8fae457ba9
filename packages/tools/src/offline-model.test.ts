/** The offline model drives the real tools over real files, in the smallest loop that does so. */
import type { Model } from "@retinue/model";
import { createModels, DEFAULT_RETRY } from "@retinue/model";
import type { Message, ToolCallPart, ToolMessage } from "@retinue/protocol";
import { toDeclaration } from "@retinue/runtime";
import { describe, expect, it } from "vitest";
import { createBuiltinTools } from "./builtin-tools.ts";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";

const TOOLS = createBuiltinTools();
const MOST_TURNS = 6;

const FILES = {
  ".gitignore": "node_modules/\n",
  "node_modules/x/limits.js": "exports.rateLimit = 1;\n",
  "README.md": "# Shop\n\nSells things over HTTP. It is a small one.\n\n## Install\n\nnpm i\n",
  "package.json": '{\n  "name": "shop",\n  "description": "A small shop"\n}\n',
  "src/server.ts":
    'import { checkRateLimit } from "./rate-limit.ts";\n\nexport const serve = () => {\n  checkRateLimit("ip");\n};\n',
  "src/rate-limit.ts":
    "/** Ten a minute. */\nconst MOST = 10;\n\n// TODO: keep it across restarts\nexport const checkRateLimit = (client: string): boolean => {\n  return client.length < MOST;\n};\n",
  "src/rate-limit.test.ts":
    'import { checkRateLimit } from "./rate-limit.ts";\n\ntest("rate limit", () => checkRateLimit("a"));\n',
  "docs/limits.md": "The rate limit is ten a minute.\n",
};

const offlineModel = (): Promise<Model> =>
  createModels({ providers: {}, retry: DEFAULT_RETRY, streamIdleMs: 1000, env: {} }).resolve("offline/rules");

const call = async ({ callId, tool: name, arguments: text }: ToolCallPart, test: TestWorkspace): Promise<ToolMessage> => {
  const tool = TOOLS.find((each) => each.name === name);
  const settled = await (async () => {
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.execute(tool.input.parse(JSON.parse(text)), test.context);
  })().then(
    (output) => ({ said: toText(output), isError: false }),
    (thrown: unknown) => ({ said: `Error: ${thrown instanceof Error ? thrown.message : ""}`, isError: true }),
  );
  return { role: "tool", callId, tool: name, isError: settled.isError, content: [{ type: "text", text: settled.said }] };
};

/** The final answer, and every tool that was called on the way, turn by turn. */
const ask = async (
  question: string,
  test: TestWorkspace,
): Promise<{ readonly text: string; readonly turns: readonly string[] }> => {
  const model = await offlineModel();
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: question }] }];
  const turns: string[] = [];
  while (turns.length < MOST_TURNS) {
    const request = { system: "", messages, tools: TOOLS.map(toDeclaration), toolChoice: "auto" as const };
    for await (const chunk of model.stream(request, test.context.signal))
      if (chunk.type === "answer") messages.push({ role: "assistant", content: chunk.content });
    const last = messages.at(-1);
    const calls = last?.role === "assistant" ? last.content.filter((part) => part.type === "tool-call") : [];
    if (calls.length === 0)
      return { text: (last?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join(""), turns };
    turns.push(calls.map((each) => each.tool).join(" "));
    messages.push(...(await Promise.all(calls.map((each) => call(each, test)))));
  }
  throw new Error("the model does not come to an end");
};

describe("the offline model with the real tools", () => {
  it("finds where something is handled: the definition first, with path, line and the lines around it", async () => {
    await using test = await createTestWorkspace(FILES);
    const { text, turns } = await ask("Where is the rate limit handled?", test);
    expect(turns).toEqual(["grep grep grep grep glob", "read read"]);
    expect(text.split("\n")[0]).toMatch(/^\[offline model: rule-based, no LLM/);
    expect(text).toContain('Searched for "rate limit", "rate" and "limit"');
    const places = text.split("\n").filter((line) => line.startsWith("- "));
    expect(places[0]).toMatch(/^- src\/rate-limit\.ts:5: export const checkRateLimit = \(client: string\): boolean => \{/);
    expect(places.map((line) => /^- ([^: ]+)/.exec(line)?.[1])).toEqual([
      "src/rate-limit.ts",
      "src/server.ts",
      "src/rate-limit.test.ts",
      "docs/limits.md",
    ]);
    expect(text).toContain("src/rate-limit.ts:1-7\n```\n1  /** Ten a minute. */\n2  const MOST = 10;");
    expect(text).not.toContain("node_modules");
  });

  it("lists every place and every file of something", async () => {
    await using test = await createTestWorkspace(FILES);
    expect((await ask("find TODO comments", test)).text).toContain(
      "1 line with TODO, FIXME, XXX or HACK in 1 file:\n\n- src/rate-limit.ts:4: // TODO: keep it across restarts",
    );
    expect((await ask("which files mention checkRateLimit?", test)).text).toContain(
      "- src/rate-limit.test.ts (2 lines)\n- src/server.ts (2 lines)\n- src/rate-limit.ts (1 line)",
    );
  });

  it("shows files and ranges of them, also when only the name is given", async () => {
    await using test = await createTestWorkspace(FILES);
    expect((await ask("show me package.json", test)).text).toContain('package.json:1-4\n```\n1  {\n2    "name": "shop",');
    const range = await ask("read lines 4-5 of rate-limit.ts", test);
    expect(range.turns).toEqual(["read glob", "read"]);
    expect(range.text).toContain(
      "src/rate-limit.ts:4-5\n```\n4  // TODO: keep it across restarts\n5  export const checkRateLimit",
    );
  });

  it("lists folders and says what a project is by its own words", async () => {
    await using test = await createTestWorkspace(FILES);
    expect((await ask("list the files in src", test)).text).toContain("src/  (3 files)\n  rate-limit.test.ts");
    const { text } = await ask("What does this project do?", test);
    expect(text).toContain("shop: A small shop (package.json:3)");
    expect(text).toContain("README.md:3 says: Sells things over HTTP.");
    expect(text).toContain("- src/ (3 files)");
  });

  it("says that there is nothing, without words that were cut", async () => {
    await using test = await createTestWorkspace(FILES);
    const { text, turns } = await ask("where is frobnicate handled?", test);
    expect(turns).toHaveLength(1);
    expect(text).toContain('Nothing was found. Searched the workspace for "frobnicate".');
    const { text: named } = await ask("where is checkRate defined?", test);
    expect(named).toContain("Nothing here is named just checkRate. Names that contain it:");
    expect(named).toContain("- src/rate-limit.ts:5: export const checkRateLimit");
  });

  it("says honestly that a file is not there", async () => {
    await using test = await createTestWorkspace(FILES);
    expect((await ask("show me src/none.ts", test)).text).toContain("src/none.ts could not be shown.");
  });

  it("changes nothing when it is asked to", async () => {
    await using test = await createTestWorkspace(FILES);
    const { text, turns } = await ask("refactor src/server.ts and run the tests", test);
    expect(turns).toEqual(["ls grep"]);
    expect(text).toContain("takes a real model");
  });
});
