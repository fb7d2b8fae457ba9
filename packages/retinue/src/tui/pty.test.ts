/** The real command in a real terminal. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { callRetinue } from "../cli/testing/call-retinue.ts";
import { call, createMockProject, type MockProject } from "../cli/testing/mock-project.ts";
import { createProject, type Project } from "../cli/testing/spawn-retinue.ts";
import { startInPty, type InPty } from "./testing/start-in-pty.ts";

const started: InPty[] = [];
const made: (MockProject | Project)[] = [];
afterEach(async () => {
  for (const at of started.splice(0)) at.kill("SIGKILL");
  for (const one of made.splice(0)) await one.remove();
});

const start = (...args: Parameters<typeof startInPty>): InPty => {
  const at = startInPty(...args);
  started.push(at);
  return at;
};

test("the first session of a newcomer: what answers is said, an example is tried, help is asked for, and the terminal is given back", async () => {
  const project = await createProject();
  made.push(project);
  await writeFile(join(project.workspace, "notes.md"), "# Notes\n");
  const at = start(project, ["--model", "offline/rules"]);
  // Typed before anything is there: neither echoed nor lost.
  at.type("what is in this folder?");
  await at.until("› what is in this folder?");
  expect(at.all()).toContain("built-in rules answer, not an LLM");
  expect(at.all()).toContain("/spawn code-search where are errors handled?");
  at.type("\r");
  await at.until("completed in");
  await at.until("ready");
  // The example says what it promises, and what the rules cannot do is said as that.
  expect(at.all()).toContain("notes.md");
  at.type("/plan a release\r");
  await at.until("the built-in rules make no plans");
  expect(at.all()).not.toContain("retinue-call");
  at.type("/he");
  await at.until("› /help");
  at.type("\t\r");
  await at.until("Ctrl-C          ".trimEnd());
  expect(at.all()).toContain("/spawn agent task");
  at.type("\u0004");
  expect(await at.ended).toBe(0);
  expect(at.bytes()).toContain("\u001b[?2004l");
  expect(at.bytes()).not.toContain("\u001b[?1049h");
});

test("Ctrl-C once stops the turn, which is settled in the record; twice leaves, with the terminal given back", async () => {
  const mock = await createMockProject([{ text: "Never.", fault: { type: "stall-before-headers" } }]);
  made.push(mock);
  const at = start(mock.project, []);
  await at.until("/help");
  at.type("go on for ever\r");
  await at.until("asks the model");
  at.type("\u0003");
  await at.until("cancelled in");
  await at.until("ready");
  at.type("\u0003");
  at.type("\u0003");
  expect(await at.ended).toBe(0);
  expect(at.bytes()).toContain("\u001b[?2004l");
  const { stdout } = await callRetinue(mock.project, ["sessions", "list", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ state: "settled", status: "cancelled" }] });
});

test("after kill -9 a session goes on with the question that was open and the text that waited", { tags: ["long"] }, async () => {
  const { project, server, remove } = await createMockProject([
    { toolCalls: [call("write", { path: "src/made.txt", content: "made\n" })] },
    { text: "It is made." },
    { text: "And tested." },
  ]);
  made.push({ project, server, settingsFile: "", remove });
  const first = start(project, ["--approve", "ask"]);
  await first.until("ready");
  first.type("make it\r");
  await first.until("y once");
  first.type("\u0007then test it\u001b\r");
  await first.until("queued");
  process.kill(first.pid, "SIGKILL");
  await first.ended;
  const second = start(project, ["--approve", "ask"]);
  await second.until("/resume latest goes on with it");
  second.type("/resume latest\r");
  await second.until("goes on where it was cut off");
  await second.until("y once");
  // Keys are taken once the question has been seen for a moment, which comes later on a busy machine.
  while (!second.all().includes("✓ allowed once")) {
    second.type("y");
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await second.until("It is made.");
  await second.until("And tested.");
  expect(second.all()).toContain(" you  make it");
  second.type("\u0015\u0004");
  expect(await second.ended).toBe(0);
});

const findProgram = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

test(
  "one child of two is stopped, in a multiplexer if there is one; nothing is lost or doubled",
  { tags: ["long"] },
  async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const long = Array.from({ length: 60 }, (_, index) => `- finding ${index + 1}`).join("\n");
    const { project, server, remove } = await createMockProject(async ({ text }) => {
      if (text.includes("operating as a **researcher**")) {
        await held;
        return { text: "## Summary\nfound" };
      }
      const delegated = ["one", "two"].map((task) => call("delegate_to_agent", { agent: "researcher", task: `find ${task}` }));
      return /"role":\s*"tool"/.test(text) ? { text: `${long}\n\nOne is enough.\n` } : { toolCalls: delegated };
    });
    made.push({ project, server, settingsFile: "", remove });
    const tmux = findProgram("tmux");
    const socket = `retinue-test-${process.pid}`;
    const through = tmux === undefined ? [] : [tmux, "-u", "-L", socket, "-f", "/dev/null", "new-session", "-s", "seat"];
    const at = start(project, ["--approve", "ask"], { through });
    try {
      await at.until("ready");
      at.type("find\r");
      await at.until("researcher #2");
      at.type("\t");
      await at.until("s stop");
      at.type("\u001b[B");
      at.type("\u001b[B");
      at.type("s");
      await at.until("stop researcher #2?");
      at.type("n");
      await at.until("cancelled");
      release();
      await at.until("One is enough.");
      await at.until("ready");
      // In a multiplexer the scrollback is its own.
      const seen =
        tmux === undefined
          ? at.all()
          : execFileSync(tmux, ["-L", socket, "capture-pane", "-p", "-S", "-500", "-t", "seat"], { encoding: "utf8" });
      expect(seen).toMatch(/✓ researcher #1/);
      for (const number of [1, 30, 60]) expect(seen.match(new RegExp(`• finding ${number}$`, "gm")), seen).toHaveLength(1);
      // The tree is gone with its agents, and so is its hint.
      await at.until("@file  /command");
      at.type("\u0004");
      await at.ended;
    } finally {
      if (tmux !== undefined) spawnSync(tmux, ["-L", socket, "kill-session", "-t", "seat"]);
    }
  },
);

test("a terminal of 40 columns that becomes wider keeps everything", { tags: ["long"] }, async () => {
  const { project, server, remove } = await createMockProject([
    { text: "An answer that is longer than forty columns are, by far.\n" },
  ]);
  made.push({ project, server, settingsFile: "", remove });
  const at = start(project, [], { columns: 40, rows: 20, env: { NO_COLOR: "1" } });
  await at.until("ready");
  at.type("go\r");
  await at.until("by far.");
  at.resize(100, 30);
  at.type("next");
  await at.until("› next");
  // The hint has room for all of its words once the wider window is drawn.
  at.type("\u0015");
  await at.until("/help");
  at.type("next");
  await at.until("› next");
  expect(at.all().match(/by far\./g)).toHaveLength(1);
  expect(at.all().match(/› next/g)).toHaveLength(1);
  // oxlint-disable-next-line no-control-regex
  expect(at.bytes()).not.toMatch(/\u001b\[[0-9;]*[1-9][0-9;]*m/);
});
