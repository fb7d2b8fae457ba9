/** The tools that each built-in agent really gets below each agent that may start it, read from the requests to the model. */
import { applyPreset, readBuiltinAgents } from "@retinue/agents";
import type { ModelRequest } from "@retinue/model";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { createMemoryLog } from "@retinue/store";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import type { Project } from "./cli/testing/spawn-retinue.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";

/** `search` of the first design is `grep` here; the planner's `glob` and `ls` are the third design's. */
const SEED_TOOLS: Readonly<Record<string, readonly string[]>> = {
  // S1 _get_role_config: read, ls, search, code_search, grep, web_search, web_fetch, overview, docs_coverage
  researcher: ["read", "ls", "grep", "code_search", "web_search", "web_fetch", "overview", "docs_coverage"],
  // S1 _get_role_config: read, ls, search, plan_files, overview. S3 Planner: Read, Glob, Grep, LS
  planner: ["read", "ls", "glob", "grep", "plan_files", "overview"],
  // S1 _get_role_config: read, write, edit, ls, search, shell, test, git, git_commit
  executor: ["read", "write", "edit", "ls", "grep", "shell", "test", "git", "git_commit"],
  // S1 _get_role_config: read, search, test, git_diff, shell
  reviewer: ["read", "grep", "test", "git_diff", "shell"],
  // S1 _get_role_config: read, write, test, shell
  tester: ["read", "write", "test", "shell"],
  // S3 CodeSearch: Read, Glob, Grep, LS
  "code-search": ["read", "glob", "grep", "ls"],
  // S3 CodeReview: Read, Glob, Grep
  "code-review": ["read", "glob", "grep"],
  // S4 project_manager: delegate_to_agent alone. S0: the orchestrator has no tools.
  "project-manager": [],
  "qa-orchestrator": [],
};

const SETTINGS = `
web: { search: { engine: searxng, baseUrl: "http://127.0.0.1:9" } }
databases: { shop: shop.db }
browser: { enabled: true }
desktop: { enabled: true }
`;

/** Tools by which runs start, steer and ask each other come with the right to start agents, not from a grant. */
const STEERING = ["delegate_to_agent", "find_agent", "stop_agent", "send_to_agent", "plan_for_goal", "execute_plan"];

type Way = readonly string[];

/** Every way down from an agent, three steps at most. */
const waysFrom = (agents: ReadonlyMap<string, AgentDefinition>, way: Way): readonly Way[] => [
  way,
  ...(way.length > 3 ? [] : (agents.get(way.at(-1) ?? "")?.delegates ?? []).flatMap((name) => waysFrom(agents, [...way, name]))),
];

const waysOf = (agents: ReadonlyMap<string, AgentDefinition>): readonly Way[] => {
  const started = new Set([...agents.values()].flatMap(({ delegates }) => delegates));
  return [...agents.keys()].filter((name) => !started.has(name)).flatMap((name) => waysFrom(agents, [name]));
};

/** Each run starts the next of its way, and hands the rest of the way on. */
const followWay = ({ messages }: ModelRequest, turn: number): ScriptedTurn => {
  const [next, ...rest] = (/<way>(.*?)<\/way>/.exec(JSON.stringify(messages))?.[1] ?? "").split(" ").filter(Boolean);
  if (turn > 0 || next === undefined) return { text: "Done." };
  return { toolCalls: [{ tool: "delegate_to_agent", input: { agent: next, task: `Go on. <way>${rest.join(" ")}</way>` } }] };
};

const openSession = async (project: Project) => {
  const model = createScriptedModel(followWay);
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home, HOME: project.home },
    store: createMemoryLog(),
    model,
  });
  return {
    close: retinue.close,
    /** The tools of the last run of the way, as its first request declares them. */
    toolsAlong: async ([first = "main", ...way]: Way): Promise<readonly string[]> => {
      const before = model.requests.length;
      const { status } = await (await retinue.run(`Go on. <way>${way.join(" ")}</way>`, { agent: first })).result;
      expect(status).toBe("completed");
      const declared = model.requests[before + way.length]?.tools.map(({ name }) => name) ?? [];
      return declared.filter((name) => !STEERING.includes(name) && !retinue.agents.has(name));
    },
  };
};

type Shown = { readonly effective: { readonly tools: readonly string[]; readonly missingBelow: object } };

const show = async (project: Project, agent: string): Promise<Shown["effective"]> =>
  (JSON.parse((await callRetinue(project, ["agents", "show", agent, "--json"])).stdout) as Shown).effective;

const builtins = await readBuiltinAgents();

describe.each([
  ["without a preset", "", builtins],
  ["with the preset s1", "agent: { presets: [s1] }\n", applyPreset(builtins, "s1")],
] as const)("%s a built-in agent", (_preset, more, agents) => {
  let project: Project;
  let session: Awaited<ReturnType<typeof openSession>>;
  beforeAll(async () => {
    project = await createProject();
    await writeFile(path.join(project.home, "retinue.yaml"), `${SETTINGS}${more}`);
    const note = path.join(project.workspace, "note.md");
    await writeFile(note, "A note.\n");
    expect(await callRetinue(project, ["documents", "add", note])).toMatchObject({ code: 0 });
    session = await openSession(project);
  });
  afterAll(async () => {
    await session.close();
    await project.remove();
  });

  test.each(waysOf(agents).map((way) => [way.join(" → "), way] as const))("has all of its tools as %s", async (_name, way) => {
    const agent = way.at(-1) ?? "";
    const tools = await session.toolsAlong(way);
    const shown = await show(project, agent);
    expect(tools.toSorted()).toEqual(shown.tools.toSorted());
    expect(shown.missingBelow).toEqual({});
    const seed = SEED_TOOLS[agent];
    // The preset takes the planner's `glob`, which is the third design's.
    if (seed)
      expect(tools.toSorted()).toEqual(seed.filter((tool) => more === "" || agent !== "planner" || tool !== "glob").toSorted());
  });
});

describe("agents show", () => {
  test("tells which tools an agent lacks below another that may start it", async () => {
    const project = await createProject();
    try {
      await mkdir(path.join(project.home, "agents"), { recursive: true });
      await writeFile(
        path.join(project.home, "agents", "lead.md"),
        "---\nname: lead\ndescription: Leads.\ntools: [read, grep, test, shell]\ndelegates: [reviewer]\n---\nLead.\n",
      );
      expect((await show(project, "reviewer")).missingBelow).toEqual({ lead: ["git_diff"] });
      expect((await callRetinue(project, ["agents", "show", "reviewer"])).stdout).toContain("Below lead without: git_diff\n");
    } finally {
      await project.remove();
    }
  });
});
