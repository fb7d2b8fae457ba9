/** What a first request costs, counted on the bytes that reach the model's server, four to a token. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import { call, createMockProject } from "./cli/testing/mock-project.ts";
import type { Project } from "./cli/testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Replies = Parameters<typeof createMockProject>[0];

const openProject = async (replies: Replies = [{ text: "Hello." }]) => {
  const mock = await createMockProject(replies);
  cleanups.push(mock.remove);
  return mock;
};

/** Wherever temporary folders lie: how long the name of the project's folder is, is nothing that a prompt can save. */
const tokensOf = (body: unknown, { workspace }: Project): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(body).replaceAll(workspace, "/tmp/some-project")) / 4);

const writeAgents = async (workspace: string, count: number): Promise<void> => {
  const folder = join(workspace, ".claude", "agents");
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < count; at += 1)
    await writeFile(
      join(folder, `specialist-${at}.md`),
      `---\nname: specialist-${at}\ndescription: Use this agent for questions about subsystem ${at}. ${"It knows much about it. ".repeat(12)}\n---\nYou know subsystem ${at}.\n`,
    );
};

describe("a hello", () => {
  test("with the agents that come with Retinue costs at most 2,990 tokens, below the 3,000 that are promised", async () => {
    const { project, server } = await openProject();
    expect(await callRetinue(project, ["run", "-q", "hello"])).toMatchObject({ code: 0 });
    expect(tokensOf(server.requests[0]?.body, project)).toBeLessThanOrEqual(2_990);
  });

  test("in a project with 400 agents costs at most 8,000 tokens, and every one of them is found and started", async () => {
    const { project, server } = await openProject([
      { toolCalls: [call("find_agent", { query: "subsystem 373" })] },
      { toolCalls: [call("delegate_to_agent", { agent: "specialist-373", task: "What is it?" })] },
      { text: "RESULT of 373" },
      { text: "Done." },
    ]);
    await writeAgents(project.workspace, 400);
    expect(await callRetinue(project, ["run", "-q", "hello"])).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(tokensOf(server.requests[0]?.body, project)).toBeLessThanOrEqual(8_000);
    expect(JSON.stringify(server.requests[1]?.body)).toContain(
      "- specialist-373: Use this agent for questions about subsystem 373.",
    );
    expect(JSON.stringify(server.requests[2]?.body)).toContain("You know subsystem 373.");
  });

  test("tells the description of each agent once, and no tool that nobody configured", async () => {
    const { project, server } = await openProject();
    await writeAgents(project.workspace, 3);
    await callRetinue(project, ["run", "-q", "hello"]);
    const body = JSON.stringify(server.requests[0]?.body);
    for (const said of ["questions about subsystem 1.", "Investigating failing tests", "Finds files and code"])
      expect(body.split(said)).toHaveLength(2);
    for (const tool of ["web_search", "query_db", "search_documents"]) expect(body).not.toContain(tool);
  });
});
