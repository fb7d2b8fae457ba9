/** Each exit code by its name, from the real command in a process of its own; where there are more ways to one, the others in this process. */
import { spawn } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { EXIT } from "./exit-code.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { call, createMockProject, type MockProject } from "./testing/mock-project.ts";
import { BIN, toEnvironment } from "./testing/spawn-retinue.ts";

type Replies = Parameters<typeof createMockProject>[0];

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const create = async (replies: Replies, settings?: string): Promise<MockProject> => {
  const made = await createMockProject(replies, settings);
  cleanups.push(made.remove);
  return made;
};

const run = (replies: Replies, words: readonly string[], settings?: string) => async (): Promise<number | null> =>
  (await (await create(replies, settings)).project.run(words)).code;

const runHere = (replies: Replies, words: readonly string[], settings?: string) => async (): Promise<number | null> =>
  (await callRetinue((await create(replies, settings)).project, words)).code;

const LIST = { toolCalls: [call("ls", {})] };
const WRITE = { toolCalls: [call("write", { path: "new.txt", content: "new\n" })] };
/** Some words, and then nothing more. */
const HANGING = { text: "word ".repeat(200), deltaChars: 5, fault: { type: "stall", afterBytes: 4_000 } } as const;
/** More than a pipe holds. */
const ENDLESS = { text: "word ".repeat(20_000), deltaChars: 5, writeBytes: 2_000, fault: { type: "linger" } } as const;

/** A signal that comes while the model speaks. */
const signalled =
  (signal: NodeJS.Signals): (() => Promise<number | null>) =>
  async () => {
    const { project } = await create([HANGING]);
    const running = project.start(["run", "--json", "go on"]);
    await running.said("stdout", "model.delta");
    running.child.kill(signal);
    const ended = await running.ended;
    expect(ended.signal).toBe(null);
    return ended.code;
  };

/** As a shell sees a command whose output is cut off by `head`. */
const cutOff = async (): Promise<number | null> => {
  const { project } = await create([ENDLESS]);
  const command = `"$0" "$1" run --json go | head -n 1 >/dev/null; exit "\${PIPESTATUS[0]}"`;
  const shell = spawn("bash", ["-c", command, process.execPath, BIN], {
    cwd: project.workspace,
    env: toEnvironment(project.home),
    stdio: "ignore",
  });
  return new Promise((resolve) => void shell.on("close", resolve));
};

type Way = readonly [what: string, code: () => Promise<number | null>];

/** A code without an entry is an error of types. */
const WAYS: Readonly<Record<keyof typeof EXIT, readonly Way[]>> = {
  done: [["a task that is done", run([{ text: "Done." }], ["run", "do it"])]],
  failed: [
    ["a model that refuses", run([{ fault: { type: "status", status: 401 } }], ["run", "do it"])],
    ["a task that the built-in rules cannot do", runHere([], ["run", "--model", "offline/rules", "write a poem to poem.txt"])],
  ],
  usage: [
    ["an option that there is not", run([], ["run", "--no-such-option", "do it"])],
    ["a task that is not given", runHere([], ["run"])],
    ["settings that are wrong", runHere([], ["run", "do it"], "agent: { maxDepth: many }\n")],
    ["a model that nobody knows", runHere([], ["run", "--model", "nobody/none", "do it"])],
  ],
  limit: [
    ["a limit that is reached", run([LIST, { text: "That is all." }], ["run", "--limit", "iterations=1", "go on"])],
    ["an act that nobody could be asked about", runHere([WRITE, { text: "I may not." }], ["run", "write it"])],
  ],
  waiting: [["a question that waits in the record", run([WRITE], ["run", "write it"], "approvals: { unattended: park }\n")]],
  doubted: [
    ["a claim that the record does not support", runHere([{ text: "I fixed `src/other.js`." }], ["run", "-q", "fix it"])],
  ],
  interrupted: [["Ctrl-C", signalled("SIGINT")]],
  hungUp: [["a terminal that is closed", signalled("SIGHUP")]],
  unread: [["a reader that goes away", cutOff]],
  terminated: [["SIGTERM", signalled("SIGTERM")]],
};

describe.each(Object.entries(WAYS))("%s", (name, ways) => {
  const code = EXIT[name as keyof typeof EXIT]; // The keys are those of EXIT.
  test.each(ways)(`%s exits with ${code}`, { timeout: 120_000 }, async (_what, exitCode) => {
    expect(await exitCode()).toBe(code);
  });
});

test("the numbers are those that scripts know", () => {
  expect(EXIT).toEqual({
    done: 0,
    failed: 1,
    usage: 2,
    limit: 3,
    waiting: 4,
    doubted: 5,
    hungUp: 129,
    interrupted: 130,
    unread: 141,
    terminated: 143,
  });
});
