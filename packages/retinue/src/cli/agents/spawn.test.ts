import type { RetinueEvent, RunResult } from "@retinue/protocol";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";
import { fanOutExitCode } from "./fan-out-command.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const OFFLINE = ["--model", "offline/rules"];

const project = async (): Promise<Project> => {
  const made = await createProject();
  cleanups.push(made.remove);
  await mkdir(join(made.workspace, "src"));
  await writeFile(join(made.workspace, "src/price.ts"), "export const parsePrice = (text: string): number => Number(text);\n");
  await writeFile(join(made.workspace, "src/cart.ts"), "export const emptyCart = (): string[] => [];\n");
  return made;
};

/** Lines of `--json`. */
const toEvents = (stdout: string): readonly RetinueEvent[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RetinueEvent);

/** The results of the last line of a fan-out. */
const toResults = (stdout: string): readonly RunResult[] => {
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as { type: string; results: RunResult[] };
  expect(last.type).toBe("results");
  return last.results;
};

describe("retinue spawn", () => {
  test("runs the agent and prints what it found; progress stays beside", async () => {
    const made = await project();
    const ended = await callRetinue(made, ["spawn", "code-search", "where is parsePrice?", ...OFFLINE]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("- src/price.ts:1: export const parsePrice");
    expect(ended.stdout).not.toContain("code-search:");
    expect(ended.stderr).toMatch(/^code-search: starts with offline\/rules$/m);
    expect(ended.stderr).toMatch(/^code-search: completed in .*\nretinue: recorded as ses_\w+\n$/m);
  });

  test("--tools that leave the agent no tool are an error, and nothing is run", async () => {
    const made = await project();
    const ended = await callRetinue(made, ["spawn", "code-search", "where is parsePrice?", "--tools", "shell", ...OFFLINE]);
    expect(ended.code).not.toBe(0);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toContain('"tools" leaves code-search nothing to work with: it has none of shell. It has: read');
  });

  test("a result that is longer than its summary is printed once", async () => {
    const text = `${"A long report. ".repeat(80)}The end.`;
    const { project: made, remove } = await createMockProject([{ text }]);
    cleanups.push(remove);
    expect(await callRetinue(made, ["spawn", "code-search", "report", "-q"])).toMatchObject({ code: 0, stdout: `${text}\n` });
  });

  test("--json prints one event a line, the result in the last, and nothing beside", async () => {
    const made = await project();
    const ended = await callRetinue(made, ["spawn", "code-search", "where is parsePrice?", "--json", ...OFFLINE]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const events = toEvents(ended.stdout);
    expect(events[0]).toMatchObject({ type: "run.requested", agent: "code-search", depth: 0, parentRunId: null });
    expect(events.some(({ type }) => type === "tool.settled")).toBe(true);
    expect(events.filter(({ type }) => type === "run.settled")).toHaveLength(1);
    const last = events.at(-1);
    if (last?.type !== "run.settled") throw new Error(`the last line is ${last?.type}`);
    const { result } = last;
    expect(result).toMatchObject({ status: "completed", depth: 0, filesModified: [], filesCreated: [] });
    expect(result.details).toContain("src/price.ts:1");
    expect(result.toolCalls).toBeGreaterThan(0);
  });

  test("the task may come from standard input", async () => {
    const ended = await callRetinue(await project(), ["spawn", "code-search", "-q", ...OFFLINE], {}, "where is emptyCart?");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("src/cart.ts:1");
  });

  test("a limit that ends it is exit code 3", async () => {
    const ended = await callRetinue(await project(), [
      "spawn",
      "code-search",
      "where is parsePrice?",
      "--limit",
      "iterations=1",
      ...OFFLINE,
    ]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("reached its limit iterations");
  });

  test("--tools leaves it no others, and --model goes over the one of the agent", async () => {
    const { project: made, server, remove } = await createMockProject([{ text: "Done." }]);
    cleanups.push(remove);
    await mkdir(join(made.workspace, ".retinue/agents"), { recursive: true });
    await writeFile(
      join(made.workspace, ".retinue/agents/helper.md"),
      "---\nname: helper\ndescription: Helps.\nmodel: offline/rules\ntools: [read, grep, ls]\n---\nHelp.\n",
    );
    const ended = await callRetinue(made, ["spawn", "helper", "help", "--tools", "Read,ls", "--model", "local/other", "-q"]);
    expect(ended).toMatchObject({ code: 0, stdout: "Done.\n" });
    const [request] = server.requests;
    const body = JSON.stringify(request);
    expect(body).toContain("other");
    expect(body).toMatch(/read/);
    expect(body).not.toMatch(/"name\\?":\\?"grep/);
  });

  test("names that there are not are told before anything runs", async () => {
    const made = await project();
    const agent = await callRetinue(made, ["spawn", "nobody", "x", ...OFFLINE]);
    expect(agent).toMatchObject({ code: 2, stdout: "" });
    expect(agent.stderr).toContain("[agent_unknown]");
    const tool = await callRetinue(made, ["spawn", "code-search", "x", "--tools", "grepp", ...OFFLINE]);
    expect(tool).toMatchObject({ code: 2, stdout: "" });
    expect(tool.stderr).toContain("there is no tool grepp; did you mean grep?");
  });
});

describe("retinue fanout", () => {
  test("prints the results in the order of the tasks", async () => {
    const words = ["fanout", "code-search", "where is parsePrice?", "researcher", "where is emptyCart?", ...OFFLINE];
    const ended = await callRetinue(await project(), words);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(
      /^## 1\. code-search: where is parsePrice\?\n[^]*src\/price\.ts:1[^]*^## 2\. researcher: where is emptyCart\?\n[^]*src\/cart\.ts:1/m,
    );
    expect(ended.stderr).toContain("2 tasks, at most 3 at a time");
    // Every line of a run says which of them it is of.
    expect(ended.stderr).toMatch(/^\[1\] code-search: starts with offline\/rules$/m);
    expect(ended.stderr).toMatch(/^\[2\] researcher: read path=src\/cart\.ts/m);
    expect(ended.stderr).toMatch(/^\[1\] code-search: completed in .*\n(?:\[2\] .*\n)*\[1\] recorded as ses_\w+$/m);
    expect(ended.stderr.split("\n").filter((line) => line !== "" && !/^(?:\[[12]\] |retinue: )/.test(line))).toEqual([]);
  });

  test("takes lines of JSON from standard input, and --json gives the events of all and the results last", async () => {
    const input = `{"agent":"code-search","task":"where is parsePrice?"}\n\n{"agent":"code-search","task":"where is emptyCart?"}\n`;
    const ended = await callRetinue(await project(), ["fanout", "--json", "--concurrency", "1", ...OFFLINE], {}, input);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const events = toEvents(ended.stdout).slice(0, -1);
    // One after the other, since one at a time was asked for.
    expect(events.filter(({ type }) => type === "run.requested" || type === "run.settled").map(({ type }) => type)).toEqual([
      "run.requested",
      "run.settled",
      "run.requested",
      "run.settled",
    ]);
    expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(2);
    const results = toResults(ended.stdout);
    expect(results.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(results[0]?.details).toContain("src/price.ts:1");
    expect(results[1]?.details).toContain("src/cart.ts:1");
  });

  test("--model goes over the model of the agent, and the model of a line over both; --quiet says nothing beside", async () => {
    const { project: made, server, remove } = await createMockProject(() => ({ text: "Done." }));
    cleanups.push(remove);
    await mkdir(join(made.workspace, ".retinue/agents"), { recursive: true });
    await writeFile(
      join(made.workspace, ".retinue/agents/helper.md"),
      "---\nname: helper\ndescription: Helps.\nmodel: offline/rules\ntools: []\n---\nHelp.\n",
    );
    const input = `{"agent":"helper","task":"a"}\n{"agent":"helper","task":"b","model":"local/third"}\n`;
    const ended = await callRetinue(made, ["fanout", "--model", "local/other", "--concurrency", "1", "-q"], {}, input);
    expect(ended).toMatchObject({
      code: 0,
      stdout: "## 1. helper: a\n\nDone.\n\n## 2. helper: b\n\nDone.\n",
      stderr: "",
    });
    expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["other", "third"]);
  });

  test("one that fails loses no other and is exit code 1", async () => {
    const { project: made, remove } = await createMockProject((request) =>
      JSON.stringify(request).includes("okapi") ? { fault: { type: "status", status: 400 } } : { text: "Fine." },
    );
    cleanups.push(remove);
    const ended = await callRetinue(made, ["fanout", "code-search", "okapi", "code-search", "go on", "--json"]);
    expect(ended.code).toBe(1);
    const results = toResults(ended.stdout);
    expect(results.map(({ status }) => status)).toEqual(["failed", "completed"]);
    expect(results[1]?.details).toBe("Fine.");
  });

  test("those that only a limit stopped are exit code 3", async () => {
    const { project: made, remove } = await createMockProject((request) =>
      JSON.stringify(request).includes("zebra") ? { toolCalls: [call("ls", {})] } : { text: "Fine." },
    );
    cleanups.push(remove);
    const words = ["fanout", "code-search", "zebra", "code-search", "go on", "--json", "--limit", "iterations=2"];
    const ended = await callRetinue(made, words);
    const results = toResults(ended.stdout);
    expect(results[1]?.status).toBe("completed");
    expect(results[0]?.status).toBe("partial");
    expect(ended.code).toBe(3);
  });

  test("an interrupt ends all of them and is exit code 130; what was done is told", async () => {
    const {
      project: made,
      server,
      remove,
    } = await createMockProject((request) =>
      JSON.stringify(request).includes("zebra") ? { fault: { type: "stall-before-headers" } } : { text: "Fine." },
    );
    cleanups.push(remove);
    const running = made.start(["fanout", "code-search", "go on", "code-search", "zebra", "--concurrency", "1"]);
    await server.received(2);
    await running.said("stderr", "[2] code-search: starts");
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toContain("## 1. code-search: go on\n\nFine.\n");
    expect(ended.stderr).toMatch(/^\[2\] code-search: cancelled in /m);
  });

  test("what is wrong with the tasks is told before anything runs", async () => {
    const made = await project();
    for (const [words, said] of [
      [["code-search"], "an agent without a task"],
      [["code-search", " "], "The task for code-search is empty"],
      [["code-serch", "x"], 'There is no agent "code-serch"; did you mean code-search?'],
      [["code-search", "x", "--concurrency", "0"], "--concurrency"],
      [[], "There is no task"],
    ] as const) {
      const ended = await callRetinue(made, ["fanout", ...words, ...OFFLINE]);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toContain(said);
    }
    const piped = await callRetinue(made, ["fanout", ...OFFLINE], {}, `{"agent":"code-search","task":"x"}\n{"agent":1}\n`);
    expect(piped).toMatchObject({ code: 2, stdout: "" });
    expect(piped.stderr).toContain("Line 2 of standard input is not an object with agent and task");
  });

  test("no task at all is done", () => {
    expect(fanOutExitCode([])).toBe(0);
  });
});

describe("--isolation worktree", () => {
  test("runs in a worktree and merges what it wrote", async () => {
    const { project: made, remove } = await createMockProject([
      { toolCalls: [call("write", { path: "new.txt", content: "new\n" })] },
      { text: "Wrote it." },
    ]);
    cleanups.push(remove);
    await promisify(execFile)("git", ["init", "--quiet"], { cwd: made.workspace });
    const isolated = ["--isolation", "worktree", "--approve", "all"];
    const ended = await callRetinue(made, ["fanout", "executor", "write new.txt", ...isolated]);
    expect(ended.stderr).toContain("1 changed file merged");
    expect(ended).toMatchObject({ code: 0 });
    expect(await readFile(join(made.workspace, "new.txt"), "utf8")).toBe("new\n");
  });

  test("is refused where there is no repository, and so is a kind that there is not", async () => {
    const made = await project();
    const none = await callRetinue(made, ["spawn", "code-search", "x", "--isolation", "worktree", ...OFFLINE]);
    expect(none.code).not.toBe(0);
    expect(none.stderr).toContain("[worktree_unavailable]");
    const wrong = await callRetinue(made, ["spawn", "code-search", "x", "--isolation", "container", ...OFFLINE]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain('--isolation is "none" or "worktree", not "container".');
  });
});
