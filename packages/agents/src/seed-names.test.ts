/** The names and files of the designs, as they stand there. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findAgentNamed } from "@retinue/runtime";
import { afterAll, describe, expect, test } from "vitest";
import { readBuiltinAgents } from "./builtin-agents.ts";
import { loadAgents } from "./load-agents.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const load = async (files: Readonly<Record<string, string>>) => {
  const projectDir = await mkdtemp(path.join(tmpdir(), "retinue-names-"));
  folders.push(projectDir);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(projectDir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return loadAgents({ projectDir, userDir: path.join(projectDir, "no-home") });
};

describe("an agent is found by every name that the designs have for it", () => {
  for (const [raw, name] of [
    ["general_assistant", "general-assistant"],
    ["project_manager", "project-manager"],
    ["summarize_document", "summarize-document"],
    ["CodeSearch", "code-search"],
    ["CodeReview", "code-review"],
    ["Planner", "planner"],
    ["subagents/tester", "tester"],
    ["coder", "executor"],
    ["Coder", "executor"],
    ["RESEARCHER", "researcher"],
  ] as const)
    test(`${raw} is ${name}`, async () => {
      expect(findAgentNamed(raw, (await readBuiltinAgents()).values())?.name).toBe(name);
    });

  test("and by no path", async () => {
    const agents = (await readBuiltinAgents()).values();
    for (const raw of ["../tester", "../../tester", "/tester", "a/b/tester", "", "..", 7, null])
      expect(findAgentNamed(raw, agents)).toBeUndefined();
  });

  test("also where a file names itself and whom it may start", async () => {
    const { agents, problems } = await load({
      ".retinue/agents/lead.md":
        "---\nname: Team_Lead\ndescription: Leads.\ndelegates: [general_assistant, CodeSearch, subagents/tester, '!Planner']\n---\nLead.\n",
    });
    expect(agents.get("team-lead")?.delegates).toEqual(["general-assistant", "code-search", "tester"]);
    expect(problems.filter(({ severity }) => severity !== "notice")).toEqual([]);
  });
});

describe("the skills of S4 load as they stand in the design", () => {
  const SKILLS = {
    "skills/research_coordinator.yaml":
      "name: research_coordinator\ntools: [delegate_to_agent, search_documents]\nsub_agents: [general_assistant, summarize_document]\n",
    "skills/code_reviewer.yaml": "name: code_reviewer\ntools: [delegate_to_agent, read_file]\nsub_agents: [code_assistant]\n",
    "skills/data_analyst.yaml": "name: data_analyst\ntools: [delegate_to_agent, query_db]\nsub_agents: [general_assistant]\n",
  };

  test("with a prompt of ours and a warning, and are answered for in the form of S4", async () => {
    const { agents, problems } = await load(SKILLS);
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(problems.filter(({ severity, message }) => severity === "warning" && message.includes("system_prompt"))).toHaveLength(
      3,
    );
    expect(agents.get("research-coordinator")).toMatchObject({
      tools: ["search_documents"],
      delegates: ["general-assistant", "summarize-document"],
      reportAs: "skill",
    });
    expect(agents.get("code-reviewer")).toMatchObject({ tools: ["read"] });
    expect(agents.get("data-analyst")?.prompt).toContain("query_db");
  });

  for (const prompt of ["...", "…", "prompts/project_manager.md"])
    test(`and so does one whose prompt is ${prompt}`, async () => {
      const { agents, problems } = await load({
        "skills/project_manager.yaml": `name: project_manager\nsystem_prompt: ${prompt}\ntools: [delegate_to_agent]\nsub_agents: [general_assistant, summarize_document]\ntemperature: 0.3\n`,
      });
      expect(agents.get("project-manager")).toMatchObject({
        delegates: ["general-assistant", "summarize-document"],
        temperature: 0.3,
      });
      expect(problems.some(({ severity, line }) => severity === "warning" && line === 2)).toBe(true);
    });
});
