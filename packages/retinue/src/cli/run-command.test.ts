import type { MockReply, MockServer } from "@retinue/model/testing";
import { startMockServer } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { Ended, Project } from "./testing/spawn-retinue.ts";
import { BIN, createProject, toEnvironment } from "./testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const settingsFor = (baseUrl: string, more = ""): string =>
  `model: local/any-name\nproviders: { local: { type: openai-compatible, baseUrl: "${baseUrl}" } }\nretry: { attempts: 1, unreachableMs: 0 }\n${more}`;

/** A project whose model is a server that answers these, in order. */
const setUp = async (replies: readonly MockReply[], more = ""): Promise<{ project: Project; server: MockServer }> => {
  const server = await startMockServer({ replies });
  cleanups.push(server.close);
  const project = await createProject(settingsFor(server.baseUrl, more));
  cleanups.push(project.remove);
  return { project, server };
};

const plainProject = async (settings?: string): Promise<Project> => {
  const project = await createProject(settings);
  cleanups.push(project.remove);
  return project;
};

/** No stack of ours or of Node's, and none of Node's remarks. */
const expectNoStack = ({ stdout, stderr }: Ended): void => {
  expect(`${stdout}\n${stderr}`).not.toMatch(/^\s+at |\bnode:internal|Warning:/m);
};

const FIELDS = ["type", "sessionId", "runId", "parentRunId", "depth", "agent", "seq", "at"];

const toEvents = (stdout: string): readonly RetinueEvent[] => {
  expect(stdout.endsWith("\n")).toBe(true);
  return stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as RetinueEvent);
};

describe.concurrent("retinue run", () => {
  test("prints the answer to stdout, progress and the bill to stderr, and exits with 0", async () => {
    const { project, server } = await setUp([{ text: "Hello there." }]);
    const ended = await project.run(["run", "say", "hello"]);
    expect(ended).toMatchObject({ code: 0, stdout: "Hello there.\n" });
    expect(ended.stderr).toMatch(/^main: starts with local\/any-name$/m);
    expect(ended.stderr).toMatch(/^retinue: completed in \d+\.\d s, 1 model call, 0 tool calls, \d+ tokens in, \d+ out, /m);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("say hello");
    expectNoStack(ended);
  });

  test(
    "shows what is said on the way beside the answer, the tools that are called, and their failures",
    { tags: ["long"] },
    async () => {
      const { project } = await setUp([
        { text: "Let me look.", toolCalls: [{ name: "read", arguments: '{"path":"notes.txt"}' }] },
        { toolCalls: [{ name: "read", arguments: '{"path":"missing.txt"}' }] },
        { text: "It says hi." },
      ]);
      await writeFile(join(project.workspace, "notes.txt"), "hi\n");
      const ended = await callRetinue(project, ["run", "what do the notes say?"]);
      expect(ended).toMatchObject({ code: 0, stdout: "It says hi.\n" });
      expect(ended.stderr).toMatch(/^Let me look\.$/m);
      expect(ended.stderr).toMatch(/^main: read path=notes\.txt$/m);
      expect(ended.stderr).toMatch(/^main: read error: /m);
      expect(ended.stderr).toContain("2 tool calls");
      expectNoStack(ended);
    },
  );

  test("--quiet prints the final answer alone", async () => {
    const { project } = await setUp([{ text: "Let me look.", toolCalls: [{ name: "ls", arguments: "{}" }] }, { text: "Empty." }]);
    expect(await callRetinue(project, ["run", "--quiet", "what is here?"])).toEqual({
      code: 0,
      signal: null,
      stdout: "Empty.\n",
      stderr: "",
    });
  });

  test("--json prints every event on a line with the same fields; the last is the main run's run.settled", async () => {
    const { project } = await setUp([{ toolCalls: [{ name: "ls", arguments: "{}" }] }, { text: "Two files." }]);
    const ended = await callRetinue(project, ["run", "--json", "count files"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const events = toEvents(ended.stdout);
    for (const event of events) expect(Object.keys(event).slice(0, FIELDS.length)).toEqual(FIELDS);
    const types = events.map((event) => event.type).filter((type) => type !== "model.delta");
    expect(types).toEqual([
      "run.requested",
      "run.started",
      "model.requested",
      "model.answered",
      "tool.started",
      "tool.settled",
      "model.requested",
      "model.answered",
      "run.settled",
    ]);
    const deltas = events.flatMap((event) => (event.type === "model.delta" && event.kind === "text" ? [event.text] : []));
    expect(deltas.join("")).toBe("Two files.");
    expect(events.at(-1)).toMatchObject({
      type: "run.settled",
      depth: 0,
      parentRunId: null,
      result: { status: "completed", details: "Two files." },
    });
    expect(new Set(events.map((event) => event.sessionId)).size).toBe(1);
  });

  test.each([
    ["nothing", []],
    ["a dash", ["-"]],
  ])("the task comes from standard input when the argument is %s", async (_name, words) => {
    const { project, server } = await setUp([{ text: "ok" }]);
    expect(await callRetinue(project, ["run", ...words], {}, "from the pipe")).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(JSON.stringify(server.requests[0]?.body)).toContain("from the pipe");
  });

  test("standard input that stays open does not hold up a task that was given", { tags: ["long"] }, async () => {
    const { project } = await setUp([{ text: "ok" }]);
    expect(await project.run(["run", "task"], { keepInput: true })).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  test("a limit stops the run with what it has, and exits with 3", async () => {
    const { project } = await setUp([{ toolCalls: [{ name: "ls", arguments: "{}" }] }, { text: "That is all I have." }]);
    const ended = await callRetinue(project, ["run", "--limit", "iterations=1", "go on and on"]);
    expect(ended).toMatchObject({ code: 3, stdout: "That is all I have.\n" });
    expect(ended.stderr).toMatch(/^main: reached its limit iterations \(1 of 1\)/m);
    expect(ended.stderr).toMatch(/^retinue: The run was stopped by its limit iterations.* \[limit_reached\]$/m);
    expectNoStack(ended);
  });

  test("what is piped in is joined to the words before a -", { tags: ["long"] }, async () => {
    const { project, server } = await setUp([{ text: "Read." }]);
    const ended = await project.run(["run", "review this:", "-"], { input: "diff --git\n+x\n" });
    expect(ended).toMatchObject({ code: 0, stdout: "Read.\n" });
    expect(JSON.stringify(server.requests[0]?.body)).toContain("review this:\\n\\ndiff --git\\n+x\\n");
  });

  test("the built-in rules exit with 1 for a task that they cannot do", async () => {
    const project = await plainProject();
    const ended = await callRetinue(project, ["run", "--model", "offline/rules", "write a poem to poem.txt"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("takes a real model");
  });

  test("the built-in rules search the workspace without any model, and say what they are", async () => {
    const project = await plainProject();
    await writeFile(join(project.workspace, "hello.txt"), "hello world\n");
    const ended = await callRetinue(project, ["run", "--model", "offline/rules", "find hello"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("hello.txt");
    expect(ended.stderr).toContain("built-in rules answer, not an LLM");
    expectNoStack(ended);
  });

  test("an act that needs an approval is denied when nobody can be asked; the agent is told, what was denied is named at the end, and the exit code is 3", async () => {
    const { project, server } = await setUp([
      { toolCalls: [{ name: "shell", arguments: '{"command":"touch made"}' }] },
      { text: "I may not." },
    ]);
    const ended = await callRetinue(project, ["run", "touch it"]);
    expect(ended).toMatchObject({ code: 3, stdout: "I may not.\n" });
    expect(ended.stderr).toMatch(/^main: shell denied: /m);
    expect(ended.stderr).toContain("retinue: 1 act denied: nobody was there to be asked. [approval_unavailable]\n");
    expect(ended.stderr).toMatch(/^ {2}main: shell \{"command":"touch made"\} \(/m);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("approv");
    await expect(readFile(join(project.workspace, "made"))).rejects.toThrow("ENOENT");
  });
});

describe.concurrent("an act that was denied because nobody could be asked ends the command with 3", () => {
  const denied = [{ toolCalls: [{ name: "shell", arguments: '{"command":"touch made"}' }] }, { text: "I may not." }];

  test.each([
    ["run", ["run", "touch it"]],
    ["run -q", ["run", "-q", "touch it"]],
    ["run --json", ["run", "--json", "touch it"]],
    ["spawn", ["spawn", "executor", "touch it"]],
    ["spawn -q", ["spawn", "-q", "executor", "touch it"]],
    ["spawn --json", ["spawn", "--json", "executor", "touch it"]],
  ])("%s", async (_, words) => {
    const { project } = await setUp(denied);
    const ended = await callRetinue(project, words);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("retinue: 1 act denied: nobody was there to be asked. [approval_unavailable]\n");
    if (words.includes("--json")) expect(toEvents(ended.stdout).at(-1)).toMatchObject({ type: "run.settled" });
    else expect(ended.stdout).toContain("I may not.");
  });

  test("a denial of a sub-agent counts, too", async () => {
    const { project } = await setUp([
      { toolCalls: [{ name: "delegate_to_agent", arguments: '{"agent":"executor","task":"touch it"}' }] },
      ...denied,
      { text: "It was not done." },
    ]);
    expect(await callRetinue(project, ["run", "-q", "touch it"])).toMatchObject({ code: 3, stdout: "It was not done.\n" });
  });
});

describe.concurrent("what goes wrong is said with its code and what to do", () => {
  test.each<
    [string, readonly string[], { input?: string | Buffer; env?: Record<string, string> }, string | undefined, number, RegExp]
  >([
    [
      "an empty task",
      ["run", ""],
      {},
      "model: local/x\n",
      2,
      /^retinue: There is no task\. \[task_empty\]\n {2}hint: Give one in quotes/,
    ],
    [
      "a task of 10 MB",
      ["run"],
      { input: Buffer.alloc(10_000_000, "x") },
      "model: local/x\n",
      2,
      /^retinue: The task is larger than 8 MiB\. \[task_too_large\]\n {2}hint: /,
    ],
    [
      "a model of no provider",
      ["run", "--model", "nope/x", "hi"],
      {},
      undefined,
      2,
      /^retinue: .*nope.* \[model_unknown\]\n(?: {2}.*\n)* {2}hint: /,
    ],
    [
      "a provider without its key",
      ["run", "--model", "anthropic/x", "hi"],
      {},
      undefined,
      2,
      /^retinue: .*ANTHROPIC_API_KEY.* \[key_missing\]\n(?: {2}.*\n)* {2}hint: /,
    ],
    [
      "malformed YAML",
      ["run", "hi"],
      {},
      "model: [a\n",
      2,
      /^retinue: \S+retinue\.yaml:2:1: .* \[settings_malformed\]\n {2}hint: /,
    ],
    [
      "two wrong settings",
      ["run", "hi"],
      {},
      "modle: a\nlimits: { tokens: 0 }\n",
      2,
      /^retinue: The settings have 2 problems\. \[settings_invalid\]\n {2}\S+retinue\.yaml:2:19: limits\.tokens: must be at least 1, not 0\n {2}\S+:1:1: modle: unknown key; did you mean model\?.*\n {2}hint: /,
    ],
    [
      "a wrong variable",
      ["run", "hi"],
      { env: { RETINUE_AGENT_MAX_DEPTH: "1" } },
      undefined,
      2,
      /^retinue: RETINUE_AGENT_MAX_DEPTH: names no setting; did you mean RETINUE_AGENT__MAX_DEPTH\? \[settings_invalid\]/,
    ],
    [
      "a limit that is not key=value",
      ["run", "--limit", "10", "hi"],
      {},
      undefined,
      2,
      /^retinue: --limit 10 is not key=value.* \[usage\]/,
    ],
    [
      "a limit that is unknown",
      ["run", "--limit", "turns=1", "hi"],
      {},
      undefined,
      2,
      /^retinue: --limit: limits\.turns: unknown key; did you mean tokens\?.* \[settings_invalid\]/,
    ],
    ["an unknown option", ["run", "--modle", "x", "hi"], {}, undefined, 2, /^retinue: Unknown option '--modle'.* \[usage\]/],
    ["an unknown command", ["rnu", "hi"], {}, undefined, 2, /^retinue: There is no command rnu; did you mean run\? \[usage\]/],
    [
      "an unknown agent",
      ["run", "--model", "offline/rules", "--agent", "nobody", "hi"],
      {},
      undefined,
      2,
      /^retinue: There is no agent "nobody".* \[agent_unknown\]/m,
    ],
    [
      "a workspace that is none",
      ["run", "-C", "/does/not/exist", "hi"],
      {},
      undefined,
      2,
      /^retinue: The workspace \/does\/not\/exist is not a folder\. \[usage\]/,
    ],
  ])("%s", async (_name, words, options, settings, code, stderr) => {
    const project = await plainProject(settings);
    const ended = await callRetinue(project, words, options.env, options.input);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(stderr);
    expectNoStack(ended);
  });

  test("a server that cannot be reached, for longer than is waited", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => void closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const project = await plainProject(settingsFor(`http://127.0.0.1:${port}/v1`));
    const ended = await callRetinue(project, ["run", "hi"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^retinue: local\/any-name cannot be reached: .* \[run_left_open\]\n(?: {2}.*\n)* {2}hint: /m);
    expectNoStack(ended);
  });

  test("C8: a refused key, without the key that the server repeats", async () => {
    const key = "canary-key-0123456789";
    const { project, server } = await setUp(
      [{ fault: { type: "status", status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } } }],
      "",
    );
    await writeFile(
      join(project.workspace, "retinue.yaml"),
      `model: local/x\nproviders: { local: { type: openai-compatible, baseUrl: "${server.baseUrl}", apiKeyEnv: MY_SECRET_KEY } }\n`,
    );
    // A project that names a key is followed only when it is trusted.
    expect(await callRetinue(project, ["trust", "--yes"], { MY_SECRET_KEY: key })).toMatchObject({ code: 0 });
    const ended = await callRetinue(project, ["run", "hi"], { MY_SECRET_KEY: key });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^retinue: .* \[model_auth\]\n(?: {2}.*\n)* {2}hint: /m);
    expect(ended.stderr).not.toContain("canary");
    expectNoStack(ended);
  });

  test(
    "with --json it is one line of type error with the fields of an event, beside the message",
    { tags: ["long"] },
    async () => {
      const project = await plainProject();
      const ended = await callRetinue(project, ["run", "--json", "--model", "nope/x", "hi"]);
      expect(ended.code).toBe(2);
      const events = toEvents(ended.stdout) as readonly unknown[];
      expect(events).toEqual([
        expect.objectContaining({
          type: "error",
          sessionId: null,
          runId: null,
          seq: 0,
          error: expect.objectContaining({ code: "model_unknown" }) as unknown,
        }),
      ]);
      expect(ended.stderr).toContain("[model_unknown]");
    },
  );

  test("RETINUE_DEBUG=1 shows where it was thrown", async () => {
    const project = await plainProject();
    const ended = await callRetinue(project, ["run", ""], { RETINUE_DEBUG: "1" });
    expect(ended.stderr).toMatch(/^ {2,}at /m);
  });
});

describe.concurrent("being interrupted", () => {
  /** Answers with some words and then hangs on an open socket. */
  const hanging: MockReply = {
    text: "The first words and then nothing more ever comes",
    deltaChars: 4,
    fault: { type: "linger" },
  };

  test("SIGINT cancels the run, whose result is still reported, and exits with 130", async () => {
    const { project, server } = await setUp([{ ...hanging, fault: { type: "stall", afterBytes: 600 } }]);
    const running = project.start(["run", "hang"]);
    await running.said("stderr", "main: starts with");
    await vi.waitUntil(() => server.requests.length > 0, { timeout: 20_000 });
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, signal: null });
    expect(ended.stderr).toContain("retinue: stopping; once more to leave at once.\n");
    expect(ended.stderr).toMatch(/^retinue: cancelled in /m);
    expect(ended.stderr).toMatch(/\[cancelled\]/);
    expect(await server.requests[0]?.closed).toBe("destroyed");
    expectNoStack(ended);
  });

  test("with --json the last line is still the run.settled", { tags: ["long"] }, async () => {
    const { project } = await setUp([{ ...hanging, fault: { type: "stall", afterBytes: 600 } }]);
    const running = project.start(["run", "--json", "hang"]);
    await running.said("stdout", "model.delta");
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(toEvents(ended.stdout).at(-1)).toMatchObject({ type: "run.settled", result: { status: "cancelled" } });
  });

  test("a second SIGINT does not wait for a command that will not end", { tags: ["long"] }, async () => {
    const command = 'trap "" TERM; echo up; while :; do sleep 1; done';
    const { project } = await setUp([{ toolCalls: [{ name: "shell", arguments: JSON.stringify({ command }) }] }]);
    const running = project.start(["run", "--approve", "all", "hang"]);
    await running.said("stderr", "main: up\n");
    running.child.kill("SIGINT");
    await running.said("stderr", "once more to leave at once");
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, signal: null, stdout: "" });
    // It left before the run had settled.
    expect(ended.stderr).not.toContain("cancelled in");
    expectNoStack(ended);
  });

  test("a second SIGINT ends the process at once, whatever still works", async () => {
    const interrupts = fileURLToPath(new URL("./interrupts.ts", import.meta.url));
    const source = `
      import { listenForInterrupts } from ${JSON.stringify(interrupts)};
      listenForInterrupts(() => process.stdout.write("first"));
      setInterval(() => {}, 1e6);
      process.stdout.write("ready");
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      child.kill("SIGINT");
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, output }).toEqual({ code: 130, output: "readyfirst" });
  });

  test("F29: a reader that goes away ends the command quietly and leaves the run open", { tags: ["long"] }, async () => {
    const { project, server } = await setUp([
      { text: "word ".repeat(20_000), deltaChars: 5, writeBytes: 2_000, fault: { type: "linger" } },
    ]);
    const command = `"$0" "$1" run --json hang 2>err | grep -m 1 -o model.delta | head -n 1; exit "\${PIPESTATUS[0]}"`;
    const shell = spawn("bash", ["-c", command, process.execPath, BIN], {
      cwd: project.workspace,
      env: toEnvironment(project.home),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    shell.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString()));
    const code = await new Promise((resolve) => shell.on("close", resolve));
    expect({ code, stdout }).toEqual({ code: 141, stdout: "model.delta\n" });
    expect(await server.requests[0]?.closed).toBe("destroyed");
    const stderr = await readFile(join(project.workspace, "err"), "utf8");
    expect(stderr).not.toMatch(/EPIPE|cancelled\]/);
    expect(stderr).toMatch(/^retinue: left open; retinue sessions resume ses_\w+ goes on\.$/m);
    const listed = await callRetinue(project, ["sessions", "list", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ sessions: [{ state: "interrupted" }] });
    expectNoStack({ code: 141, signal: null, stdout, stderr });
  });
});

describe("what a model says", () => {
  test("F1-F6 never drives the terminal, as text or as JSON", async () => {
    const hostile = "clear \x1b[2J clip \x1b]52;c;AAAA\x07 c1 \x9b2J bidi \u202e";
    const { project } = await setUp([
      { text: hostile, deltaChars: 1 },
      { text: hostile, deltaChars: 1 },
    ]);
    const text = await callRetinue(project, ["run", "attack"]);
    expect(text.stdout).toBe("clear \\u{1b}[2J clip \\u{1b}]52;c;AAAA\\u{7} c1 \\u{9b}2J bidi \\u{202e}\n");
    const json = await callRetinue(project, ["run", "--json", "attack"]);
    expect(json.stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(toEvents(json.stdout).at(-1)).toMatchObject({ result: { details: hostile } });
  });

  test("K6 never repeats a key of the environment", async () => {
    const env = { OPENAI_API_KEY: "sk-canary-0123456789" };
    const { project } = await setUp(
      Array.from({ length: 2 }, () => ({ text: "the key is sk-canary-0123456789, yes", deltaChars: 3 })),
    );
    const text = await callRetinue(project, ["run", "leak"], env);
    expect(text.stdout).toBe("the key is [redacted:OPENAI_API_KEY], yes\n");
    const json = await callRetinue(project, ["run", "--json", "leak"], env);
    const streamed = toEvents(json.stdout)
      .map((event) => (event.type === "model.delta" ? event.text : ""))
      .join("");
    expect(streamed).toBe("the key is [redacted:OPENAI_API_KEY], yes");
    expect(json.stdout).not.toContain("canary");
  });
});
