/** Every command whose work can take more than a second gives a sign of life: one that turns on a terminal, lines elsewhere, none with `--json`. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listCommands } from "./list-commands.ts";
import { obeyWords } from "./main.ts";
import { buildProgram } from "./program.ts";
import { createSurroundings } from "./surroundings.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { createMockProject, type MockProject } from "./testing/mock-project.ts";
import { toEnvironment } from "./testing/spawn-retinue.ts";

/** Commands that have agents at work: who works stands on the line that lives. */
const RUNS: Readonly<Record<string, readonly [words: readonly string[], text: string]>> = {
  "plan run": [["PROJECT/plan.json", "--approve"], "executor"],
  run: [["hello"], "main"],
  "sessions fork": [["latest", "hello again"], "main"],
  spawn: [["code-search", "find hello"], "code-search"],
  fanout: [["code-search", "find hello", "code-search", "find more"], "code-search"],
  plan: [["greet"], "planner"],
  test: [["cases"], "0 of 1 done"],
};

/** What the others tell of their work. The record is deleted last. */
const WORKS: typeof RUNS = {
  init: [["--yes"], "looking for models"],
  doctor: [[], "looking at models, sandbox, browser and record"],
  serve: [["--port", "0"], "starting the server"],
  "agents add": [["PROJECT/plugin", "--yes", "--replace"], "reading what is in it"],
  "documents add": [["PROJECT/notes.md"], "reading documents"],
  replay: [["latest", "--verify"], "going through"],
  stats: [[], "counting"],
  "sessions show": [["latest"], "reading"],
  "sessions search": [["hello"], "searching"],
  "sessions export": [["latest"], "exporting"],
  "sessions verify": [[], "verifying"],
  "sessions import": [["PROJECT/session.json", "--as-new"], "importing the session"],
  "sessions prune": [["--keep", "100"], "deleting sessions"],
  "sessions delete": [["latest", "--yes"], "deleting sessions"],
};

const QUICK = "reads or writes a few files";
const ONE_INPUT = "records one input, or drives the rest of a run that was stopped";

/** No sign, each for its reason. */
const NO_SIGN: Readonly<Record<string, string>> = {
  "agents check": QUICK,
  "agents list": QUICK,
  "agents new": QUICK,
  "agents remove": QUICK,
  "agents show": QUICK,
  "skills check": QUICK,
  "skills list": QUICK,
  "skills show": QUICK,
  "documents list": QUICK,
  "documents remove": QUICK,
  "plan edit": "opens an editor",
  "plan show": QUICK,
  "sessions list": "reads one page",
  "sessions resume": "shows the run as run does",
  "test init": QUICK,
  "test record": "a person works in a window",
  "test report": QUICK,
  "approvals answer": ONE_INPUT,
  "approvals list": QUICK,
  send: ONE_INPUT,
  stop: ONE_INPUT,
  trust: QUICK,
  follow: "tells what happens as it happens",
  attach: "is the TUI",
  chat: "is the TUI",
  completion: "prints a script",
};

const commands = listCommands(
  buildProgram(
    createSurroundings(),
    async () => undefined,
    () => undefined,
  ),
).filter(({ path, below }) => path !== "" && (below.length === 0 || path === "plan" || path === "test"));

let made: MockProject;

// oxlint-disable-next-line no-control-regex
const TURNING = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ([^\r\u001B]*)/gu;

/** As at a terminal of 80 columns, or in a pipe; what takes any time gives its sign at once. */
const call = async (words: readonly string[], isTTY: boolean): Promise<{ readonly code: number; readonly stderr: string }> => {
  let text = "";
  const sink = (): Writable & { isTTY?: boolean; columns?: number; rows?: number } =>
    Object.assign(new Writable({ write: (chunk: Buffer, _encoding, done) => ((text += chunk.toString()), done()) }), {
      ...(isTTY && { isTTY, columns: 80, rows: 24 }),
    });
  const stderr = sink();
  // Only what the command itself listens with: others in this process take a signal for their own end.
  const others = new Set(process.listeners("SIGINT"));
  const interrupt = (): void => {
    for (const listener of process.listeners("SIGINT")) if (!others.has(listener)) listener("SIGINT");
  };
  const surroundings = createSurroundings({
    stdin: Readable.from([], { objectMode: false }),
    // A server that has told where it is has been started, and is stopped.
    stdout: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (/Retinue is at|"link":/.test(chunk.toString())) setImmediate(interrupt);
        done();
      },
    }),
    stderr,
    env: toEnvironment(made.project.home),
    patienceMs: 0,
  });
  const at = words.map((word) => word.replace("PROJECT", made.project.workspace));
  // Set up anew each time.
  await rm(join(made.project.workspace, "retinue.yaml"), { force: true });
  const code = await obeyWords([...at, "-C", made.project.workspace], surroundings);
  return { code, stderr: text };
};

beforeAll(async () => {
  // Long enough for a line that lives to be seen.
  made = await createMockProject(() => ({ text: "Hello.", latencyMs: 300 }));
  const at = (...names: readonly string[]): string => join(made.project.workspace, ...names);
  await writeFile(at("notes.md"), "# Notes\n\nHello.\n");
  await writeFile(
    at("plan.json"),
    JSON.stringify({
      goal: "greet",
      steps: [
        {
          id: "1",
          description: "Say hello.",
          expectedResult: "It is said.",
          type: "implementation",
          agent: "executor",
          dependsOn: [],
        },
      ],
    }),
  );
  await mkdir(at("cases"));
  await writeFile(at("cases", "hello.yaml"), "title: says hello\nsteps:\n  - action: Say hello.\n    expected: It is said.\n");
  await mkdir(at("plugin", "agents"), { recursive: true });
  await writeFile(
    at("plugin", "agents", "namer.md"),
    "---\nname: namer\ndescription: Finds names.\ntools: Read\n---\nFind names.\n",
  );
  await callRetinue(made.project, ["run", "hello"]);
  const { stdout } = await callRetinue(made.project, ["sessions", "export", "latest", "--json"]);
  await writeFile(at("session.json"), stdout);
});
afterAll(() => made.remove());

test("every command gives a sign, or has a reason for none", () => {
  const known = [...Object.keys(RUNS), ...Object.keys(WORKS), ...Object.keys(NO_SIGN)];
  expect(commands.map(({ path }) => path).toSorted()).toEqual(known.toSorted());
});

test.each(Object.entries(RUNS))("retinue %s has a line that lives while agents work", async (path, [words, text]) => {
  const { stderr } = await call([...path.split(" "), ...words], true);
  // oxlint-disable-next-line no-control-regex
  const lines = Array.from(stderr.replaceAll(/\u001B\[[\d;]*m/g, "").matchAll(TURNING), ([, line]) => line);
  expect(
    lines.some((line) => line?.includes(text)),
    stderr,
  ).toBe(true);
});

test.each(Object.entries(WORKS))(
  "retinue %s turns a sign on a terminal, tells a line elsewhere, and nothing with --json",
  async (path, [words, text]) => {
    const wanted = [...path.split(" "), ...words];
    const silent = await call([...wanted.filter((word) => path !== "sessions delete" || word !== "latest"), "--json"], true);
    expect(silent.stderr).not.toMatch(TURNING);
    const turning = await call(wanted, true);
    expect(Array.from(turning.stderr.matchAll(TURNING), ([, line]) => line).join("\n")).toContain(text);
    if (path === "doctor") return;
    const plain = await call(wanted, false);
    expect(plain.stderr).toContain(`retinue: ${text}`);
    expect(plain.stderr).not.toContain("\u001B");
  },
);
