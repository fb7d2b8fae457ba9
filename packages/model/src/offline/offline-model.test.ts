/** The rules as a pure function of the request, without any tool: what is called, and what is made of what came back. */
import type { Message, ToolCallPart } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { ModelAnswer, ModelChunk, ModelRequest, ToolDeclaration } from "../contract.ts";
import { createOfflineModel } from "./offline-model.ts";
import { BANNER } from "./wording.ts";

const tool = (name: string, ...properties: readonly string[]): ToolDeclaration => ({
  name,
  description: "",
  inputSchema: { type: "object", properties: Object.fromEntries(properties.map((each) => [each, { type: "string" }])) },
});

const GREP = tool("grep", "pattern", "path", "glob", "ignoreCase", "maxResults", "filesOnly");
const FILE_TOOLS = [GREP, tool("glob", "pattern"), tool("read", "path", "offset", "limit"), tool("ls", "path", "depth")];

const delegate = (...agents: readonly string[]): ToolDeclaration => ({
  name: "delegate_to_agent",
  description: "",
  inputSchema: { type: "object", properties: { agent: { type: "string", enum: agents }, task: { type: "string" } } },
});

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

const request = (messages: readonly Message[], rest: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You are the main agent.",
  messages,
  tools: FILE_TOOLS,
  toolChoice: "auto",
  ...rest,
});

const ask = async (asked: ModelRequest): Promise<{ readonly chunks: readonly ModelChunk[]; readonly answer: ModelAnswer }> => {
  const chunks: ModelChunk[] = [];
  for await (const chunk of createOfflineModel().stream(asked, new AbortController().signal)) chunks.push(chunk);
  const answer = chunks.at(-1);
  if (answer?.type !== "answer") throw new Error("the stream did not end with an answer");
  return { chunks, answer };
};

const textOf = ({ content }: ModelAnswer): string => content.map((part) => (part.type === "text" ? part.text : "")).join("");

const callsOf = ({ content }: ModelAnswer): readonly ToolCallPart[] => content.filter((part) => part.type === "tool-call");

const shownCalls = (answer: ModelAnswer): readonly string[] =>
  callsOf(answer).map((call) => {
    const { pattern, path, offset, agent, task } = JSON.parse(call.arguments) as Record<string, string | number | undefined>;
    return [call.tool, agent, task, pattern, path, offset].filter((each) => each !== undefined).join(" ");
  });

/** The messages after an answer whose calls were answered by `outputs`, one each; the last one is for all that remain. */
const settle = (messages: readonly Message[], answer: ModelAnswer, ...outputs: readonly string[]): readonly Message[] => [
  ...messages,
  { role: "assistant", content: answer.content },
  ...callsOf(answer).map((call, index): Message => {
    const text = outputs[Math.min(index, outputs.length - 1)] ?? "";
    return {
      role: "tool",
      callId: call.callId,
      tool: call.tool,
      isError: text.startsWith("Error"),
      content: [{ type: "text", text }],
    };
  }),
];

const FOUND =
  "[2 matching lines in 2 files]\nsrc/limits.ts:\n  12: export const checkLimits = () => {\n\ndocs/a.md:\n  3: limits";
const NOTHING = 'No match for "x" in ..';

describe("the stream", () => {
  it("ends with the answer that its chunks spell out, at no price and with estimated tokens", async () => {
    const { chunks, answer } = await ask(request([user("help")], { tools: [] }));
    const streamed = chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []));
    expect(streamed.length).toBeGreaterThan(1);
    expect(streamed.join("")).toBe(textOf(answer));
    expect(answer).toMatchObject({ finishReason: "stop", costUsd: 0, usage: { cached: 0, reasoning: 0 } });
    expect(answer.usage.input).toBeGreaterThan(15);
    expect(answer.usage.output).toBeGreaterThanOrEqual(Math.floor(textOf(answer).length / 4));
    expect(createOfflineModel().price(answer.usage)).toBe(0);
    expect(createOfflineModel().id).toBe("offline/rules");
  });

  it("is the same for the same request, with call ids that differ from turn to turn", async () => {
    const first = request([user("where are limits handled?")]);
    const { answer, chunks } = await ask(first);
    expect(await ask(first)).toEqual({ answer, chunks });
    const { answer: second } = await ask(request(settle(first.messages, answer, FOUND)));
    const ids = [...callsOf(answer), ...callsOf(second)].map((call) => call.callId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(answer.finishReason).toBe("tool-calls");
  });

  it("keeps to the tokens it may use and says that it was cut", async () => {
    const { answer } = await ask(request([user("help")], { tools: [], maxOutputTokens: 30 }));
    expect(textOf(answer)).toHaveLength(120);
    expect(answer.finishReason).toBe("length");
  });

  it("throws when it is no longer wanted", async () => {
    const stop = new AbortController();
    stop.abort();
    const chunks = createOfflineModel().stream(request([user("help")]), stop.signal);
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toThrow();
  });
});

describe("a search", () => {
  it("looks for the terms, for definitions and for file names at once, then reads the best places, then answers", async () => {
    const messages = [user("where are the limits handled?")];
    const { answer: first } = await ask(request(messages));
    expect(shownCalls(first)).toEqual([
      "grep limit",
      String.raw`grep \b(function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|impl|mod|module|namespace)\*?\s+\w*(limit)`,
      "glob *{limit,Limit}*",
    ]);
    const searched = settle(messages, first, FOUND, FOUND, "[1 file]\nsrc/limits.ts");
    const { answer: second } = await ask(request(searched));
    expect(shownCalls(second)).toEqual(["read src/limits.ts 8", "read docs/a.md 1"]);
    const read = settle(searched, second, "   11→/** Keeps the limits. */\n   12→export const checkLimits = () => {");
    const { answer: third } = await ask(request(read));
    expect(callsOf(third)).toEqual([]);
    expect(textOf(third)).toBe(
      [
        BANNER,
        'Searched for "limits": 2 matching lines in 2 files. The likeliest places:',
        "- src/limits.ts:12: export const checkLimits = () => {\n- docs/a.md:3: limits",
        "src/limits.ts:11-12\n```\n11  /** Keeps the limits. */\n12  export const checkLimits = () => {\n```",
        "docs/a.md:11-12\n```\n11  /** Keeps the limits. */\n12  export const checkLimits = () => {\n```",
      ].join("\n\n"),
    );
  });

  it("for a name that is nowhere looks for names that contain it, and then says so", async () => {
    const messages = [user("where is frobnicateWidget?")];
    const { answer: first } = await ask(request(messages));
    const none = settle(messages, first, NOTHING, NOTHING, 'No file matches "x" in ..');
    const { answer: second } = await ask(request(none));
    expect(shownCalls(second)).toEqual(["grep frobnicateWidget"]);
    const { answer: third } = await ask(request(settle(none, second, NOTHING)));
    expect(callsOf(third)).toEqual([]);
    expect(textOf(third)).toMatch(/^\[offline model.*\n\nNothing here is named frobnicateWidget, and no name contains it\./);
  });

  it("of a name shows names that contain it where nothing has just that name", async () => {
    const messages = [user("where is limits_Frobnicator?")];
    const { answer: first } = await ask(request(messages));
    const none = settle(messages, first, NOTHING);
    const { answer: second } = await ask(request(none));
    const { answer: last } = await ask(request(settle(none, second, FOUND)));
    expect(textOf(last)).toContain("Nothing here is named just limits_Frobnicator. Names that contain it:");
    expect(textOf(last)).toContain("- src/limits.ts:12: export const checkLimits");
  });

  it("answers from the matches alone where nothing can be read", async () => {
    const messages = [user("where are the limits handled?")];
    const { answer: first } = await ask(request(messages, { tools: [GREP] }));
    const { answer } = await ask(request(settle(messages, first, FOUND), { tools: [GREP] }));
    expect(textOf(answer)).toContain("- src/limits.ts:12: export const checkLimits");
  });

  it("says what it would need where no tool is offered, and what failed where tools fail", async () => {
    const messages = [user("where are the limits handled?")];
    const { answer: none } = await ask(request(messages, { tools: [] }));
    expect(textOf(none)).toContain("I would need grep or glob");
    const { answer: first } = await ask(request(messages));
    const failed = settle(messages, first, "Error (act_denied): the search was denied");
    const { answer: second } = await ask(request(failed));
    const { answer: third } = await ask(request(settle(failed, second, "Error (act_denied): the search was denied")));
    expect(textOf(third)).toContain("- grep: Error (act_denied): the search was denied");
  });

  it("does not pretend to explain", async () => {
    const messages = [user("explain how the limits work")];
    const { answer: first } = await ask(request(messages));
    const { answer } = await ask(request(settle(messages, first, FOUND), { tools: [GREP] }));
    expect(textOf(answer)).toContain("To explain it takes a real model: `retinue doctor` tells how to connect one.");
  });
});

describe("other questions", () => {
  it("lists every place, or the files alone", async () => {
    const places = [user("find TODO comments")];
    const { answer: first } = await ask(request(places));
    expect(callsOf(first).map((call) => JSON.parse(call.arguments) as unknown)).toMatchObject([
      { pattern: String.raw`\b(TODO|FIXME|XXX|HACK)\b` },
    ]);
    const { answer } = await ask(request(settle(places, first, "[1 matching line in 1 file]\na.ts:\n  4: // TODO: mend")));
    expect(textOf(answer)).toContain("1 line with TODO, FIXME, XXX or HACK in 1 file:\n\n- a.ts:4: // TODO: mend");

    const files = [user("which files mention limits?")];
    const { answer: second } = await ask(request(files));
    expect(callsOf(second).map((call) => JSON.parse(call.arguments) as unknown)).toMatchObject([
      { pattern: "limit", filesOnly: true },
    ]);
    const { answer: listed } = await ask(request(settle(files, second, "[7 matching lines in 2 files]\na.ts: 2\nb.ts: 5")));
    expect(textOf(listed)).toContain("7 matching lines in 2 files.\n\n- b.ts (5 lines)\n- a.ts (2 lines)");
  });

  it("reads the lines that were asked for, from a file of that name elsewhere if need be", async () => {
    const messages = [user("read lines 10-30 of foo.ts")];
    const { answer: first } = await ask(request(messages));
    expect(callsOf(first).map((call) => [call.tool, call.arguments])).toEqual([
      ["read", '{"path":"foo.ts","offset":10,"limit":21}'],
      ["glob", '{"pattern":"foo.ts"}'],
    ]);
    const missing = settle(messages, first, "Error (tool_failed): foo.ts does not exist.", "[1 file]\nsrc/foo.ts");
    const { answer: second } = await ask(request(missing));
    expect(shownCalls(second)).toEqual(["read src/foo.ts 10"]);
    const { answer } = await ask(request(settle(missing, second, "   10→a\n[lines 10-10 of 50; read on with offset 11]")));
    expect(textOf(answer)).toContain('src/foo.ts:10\n```\n10  a\n```\n\nThe file goes on: "read lines 11-110 of src/foo.ts".');
  });

  it("says honestly that a file is not there", async () => {
    const messages = [user("show me foo.ts")];
    const { answer: first } = await ask(request(messages));
    const { answer } = await ask(
      request(settle(messages, first, "Error (tool_failed): foo.ts does not exist.", 'No file matches "foo.ts" in ..')),
    );
    expect(textOf(answer)).toContain(
      "foo.ts could not be shown.\n\nNot everything could be done:\n- read: Error (tool_failed): foo.ts does not exist.",
    );
  });

  it("lists a folder", async () => {
    const messages = [user("list the files in src")];
    const { answer: first } = await ask(request(messages));
    expect(shownCalls(first)).toEqual(["ls src"]);
    const { answer } = await ask(request(settle(messages, first, "src/  (1 file)\n  a.ts  1 B")));
    expect(textOf(answer)).toBe(`${BANNER}\n\n\`\`\`\nsrc/  (1 file)\n  a.ts  1 B\n\`\`\``);
  });

  it("quotes what a project says of itself", async () => {
    const messages = [user("what does this project do?")];
    const { answer: first } = await ask(request(messages));
    expect(callsOf(first).map((call) => call.tool)).toEqual(["ls"]);
    const seen = settle(messages, first, "./  (2 files)\n  README.md  1 B\n  package.json  1 B");
    const { answer: second } = await ask(request(seen));
    expect(shownCalls(second)).toEqual(["read package.json", "read README.md"]);
    const read = settle(
      seen,
      second,
      '    1→{\n    2→  "name": "thing",\n    3→  "description": "Does \\"it\\""\n    4→}',
      "    1→# Thing\n    2→\n    3→It does all the things that are to be done.",
    );
    const { answer } = await ask(request(read));
    expect(textOf(answer)).toContain('thing: Does "it" (package.json:3)');
    expect(textOf(answer)).toContain("README.md:3 says: It does all the things that are to be done.");
  });

  it.each(["write a parser", "refactor the loop", "translate this", "tell me a joke", "why?"])(
    "%s: says what takes a real model, how to get one, and what it can do itself",
    async (question) => {
      const messages = [user(question)];
      const { answer: first } = await ask(request(messages));
      expect(callsOf(first).map((call) => call.tool)).toEqual(["ls", "grep"]);
      const listed = "./  (1 file)\n  src/  (1 file)\n    limits.ts  1 kB\n  package.json  1 kB";
      const { answer } = await ask(request(settle(messages, first, listed, FOUND)));
      const text = textOf(answer);
      expect(text.split("\n").length).toBeLessThan(20);
      expect(text.split("\n")[0]).toBe(BANNER);
      expect(text).toContain("takes a real model");
      for (const way of [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "Ollama",
        "retinue.yaml",
        "how do I run the tests?",
        "outline of src/limits.ts",
      ])
        expect(text).toContain(way);
    },
  );

  it("greets and tells what can be asked", async () => {
    const { answer } = await ask(request([user("hello")], { tools: [] }));
    expect(textOf(answer)).toMatch(/^\[offline model: rule-based, no LLM.*\n\nHello\./);
  });

  it("answers the latest question of a conversation, not an earlier one", async () => {
    const messages = [
      user("show me a.ts"),
      { role: "assistant", content: [{ type: "text", text: "done" }] } as const,
      user("ls src"),
    ];
    const { answer } = await ask(request(messages));
    expect(shownCalls(answer)).toEqual(["ls src"]);
  });
});

describe("with a code-search agent to delegate to", () => {
  const question = "where are the limits handled?";
  const task = `Search the code and report paths and line numbers: ${question}`;

  it("hands the question on and reports the summary", async () => {
    const tools = [...FILE_TOOLS, delegate("planner", "code-search")];
    const messages = [user(question)];
    const { answer: first } = await ask(request(messages, { tools }));
    expect(shownCalls(first)).toEqual([`delegate_to_agent code-search ${task}`]);
    const result = JSON.stringify({ status: "partial", summary: `${BANNER}\n\nIn src/limits.ts:12.` });
    const { answer } = await ask(request(settle(messages, first, result), { tools }));
    expect(textOf(answer)).toBe(`${BANNER}\n\nThe code-search agent was asked and reports (partial):\n\nIn src/limits.ts:12.`);
  });

  it("asks for the details where it may, and reports them before the summary, and an error with what there is", async () => {
    const declared = delegate("code-search");
    const properties = {
      agent: { type: "string", enum: ["code-search"] },
      task: { type: "string" },
      details: { type: "boolean" },
    };
    const tools = [{ ...declared, inputSchema: { type: "object", properties } }];
    const messages = [user(question)];
    const { answer: first } = await ask(request(messages, { tools }));
    expect(callsOf(first).map((call) => JSON.parse(call.arguments) as unknown)).toEqual([
      { agent: "code-search", task, details: true },
    ]);
    const result = { status: "failed", summary: "short", details: "all of it", error: "stuck: it went in circles" };
    const { answer } = await ask(request(settle(messages, first, JSON.stringify(result)), { tools }));
    expect(textOf(answer)).toContain("reports (failed):\n\nall of it\n\nstuck: it went in circles");
  });

  it("takes a task that it is given itself without what stands below it", async () => {
    const given = `${task}\n\n## Context\n\nIgnore the documentation.\n\n## Success criteria\n\nA path.`;
    const { answer } = await ask(request([user(given)]));
    expect(shownCalls(answer).filter((each) => each.startsWith("glob"))).toEqual(["glob *{limit,Limit}*"]);
  });

  it("reports an answer in plain text as well", async () => {
    const tools = [delegate("code-search")];
    const messages = [user(question)];
    const { answer: first } = await ask(request(messages, { tools }));
    const { answer } = await ask(request(settle(messages, first, "In src/limits.ts:12."), { tools }));
    expect(textOf(answer)).toContain("\n\nIn src/limits.ts:12.");
  });

  it("does not hand on to agents it may not start, nor what was handed to itself, nor what needs no search", async () => {
    const { answer: other } = await ask(request([user(question)], { tools: [...FILE_TOOLS, delegate("planner")] }));
    expect(callsOf(other)[0]?.tool).toBe("grep");
    const { answer: handed } = await ask(request([user(task)], { tools: [...FILE_TOOLS, delegate("code-search")] }));
    expect(shownCalls(handed)[0]).toBe("grep limit");
    const { answer: plain } = await ask(request([user("show me a.ts")], { tools: [...FILE_TOOLS, delegate("code-search")] }));
    expect(callsOf(plain)[0]?.tool).toBe("read");
  });

  it("searches itself when the agent fails, and says so where it cannot", async () => {
    const messages = [user(question)];
    const tools = [...FILE_TOOLS, delegate("code-search")];
    const { answer: first } = await ask(request(messages, { tools }));
    const failed = settle(messages, first, "Error: depth");
    expect(shownCalls((await ask(request(failed, { tools }))).answer)[0]).toBe("grep limit");
    const { answer } = await ask(request(failed, { tools: [delegate("code-search")] }));
    expect(textOf(answer)).toContain("The code-search agent could not help: Error: depth");
  });

  it("calls the agent as a tool of its own where it is one that takes a text", async () => {
    const { answer } = await ask(request([user(question)], { tools: [tool("code-search", "query")] }));
    expect(callsOf(answer).map((call) => [call.tool, JSON.parse(call.arguments) as unknown])).toEqual([
      ["code-search", { query: task }],
    ]);
    const picky = {
      ...tool("code-search", "query", "root"),
      inputSchema: { ...tool("x", "query", "root").inputSchema, required: ["query", "root"] },
    };
    expect(callsOf((await ask(request([user(question)], { tools: [picky] }))).answer)).toEqual([]);
  });
});

describe("when it has to hand in", () => {
  const note = user(
    '[retinue] The limit "iterations" of this run is reached. No tool can be called any more. Hand in what you have now.',
  );

  it("hands in what its searches have found", async () => {
    const messages = [user("where are the limits handled?")];
    const { answer: first } = await ask(request(messages));
    const { answer } = await ask(request([...settle(messages, first, FOUND), note], { toolChoice: "none" }));
    expect(callsOf(answer)).toEqual([]);
    expect(textOf(answer)).toMatch(
      /^\[offline model.*\n\nThe run has to end here\. What was found so far:\n\nSearched for "limits"/,
    );
    expect(textOf(answer)).toContain("- src/limits.ts:12: export const checkLimits");
  });

  it("hands in what other tools said, where it took over from another model", async () => {
    const messages: readonly Message[] = [
      user("fix the build"),
      { role: "assistant", content: [{ type: "tool-call", callId: "1", tool: "shell", arguments: '{"command":"make"}' }] },
      {
        role: "tool",
        callId: "1",
        tool: "shell",
        isError: false,
        content: [{ type: "text", text: "[exit code 2]\nmissing separator" }],
      },
      note,
    ];
    const { answer } = await ask(request(messages, { toolChoice: "none" }));
    expect(textOf(answer)).toContain('- shell {"command":"make"}\n  [exit code 2]\n  missing separator');
  });

  it("says so when nothing was looked up", async () => {
    const { answer } = await ask(request([user("where are the limits?"), note], { toolChoice: "none" }));
    expect(textOf(answer)).toContain("nothing was looked up");
  });

  it("shortens a transcript by keeping the first lines of each part", async () => {
    const transcript = `user: find the limits\n\nassistant: [calls grep {"pattern":"limit"}]\n\nresult of grep: ${FOUND}\n\n${"result of read: x\n".repeat(3000)}`;
    const { answer } = await ask(
      request([user(transcript)], {
        system: "You compress the working notes of an agent.",
        tools: [],
        toolChoice: "none",
        maxOutputTokens: 200,
      }),
    );
    const text = textOf(answer);
    expect(answer.finishReason).toBe("stop");
    expect(text.length).toBeLessThanOrEqual(800);
    for (const kept of [
      "user: find the limits",
      '[calls grep {"pattern":"limit"}]',
      "src/limits.ts:",
      "12: export const checkLimits",
    ])
      expect(text).toContain(kept);
  });
});
