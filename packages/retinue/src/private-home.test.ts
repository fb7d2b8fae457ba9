/** The user's own folder (settings, trust, kept rules, records) is closed to agents by where it lies, also inside the workspace and under any name. */
import { execFileSync } from "node:child_process";
import { probeSandbox } from "@retinue/confine";
import { createScriptedModel } from "@retinue/model/testing";
import type { ApproveMode, JsonObject, RecordedEvent } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createMemoryLog } from "@retinue/store";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const CANARY = "canary-of-the-record";
const isSandboxed = (await probeSandbox()).backend === "bwrap";

const WHO = ["-c", "user.name=a", "-c", "user.email=a@example.com"];

const callIn = async (tool: string, input: JsonObject, approve: ApproveMode = "all") => {
  const project = await createProject();
  const { workspace } = project;
  const home = path.join(workspace, "state");
  await mkdir(home);
  for (const name of ["notes.txt", "retinue.yaml"]) await writeFile(path.join(home, name), `# ${CANARY}\n`);
  await writeFile(path.join(workspace, "open.txt"), "open words\n");
  await symlink("state", path.join(workspace, "other"));
  for (const args of [
    ["init", "-q"],
    ["add", "--all"],
    [...WHO, "commit", "-qm", "all of it"],
  ])
    execFileSync("git", args, { cwd: workspace, stdio: "ignore" });
  const retinue = await createRetinue({
    workspace,
    env: { RETINUE_HOME: home },
    settings: { ...DEFAULT_SETTINGS, approve, unprotected: ["state/**", "**"] },
    store: createMemoryLog(),
    agents: [
      {
        ...agentFrontMatterSchema.parse({ name: "lead", description: "Leads.", tools: ["*"] }),
        delegates: [],
        prompt: "You are lead.",
      },
    ],
    model: createScriptedModel((_, turn) => (turn > 0 ? { text: "Done." } : { toolCalls: [{ tool, input }] })),
  });
  cleanups.push(project.remove, retinue.close);
  const run = await retinue.run("go", { agent: "lead" });
  await run.result;
  const events = await retinue.events(run.sessionId);
  const settled = events.find(
    (event): event is Extract<RecordedEvent, { type: "tool.settled" }> => event.type === "tool.settled",
  );
  return {
    said: JSON.stringify(settled?.content),
    outcome: settled?.outcome,
    kept: await readFile(path.join(home, "notes.txt"), "utf8"),
  };
};

describe("N24: RETINUE_HOME inside the workspace", () => {
  test.each([
    ["read", { path: "state/notes.txt" }],
    ["read", { path: "other/notes.txt" }],
    ["grep", { pattern: "canary", path: "state/notes.txt" }],
    ["ls", { path: "state" }],
    ["write", { path: "state/notes.txt", content: "mine" }],
    ["write", { path: "other/trust.json", content: "{}" }],
    ["edit", { path: "state/notes.txt", edits: [{ old: "canary", new: "mine" }] }],
  ] as const)("N24: %s %j is refused", async (tool, input) => {
    const { said, outcome, kept } = await callIn(tool, input);
    expect(outcome).toBe("denied");
    expect(said).not.toContain(CANARY);
    expect(kept).toBe(`# ${CANARY}\n`);
  });

  test.each([
    [["grep", "canary|open words", "-E"]],
    [["grep", "--untracked", "-E", "canary|open words"]],
    [["grep", "-E", "-h", "canary|open words", "HEAD"]],
    [["show", "HEAD"]],
    [["log", "-p"]],
  ])("N24: git %j shows the rest of the repository and nothing of it", async (args) => {
    const { said, outcome } = await callIn("git", { args });
    expect(outcome).toBe("ok");
    expect(said).toContain("open words");
    expect(said).not.toContain(CANARY);
  });

  test.each([[["show", "HEAD:state/notes.txt"]], [["log", "-L1,1:state/notes.txt"]], [["blame", "state/notes.txt"]]])(
    "N24: git %j is refused",
    async (args) => {
      expect(await callIn("git", { args })).toMatchObject({ outcome: "denied" });
    },
  );

  test("N24: a search of the whole workspace finds nothing in it", async () => {
    const { said, outcome } = await callIn("grep", { pattern: "canary|open words" });
    expect(outcome).toBe("ok");
    expect(said).toContain("open words");
    expect(said).not.toContain(CANARY);
  });

  test.each([
    "cat open.txt state/notes.txt other/notes.txt; echo mine > state/notes.txt; true",
    "cat open.txt; touch x; cat state/retinue.yaml; ls -aR state",
  ])(`N24: %s sees nothing of it (${isSandboxed ? "in the sandbox" : "no sandbox here: refused"})`, async (command) => {
    const { said, kept } = await callIn("shell", { command }, isSandboxed ? "all" : "ask");
    if (isSandboxed) expect(said).toContain("open words");
    expect(said).not.toContain(CANARY);
    expect(kept).toBe(`# ${CANARY}\n`);
  });
});
