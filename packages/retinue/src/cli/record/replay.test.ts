import { createScriptedModel } from "@retinue/model/testing";
import { defineTool } from "@retinue/runtime";
import { rm } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { createRetinue } from "../../create-retinue.ts";
import { DEFAULT_SETTINGS } from "../../settings/settings.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject, toEnvironment } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Records a session with a tool that the command does not have. */
const recordElsewhere = async (): Promise<Project> => {
  const project = await createProject();
  cleanups.push(project.remove);
  const own = defineTool({
    name: "own",
    description: "Mine.",
    input: z.object({}),
    effect: "read",
    execute: () => "own output",
  });
  const retinue = await createRetinue({
    workspace: project.workspace,
    settings: DEFAULT_SETTINGS,
    env: toEnvironment(project.home),
    model: createScriptedModel([{ text: "Let me.", toolCalls: [{ tool: "own" }] }, { text: "Done." }]),
    tools: [own],
  });
  expect(await (await retinue.run("use it")).result).toMatchObject({ status: "completed" });
  await retinue.close();
  return project;
};

test("--verify says at which event and in what the loop would differ, with exit code 1", async () => {
  const project = await recordElsewhere();
  const ended = await callRetinue(project, ["replay", "latest", "--verify"]);
  expect(ended.code).toBe(1);
  expect(ended.stdout).toMatch(
    /^ses_\w+: 2 events verified; differs at event #3 of run_\w+ \(main\): The request of step 1 differs in the declarations of the tools \(a name, a description or a schema\): /,
  );
  const asData = await callRetinue(project, ["replay", "latest", "--verify", "--json"]);
  expect(asData.code).toBe(1);
  expect(JSON.parse(asData.stdout)).toMatchObject({ verified: 2, divergence: { seq: 3 } });
});

test("a replay needs neither the model nor the tools of the session, nor its folder; going on does", async () => {
  const project = await recordElsewhere();
  const elsewhere = await createProject();
  cleanups.push(elsewhere.remove);
  await rm(project.workspace, { recursive: true });
  const listed = await callRetinue(project, ["sessions", "list", "--all", "--json", "-C", elsewhere.workspace]);
  const { sessions } = JSON.parse(listed.stdout) as { sessions: { sessionId: string }[] };
  const name = sessions[0]?.sessionId ?? "";
  const replayed = await callRetinue(project, ["replay", name, "--speed", "0", "-C", elsewhere.workspace]);
  expect(replayed).toMatchObject({ code: 0, stdout: "Let me.\nDone.\n" });
  const further = await callRetinue(project, ["run", "--session", name, "more", "-C", elsewhere.workspace]);
  expect(further).toMatchObject({ code: 2, stdout: "" });
  expect(further.stderr).toMatch(/^retinue: The folder \S+ of ses_\w+ is gone\. \[usage\]\n {2}hint: Put it back/);
});

test("a replay that waits is ended by an interrupt", async () => {
  const project = await recordElsewhere();
  const running = project.start(["replay", "latest", "--speed", "0.000001"]);
  await running.said("stderr", "main: starts with scripted/model");
  running.child.kill("SIGINT");
  expect(await running.ended).toMatchObject({ code: 130, signal: null, stdout: "" });
});
