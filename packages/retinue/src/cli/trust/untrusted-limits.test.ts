import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Limits } from "@retinue/protocol";
import { afterAll, expect, test } from "vitest";
import { createRetinue } from "../../create-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject, toEnvironment } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const limitsOf = async ({ workspace, home }: Project, agent: string, limits: Limits = {}): Promise<Limits> => {
  const retinue = await createRetinue({ workspace, env: toEnvironment(home), model: "offline/rules" });
  const run = await retinue.run("hi", { agent, limits });
  await run.result;
  const [requested] = await retinue.events(run.sessionId);
  await retinue.close();
  return requested?.type === "run.requested" ? requested.spec.limits : {};
};

test("L10 limits of a project that is not trusted do not raise those of a built-in agent's file where the user has none", async () => {
  const made = await createProject();
  cleanups.push(made.remove);
  const usual = await limitsOf(made, "researcher");
  expect(Object.keys(usual).length).toBeGreaterThan(0);
  const raised = Object.keys(usual).map((name) => `  ${name}: 2000000000\n`);
  await writeFile(join(made.workspace, "retinue.yaml"), `limits:\n${raised.join("")}`);
  expect(await limitsOf(made, "researcher")).toEqual(usual);
});

test("L10 a smaller limit of a project that is not trusted narrows the agent's file, and gives way to a person's word", async () => {
  const made = await createProject();
  cleanups.push(made.remove);
  const usual = await limitsOf(made, "researcher");
  await writeFile(join(made.workspace, "retinue.yaml"), "limits:\n  iterations: 1\n  costUsd: 0.5\n");
  expect(await limitsOf(made, "researcher")).toEqual({ ...usual, iterations: 1, costUsd: 0.5 });
  expect(await limitsOf(made, "researcher", { iterations: 7 })).toEqual({ ...usual, iterations: 7, costUsd: 0.5 });
});
