import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { probeSandbox } from "@retinue/confine";
import type { MockServerOptions } from "@retinue/model/testing";
import { afterAll, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { call, createMockProject, mockSettings } from "./testing/mock-project.ts";
import type { Project } from "./testing/spawn-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A repository with an agent that works in a worktree of its own. */
const prepare = async ({ workspace }: Project): Promise<void> => {
  await mkdir(join(workspace, ".retinue/agents"), { recursive: true });
  await writeFile(
    join(workspace, ".retinue/agents/builder.md"),
    "---\nname: builder\ndescription: Builds.\ntools: [ls]\nisolation: worktree\n---\nYou are builder.\n",
  );
  const git = (...words: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...words], {
      cwd: workspace,
      stdio: "ignore",
    });
  git("init");
  git("add", "-A");
  git("commit", "-m", "first");
};

/** Has the builder build once, and tells what came of it. */
const play: NonNullable<MockServerOptions["reply"]> = ({ text }) => {
  if (text.includes("You are builder.")) return { text: "It is built." };
  if (text.includes("It is built.")) return { text: "All is built." };
  return text.includes('"role":"tool"')
    ? { text: "Nothing is built." }
    : { toolCalls: [call("delegate_to_agent", { agent: "builder", task: "build it" })] };
};

const open = async (): Promise<MockProject> => {
  const made = await createMockProject(play);
  cleanups.push(made.remove);
  await prepare(made.project);
  return made;
};

test("a recording of agents in worktrees of their own is replayed in another home, where these lie elsewhere", async () => {
  const { project, server } = await open();
  const other = await createProject();
  cleanups.push(other.remove);
  await prepare(other);
  const tape = join(project.home, "tape.jsonl");
  // Where there is no sandbox, git runs only for a user who wants to be asked about nothing.
  const words = ["run", "--approve", "all", "have it built"];
  const recorded = await callRetinue(project, [...words, "--record", tape]);
  expect(recorded).toMatchObject({ code: 0, stdout: "All is built.\n" });
  expect(server.requests.some(({ text }) => text.includes(join(project.home, "worktrees")))).toBe(true);
  await writeFile(join(other.home, "retinue.yaml"), mockSettings(server.baseUrl));
  const replayed = await callRetinue(other, [...words, "--replay", tape]);
  expect(replayed).toMatchObject({ code: 0, stdout: "All is built.\n" });
});

test("with nobody to ask, a worktree is made in the sandbox; where there is none it is refused, which a replay repeats", async () => {
  const { project } = await open();
  const isSandboxed = (await probeSandbox()).backend !== "none";
  const tape = join(project.home, "tape.jsonl");
  const ends = { code: 0, stdout: isSandboxed ? "All is built.\n" : "Nothing is built.\n" };
  const recorded = await callRetinue(project, ["run", "--record", tape, "have it built"]);
  expect(recorded).toMatchObject(ends);
  expect(recorded.stderr.includes("Git runs in a sandbox, which this machine does not have"), recorded.stderr).toBe(!isSandboxed);
  expect(await callRetinue(project, ["run", "--replay", tape, "have it built"])).toMatchObject(ends);
});
