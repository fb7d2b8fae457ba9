/** S4, skill delegation: the tool and its answers, depth, session isolation, settings, and the skills. */
import { expect } from "vitest";
import { currentDepth, defineTool } from "../../index.ts";
import { z } from "zod";
import { playTask } from "./seed-bench.ts";
import type { Seed, SeedItem } from "./seed-item.ts";

const item = (line: number, words: string, asserts: string, check: SeedItem["check"], decided?: string): SeedItem => ({
  line,
  words,
  asserts,
  check,
  ...(decided === undefined ? {} : { decided }),
});

const bySkill = (skill: string, more: object = {}) => ({
  name: "delegate_to_agent",
  input: { skill_name: skill, task: "Look at it.", ...more },
});

const answered = (line: number, words: string, expected: object): SeedItem =>
  item(line, words, "whoever delegates by skill_name reads it", async ({ play }) =>
    expect((await play([bySkill("general-assistant")])).answers[0]).toMatchObject(expected),
  );

const skill = (line: number, name: string, text: string, tools: readonly string[]): SeedItem =>
  item(
    line,
    `name: ${name}`,
    "the skill loads as it stands, with its tools and its sub-agents that there are",
    async ({ project }) => {
      const at = await project({ [`skills/${name}.yaml`]: text });
      expect(at.agents.get(name.replaceAll("_", "-"))).toMatchObject({ tools, reportAs: "skill" });
    },
  );

const depths: number[] = [];
const tellDepth = defineTool({
  name: "tell_depth",
  description: "Tells how deep it is called.",
  input: z.object({}),
  effect: "read",
  execute: async () => {
    await Promise.resolve();
    depths.push(currentDepth());
    return String(currentDepth());
  },
});
const TELL = { name: "tell_depth", input: {} };

export const S4: Seed = {
  id: "S4",
  items: [
    item(
      16,
      "skill_name: str",
      "a call that says skill_name is understood",
      async ({ play }) => expect((await play([bySkill("general_assistant")])).answers[0]).toMatchObject({ status: "ok" }),
      "{agent (alias role, skill_name), task",
    ),
    item(17, "task: str", "task is required", async ({ agent }) =>
      expect(
        (await agent("main")).body.tools?.find(({ function: { name } }) => name === "delegate_to_agent")?.function.parameters
          .required,
      ).toContain("task"),
    ),
    item(18, "context: str | None = None", "context reaches the sub-agent and may be left out", async ({ play }) => {
      const { events } = await play([bySkill("general-assistant", { context: "For people who know SQL" })]);
      const below = events.find((event) => event.type === "run.requested" && event.depth === 1);
      expect(JSON.stringify(below?.type === "run.requested" && below.task)).toContain("For people who know SQL");
    }),
    answered(25, '"status": "ok"', { status: "ok" }),
    answered(26, '"skill": "skill_name"', { skill: expect.stringMatching(/^general[-_]assistant$/) }),
    answered(27, '"result": "agent response"', { result: expect.stringContaining("It is done.") }),
    answered(28, '"depth": 1', { depth: 1 }),
    item(32, '"error": "error message"', "an unknown skill is answered with error", async ({ play }) =>
      expect((await play([bySkill("write_poem")])).answers[0]).toMatchObject({ error: expect.stringContaining("agent_unknown") }),
    ),
    item(
      33,
      '"current_depth": N',
      "an unknown skill is answered with the depth",
      async ({ play }) => {
        const [answer] = (await play([bySkill("write_poem")])).answers as readonly Record<string, unknown>[];
        expect(answer?.["current_depth"] ?? answer?.["currentDepth"]).toBe(0);
      },
      "Errors come back as values with `error` and `currentDepth`",
    ),
    item(41, "Enforces max depth limits", "a delegation below the deepest run is answered with an error", async ({ retinue }) => {
      const at = await retinue({}, { RETINUE_AGENT__MAX_DEPTH: "1" });
      const run = await at.run(playTask([bySkill("executor", { task: playTask([bySkill("tester")]) })]));
      await run.result;
      const events = await at.events(run.sessionId);
      expect(Math.max(...events.map(({ depth }) => depth))).toBe(1);
      const refused = events.find((event) => event.type === "tool.settled" && event.depth === 1);
      expect(refused).toMatchObject({ outcome: expect.stringMatching(/^(?:error|denied)$/) as string });
      expect(JSON.stringify(refused)).toMatch(/depth/);
    }),
    item(
      42,
      "Creates isolated session for delegated task",
      "a sub-agent's request holds nothing of its parent's conversation",
      async ({ play, agent }) => {
        await play([{ name: "ls", input: { path: "." } }, bySkill("debugger")]);
        const { body } = await agent("debugger");
        expect(body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
      },
    ),
    item(
      51,
      "get_current_orchestration_depth()",
      "currentDepth tells a tool the depth of its run, over awaits",
      async ({ play }) => {
        depths.length = 0;
        await play(
          [TELL, { name: "delegate_to_agent", input: { agent: "deep", task: playTask([TELL]) } }, TELL],
          {},
          {
            tools: [tellDepth],
            agents: [
              {
                name: "deep",
                description: "Goes down.",
                systemPrompt: "You go down.",
                allowedTools: ["tell_depth"],
                maxIterations: 5,
                inputSchema: { type: "object" },
              },
            ],
          },
        );
        expect(depths).toEqual([0, 1, 0]);
      },
      "Depth travels by async context (`AsyncLocalStorage`)",
    ),
    item(229, "Default depth is zero", "outside of runs it is 0", () => expect(currentDepth()).toBe(0)),
    item(115, "max_orchestration_depth: 3", "config/settings.yaml sets the depth", async ({ settings }) =>
      expect(
        (await settings({}, { "config/settings.yaml": "agent:\n  max_orchestration_depth: 2\n" })).settings.agent.maxDepth,
      ).toBe(2),
    ),
    item(115, "# Default", "3 where nothing is set", async ({ settings }) =>
      expect((await settings({})).settings.agent.maxDepth).toBe(3),
    ),
    item(120, "AGENTGW_AGENT__MAX_ORCHESTRATION_DEPTH=5", "the variable sets the depth", async ({ settings }) =>
      expect((await settings({ AGENTGW_AGENT__MAX_ORCHESTRATION_DEPTH: "5" })).settings.agent.maxDepth).toBe(5),
    ),
    item(
      127,
      "skills/project_manager.yaml",
      "project-manager is built in, and a file of that name takes its place once it is trusted",
      async ({ project }) => {
        const at = await project({
          "skills/project_manager.yaml":
            "name: project_manager\nsystem_prompt: Ours.\ntools: [delegate_to_agent]\nsub_agents: [general_assistant]\n",
        });
        expect(at.agents.get("project-manager")).toMatchObject({ prompt: "Ours.", delegates: ["general-assistant"] });
      },
    ),
    item(
      129,
      "Delegates to general_assistant and summarize_document",
      "project-manager may start just these",
      async ({ agent }) =>
        expect((await agent("project-manager")).spec.delegates).toEqual(["general-assistant", "summarize-document"]),
    ),
    item(131, "Low temperature (0.3)", "its request has it", async ({ agent }) =>
      expect((await agent("project-manager")).body.temperature).toBe(0.3),
    ),
    item(
      140,
      "Error handling for max depth and missing skills",
      "errors never throw into the parent, which goes on",
      async ({ play }) => expect((await play([bySkill("write_poem")])).result.status).toBe("completed"),
    ),
    item(219, "Delegated agent has clean conversation history", "its request is its prompt and its task", async ({ agent }) =>
      expect((await agent("general-assistant")).body.messages.map(({ role }) => role)).toEqual(["system", "user"]),
    ),
    skill(
      257,
      "research_coordinator",
      "name: research_coordinator\ntools: [delegate_to_agent, search_documents]\nsub_agents: [general_assistant, summarize_document]\n",
      ["search_documents"],
    ),
    skill(271, "code_reviewer", "name: code_reviewer\ntools: [delegate_to_agent, read_file]\nsub_agents: [code_assistant]\n", [
      "read",
    ]),
    skill(285, "data_analyst", "name: data_analyst\ntools: [delegate_to_agent, query_db]\nsub_agents: [general_assistant]\n", [
      "query_db",
    ]),
    item(
      382,
      "Streaming delegation (show sub-agent progress)",
      "the events of a run hold its sub-agents' as they happen",
      async ({ retinue }) => {
        const at = await retinue();
        const run = await at.run(playTask([bySkill("debugger")]));
        const told: string[] = [];
        for await (const { type } of run.subAgentEvents()) told.push(type);
        expect([told[0], told.at(-1)]).toEqual(["sub_agent_start", "sub_agent_end"]);
      },
    ),
    item(383, "Parallel delegation", "delegations of one turn may overlap", async ({ settings }) =>
      expect((await settings({})).settings.agent.maxConcurrent).toBe(3),
    ),
    item(384, "optional context inheritance", "context_mode full gives the conversation", async ({ agent }) =>
      expect(
        (await agent("main")).body.tools?.find(({ function: { name } }) => name === "delegate_to_agent")?.function.parameters
          .properties?.["context_mode"]?.enum,
      ).toEqual(["none", "summary", "selective", "full"]),
    ),
    item(385, "Delegation history tracking", "the tree of a session shows the chain", async ({ play, retinue }) => {
      const { rows } = await play([bySkill("executor", { task: playTask([bySkill("tester")]) })]);
      const [tree] = await (await retinue()).sessions.tree(rows[0]?.session_id as `ses_${string}`);
      expect(tree).toMatchObject({ agent: "main", children: [{ agent: "executor", children: [{ agent: "tester" }] }] });
    }),
    item(387, "Cost tracking per delegation level", "figures are told by depth", async ({ play, retinue }) => {
      await play([bySkill("debugger")]);
      expect((await (await retinue()).sessions.stats({ by: "depth" })).map(({ key }) => key)).toEqual(
        expect.arrayContaining(["0", "1"]),
      );
    }),
    item(388, "Timeout controls for delegations", "a delegation takes a limit of time, which its row has", async ({ play }) => {
      const { rows } = await play([bySkill("debugger", { limits: { durationMs: 60_000 } })]);
      expect(rows.find(({ agent_role: role }) => role === "debugger")?.max_duration_ms).toBe(60_000);
    }),
    item(408, "Already documented `sub_agents` field", "skills/_schema.yaml is no skill", async ({ project }) => {
      const at = await project({ "skills/_schema.yaml": "name: schema\nsystem_prompt: x\nsub_agents: []\n" });
      expect(at.agents.has("schema")).toBe(false);
    }),
  ],
};
