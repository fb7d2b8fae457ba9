import type { RecordedEvent } from "@retinue/protocol";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { call, createMockProject } from "./testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Leaves a trace each time it begins, and ends by itself should nobody end it. */
const COMMAND = "echo once >> effects; echo up; sleep 60";

/** A tool of the user's own that holds something open, and never answers. */
const LOOK = `
import { appendFileSync } from "node:fs";
import { defineResource, defineTool } from "retinue";
import { z } from "zod";
const eye = defineResource({
  name: "eye",
  per: "run",
  open: ({ workspace }) => {
    appendFileSync(workspace + "/effects", "opened\\n");
    return workspace;
  },
  close: async (workspace) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    appendFileSync(workspace + "/effects", "closed\\n");
  },
});
export default defineTool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  effect: "read",
  resource: eye,
  execute: (_input, { progress }) => {
    progress("up\\n");
    return new Promise(() => undefined);
  },
});
`;

const createHanging = async (): Promise<MockProject> => {
  const made = await createMockProject([
    { text: "I run it.", toolCalls: [call("shell", { command: COMMAND })] },
    { text: "Whether it ran is not known." },
  ]);
  cleanups.push(made.remove);
  return made;
};

const effects = ({ project }: MockProject): Promise<string> => readFile(join(project.workspace, "effects"), "utf8");

const recorded = async ({ project }: MockProject): Promise<readonly RecordedEvent[]> => {
  const { stdout } = await callRetinue(project, ["sessions", "export", "latest", "--format", "json"]);
  return (JSON.parse(stdout) as { events: RecordedEvent[] }).events;
};

const statesOf = async ({ project }: MockProject): Promise<readonly string[]> => {
  const { stdout } = await callRetinue(project, ["sessions", "list", "--json"]);
  return (JSON.parse(stdout) as { sessions: { state: string }[] }).sessions.map(({ state }) => state);
};

/** Whatever ended the process: nobody cancelled, nothing is lost, and nothing is done twice. */
const expectResumable = async (made: MockProject): Promise<void> => {
  const types = (await recorded(made)).map(({ type }) => type);
  expect(types).not.toContain("cancel.requested");
  expect(types).not.toContain("run.settled");
  expect(await statesOf(made)).toEqual(["interrupted"]);
  const resumed = await callRetinue(made.project, ["sessions", "resume", "latest"]);
  expect(resumed).toMatchObject({ code: 0, stdout: "Whether it ran is not known.\n" });
  expect(await effects(made)).toBe("once\n");
  expect(await statesOf(made)).toEqual(["settled"]);
};

describe.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s", { timeout: 240_000 }, (signal, code) => {
  const lane = signal === "SIGTERM" ? {} : { tags: ["long"] };
  test(`leaves the run open and exits with ${code}; a resume completes it`, lane, async () => {
    const made = await createHanging();
    const running = made.project.start(["run", "--approve", "all", "run the command"]);
    await running.said("stderr", "main: up\n");
    running.child.kill(signal);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code, signal: null });
    expect(ended.stderr).toMatch(/^retinue: left open; retinue sessions resume ses_\w+ goes on\.$/m);
    expect(ended.stderr).not.toMatch(/run_left_open|cancelled/);
    await expectResumable(made);
  });
});

describe("a signal that ends the process", { timeout: 240_000 }, () => {
  test("closes what a tool holds open before the process ends", { tags: ["long"] }, async () => {
    const made = await createMockProject([{ text: "I look.", toolCalls: [call("look", {})] }]);
    cleanups.push(made.remove);
    const { project } = made;
    await mkdir(join(project.home, "tools"));
    await writeFile(join(project.home, "tools", "look.ts"), LOOK);
    const running = project.start(["run", "look at it"]);
    await running.said("stderr", "main: up\n");
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 143, signal: null });
    expect(await effects(made)).toBe("opened\nclosed\n");
  });

  test("leaves the turn of a prompt open as well", { tags: ["long"] }, async () => {
    const made = await createHanging();
    const running = made.project.start(["--approve", "all"], { input: "run the command\nand another turn\n", keepInput: true });
    await running.said("stderr", "main: up\n");
    running.child.kill("SIGTERM");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 143, signal: null });
    expect(ended.stderr).toMatch(/^retinue: left open; retinue sessions resume ses_\w+ goes on\.$/m);
    expect(made.server.requests).toHaveLength(1);
    await expectResumable(made);
  });

  test("a person's Ctrl-C cancels the run, and the record says who", async () => {
    const made = await createHanging();
    const running = made.project.start(["run", "--approve", "all", "run the command"]);
    await running.said("stderr", "main: up\n");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, signal: null });
    const events = await recorded(made);
    const cancel = events.find(({ type }) => type === "cancel.requested");
    expect(cancel).toMatchObject({ source: { via: "command", pid: running.child.pid } });
    expect(events.at(-1)).toMatchObject({ type: "run.settled", result: { status: "cancelled" } });
  });
});
