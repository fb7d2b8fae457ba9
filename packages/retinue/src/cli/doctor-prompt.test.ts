/** What the doctor says of instructions and of the first request, beside what really reaches the model's server. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { DoctorReport } from "./doctor-report.ts";
import type { FirstRequest } from "./first-request.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { createMockProject } from "./testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const openProject = async () => {
  const mock = await createMockProject([{ text: "Hello." }]);
  cleanups.push(mock.remove);
  return mock;
};

const measure = async (project: Parameters<typeof callRetinue>[0]): Promise<FirstRequest> => {
  const ended = await callRetinue(project, ["doctor", "--prompt", "--json"]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(ended.stdout) as FirstRequest;
};

test("retinue doctor --prompt tells the tokens of the first request by part and tool, asks no model and records nothing", async () => {
  const { project, server } = await openProject();
  const ended = await callRetinue(project, ["doctor", "--prompt"]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(/^The first request with "hello" is about \d+ tokens/);
  for (const part of ["system prompt", "instructions", "agents", "messages", "tools \\(\\d+\\)", "  read", "  delegate_to_agent"])
    expect(ended.stdout).toMatch(new RegExp(`^${part} +\\d+$`, "m"));
  expect(server.requests).toHaveLength(0);
  const { stdout } = await callRetinue(project, ["sessions", "list", "--all", "--json"]);
  expect(stdout).not.toContain("hello");
});

test("the total is that of the request that a run sends", async () => {
  const { project, server } = await openProject();
  const { total, tools } = await measure(project);
  await callRetinue(project, ["run", "-q", "hello"]);
  const body = server.requests[0]?.body as { tools: { function: { name: string } }[] };
  const sent = Buffer.byteLength(JSON.stringify(body)) / 4;
  // A provider's form wraps every tool in some more words.
  expect(total / sent).toBeGreaterThan(0.8);
  expect(total / sent).toBeLessThan(1.1);
  expect(tools.map(({ name }) => name).toSorted()).toEqual(body.tools.map((tool) => tool.function.name).toSorted());
});

test("instructions and agents of a project are counted where they belong", async () => {
  const { project } = await openProject();
  const before = await measure(project);
  expect(before.instructions).toBe(0);
  await writeFile(join(project.workspace, "AGENTS.md"), "Use tabs. ".repeat(200));
  await mkdir(join(project.workspace, ".claude/agents"), { recursive: true });
  await writeFile(
    join(project.workspace, ".claude/agents/a.md"),
    `---\nname: a\ndescription: ${"Knows the cart. ".repeat(10)}\n---\nP.\n`,
  );
  const after = await measure(project);
  expect(after.instructions).toBeGreaterThanOrEqual(500);
  expect(after.agents).toBeGreaterThan(before.agents);
  expect(Math.abs(after.prompt - before.prompt)).toBeLessThan(10);
  const parts = after.prompt + after.instructions + after.agents + after.messages;
  expect(after.total).toBe(parts + after.tools.reduce((sum, { tokens }) => sum + tokens, 0));
});

test("retinue doctor lists the files of instructions and what is wrong with them", async () => {
  const { project } = await openProject();
  await writeFile(join(project.workspace, "AGENTS.md"), "Use tabs. See @docs/missing.md");
  const ended = await callRetinue(project, ["doctor"]);
  expect(ended.stdout).toMatch(/^Instructions 1\n {2}\/.*AGENTS\.md \(project, about 8 tokens\)\n {2}warning: .*missing\.md/m);
  const { instructions } = JSON.parse((await callRetinue(project, ["doctor", "--json"])).stdout) as DoctorReport;
  expect(instructions.files).toMatchObject([{ origin: "project", tokens: 8 }]);
});
