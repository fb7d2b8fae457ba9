import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import { call, createMockProject, mockSettings } from "./testing/mock-project.ts";
import type { Project } from "./testing/spawn-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

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

test("a recording of agents in worktrees of their own is replayed in another home, where these lie elsewhere", async () => {
  const made = await createMockProject(({ text }) => {
    if (text.includes("You are builder.")) return { text: "It is built." };
    return text.includes("It is built.")
      ? { text: "All is built." }
      : { toolCalls: [call("delegate_to_agent", { agent: "builder", task: "build it" })] };
  });
  const other = await createProject();
  try {
    for (const project of [made.project, other]) await prepare(project);
    const tape = join(made.project.home, "tape.jsonl");
    const recorded = await callRetinue(made.project, ["run", "--record", tape, "have it built"]);
    expect(recorded).toMatchObject({ code: 0, stdout: "All is built.\n" });
    expect(made.server.requests.some(({ text }) => text.includes(join(made.project.home, "worktrees")))).toBe(true);
    await writeFile(join(other.home, "retinue.yaml"), mockSettings(made.server.baseUrl));
    const replayed = await callRetinue(other, ["run", "--replay", tape, "have it built"]);
    expect(replayed).toMatchObject({ code: 0, stdout: "All is built.\n" });
  } finally {
    await made.remove();
    await other.remove();
  }
});
