import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createNotes } from "../problem.ts";
import { FIXTURES } from "../testing/agent-folders.ts";
import { readSafely } from "./dialect.ts";
import { isSkillYaml, readSkillYamlAgent } from "./skill-yaml-agent.ts";

const read = (text: string) => {
  const { note, problems } = createNotes("a.yaml");
  const outcome = readSafely({ fallbackName: "from-file", note, modelNames: new Set() }, (context) =>
    readSkillYamlAgent(text, context),
  );
  return {
    type: outcome.type,
    definition: outcome.type === "agent" ? outcome.draft.definition : undefined,
    notes: problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`),
  };
};

describe("a skill as YAML", () => {
  test("the project manager of the fifth design is read: it delegates to two, holds no tools and has a low temperature", async () => {
    const { definition, notes } = read(await readFile(path.join(FIXTURES, "skill-yaml/skills/project_manager.yaml"), "utf8"));
    expect(definition).toEqual({
      name: "project-manager",
      description: "Coordinates complex multi-step projects by delegating to specialized skills.",
      aliases: [],
      fallbacks: [],
      temperature: 0.3,
      tools: [],
      deniedTools: [],
      delegates: ["general-assistant", "summarize-document"],
      grant: "session",
      limits: { iterations: 10 },
      reportAs: "skill",
      contextMode: "none",
      expose: "delegate",
      skills: [],
      mcpServers: [],
      isolation: "none",
      prompt: expect.stringMatching(
        /^You are a project manager\..*## Examples\n\nUser: Help me understand REST APIs\nYou: I will delegate/s,
      ) as string,
    });
    expect(notes).toEqual([
      `2 notice: the name "project_manager" is "project-manager" here`,
      `22 notice: "tags" has no effect here: skills are not filtered by tags`,
      `1 notice: it has no "max_iterations", so that it goes round 10 times at most`,
    ]);
  });

  test("has no tools where it lists none", () => {
    expect(read("name: a\ndescription: d\nsystem_prompt: p\n").definition?.tools).toEqual([]);
  });

  test("has our names for its tools, and keeps those that nobody knows", () => {
    const { definition } = read(
      "name: a\ndescription: d\nsystem_prompt: p\ntools: [read_file, execute_command, query_db, weather]\nmax_iterations: 3\n",
    );
    expect(definition).toMatchObject({ tools: ["read", "shell", "query_db", "weather"], limits: { iterations: 3 } });
  });

  test("starts nobody where only one of tool and list says so", () => {
    const listOnly = read("name: a\ndescription: d\nsystem_prompt: p\nsub_agents: [b]\n");
    expect(listOnly.definition?.delegates).toEqual([]);
    expect(listOnly.notes).toContain(`4 warning: "sub_agents" has no effect, since "tools" does not list "delegate_to_agent"`);
    const toolOnly = read("name: a\ndescription: d\nsystem_prompt: p\ntools: [delegate_to_agent]\n");
    expect(toolOnly.definition?.delegates).toEqual([]);
    expect(toolOnly.notes).toContain(`4 warning: "delegate_to_agent" has no effect, since "sub_agents" lists nobody`);
  });

  test.each([
    ["has a prompt that is no text", "name: a\ndescription: d\nsystem_prompt: [x]\n"],
    ["is no YAML", "name: a\n  system_prompt: [\n"],
    ["is a list", "- system_prompt: x\n"],
    ["has tools that are no list", "name: a\nsystem_prompt: p\ntools: {a: 1}\n"],
    ["goes round no number of times", "name: a\nsystem_prompt: p\nmax_iterations: often\n"],
    ["has a path for a name", "name: ../a\nsystem_prompt: p\n"],
  ])("that %s is not loaded", (_, text) => {
    expect(read(text).type).toBe("broken");
  });

  test("is told from other YAML by its fields", () => {
    expect(isSkillYaml("system_prompt: x")).toBe(true);
    expect(isSkillYaml("name: a\r\nsub_agents:\r\n- b")).toBe(true);
    expect(isSkillYaml("services:\n  web:\n    system_prompt: x\n")).toBe(false);
  });
});
