/** A project with the YAML skills of the fifth design: what a skill that delegates reads of others, and of what cannot be delegated, seen at the model's server. */
import type { MockReply } from "@retinue/model/testing";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import { call, createMockProject } from "./cli/testing/mock-project.ts";
import type { Ended } from "./cli/testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const FIXTURE = join(import.meta.dirname, "../../agents/fixtures/skill-yaml");

/** The use cases of the design, word for word: they have no prompts. */
const USE_CASES = {
  "research_coordinator.yaml": `name: research_coordinator
tools: [delegate_to_agent, search_documents]
sub_agents: [general_assistant, summarize_document]
`,
  "code_reviewer.yaml": `name: code_reviewer
tools: [delegate_to_agent, read_file]
sub_agents: [code_assistant]
`,
  "data_analyst.yaml": `name: data_analyst
tools: [delegate_to_agent, query_db]
sub_agents: [general_assistant]
`,
};

const delegate = (skill: string, task: string, more: object = {}): MockReply => ({
  toolCalls: [call("delegate_to_agent", { skill_name: skill, task, ...more })],
});

type Played = {
  readonly ended: Ended;
  /** What the run at that depth was answered to its calls, in their order. */
  readonly answers: (depth: number) => readonly unknown[];
  /** The requests of a skill, by how its prompt begins. */
  readonly requestsOf: (prompt: string) => readonly string[];
};

/** Runs a skill of the project; each request of the model is answered in this order. */
const play = async (skill: string, replies: readonly MockReply[], more = ""): Promise<Played> => {
  const { project, server, remove } = await createMockProject(replies, more);
  cleanups.push(remove);
  await cp(FIXTURE, project.workspace, { recursive: true });
  for (const [name, text] of Object.entries(USE_CASES)) await writeFile(join(project.workspace, "skills", name), text);
  await callRetinue(project, ["trust", "--yes"]);
  const ended = await callRetinue(project, ["run", "-a", skill, "--json", "Help me understand REST APIs"]);
  const events = ended.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; depth: number; content: readonly { text: string }[] });
  return {
    ended,
    answers: (depth) =>
      events
        .filter((event) => event.type === "tool.settled" && event.depth === depth)
        .map(({ content }) => JSON.parse(content[0]?.text ?? "null") as unknown),
    requestsOf: (prompt) =>
      server.requests.map(({ text }) => text).filter((text) => text.includes(`{"role":"system","content":"${prompt}`)),
  };
};

describe("project_manager, which hands work to other skills by skill_name", () => {
  test("reads what they answer as status, skill, result and depth", async () => {
    const summary = "REST is a style of interfaces.\n".repeat(200).trim();
    expect(summary.length).toBeGreaterThan(6_000);
    const { ended, answers, requestsOf } = await play("project_manager", [
      delegate("general_assistant", "Explain REST APIs", { context: "For people who know SQL" }),
      { text: "Resources have addresses." },
      delegate("summarize_document", "Summarise the explanation"),
      { text: summary },
      { text: "Here is all of it." },
    ]);
    expect(ended.code).toBe(0);
    expect(answers(0)).toEqual([
      { status: "ok", skill: "general_assistant", result: "Resources have addresses.", depth: 1 },
      { status: "ok", skill: "summarize_document", result: summary, depth: 1 },
    ]);
    const [first = "", , last = ""] = requestsOf("You are a project manager.");
    expect(JSON.parse(first)).toMatchObject({ temperature: 0.3 });
    // The text reached the model to the letter, as a value in the value that the call was answered with.
    expect(last).toContain(JSON.stringify(JSON.stringify(summary)).slice(1, -1));
    expect(requestsOf("You answer questions.")).toEqual([expect.stringContaining("For people who know SQL")]);
    expect(requestsOf("You summarise documents.")).toHaveLength(1);
  });

  test("reads error and depth where there is no such skill, and goes on", async () => {
    const { ended, answers } = await play("project_manager", [delegate("write_poem", "Rhyme"), { text: "There is none." }]);
    expect(ended.code).toBe(0);
    expect(answers(0)).toEqual([
      {
        error: expect.stringMatching(/^agent_unknown: .*general-assistant, summarize-document/),
        current_depth: 0,
      },
    ]);
  });
});

describe("a skill at the greatest depth", () => {
  test("reads error and depth when it delegates, and its caller reads its result all the same", async () => {
    const { answers } = await play(
      "project_manager",
      [
        delegate("general_assistant", "Explain REST APIs"),
        delegate("summarize_document", "Shorten it"),
        { text: "I did it myself." },
        { text: "Done." },
      ],
      "agent: { maxDepth: 1 }\n",
    );
    expect(answers(1)).toEqual([
      { error: expect.stringMatching(/^depth_exceeded: .*depth 1, and 1 is the deepest/), current_depth: 1 },
    ]);
    expect(answers(0)).toEqual([{ status: "ok", skill: "general_assistant", result: "I did it myself.", depth: 1 }]);
  });
});

describe("the use cases of the design", () => {
  test("run as they stand, with a prompt that names their tools and skills", async () => {
    const { ended, answers, requestsOf } = await play("research_coordinator", [
      delegate("general_assistant", "Find what there is"),
      { text: "Three papers." },
      delegate("summarize_document", "Shorten them"),
      { text: "They agree." },
      { text: "Three papers agree." },
    ]);
    expect(ended.code).toBe(0);
    expect(answers(0)).toEqual([
      { status: "ok", skill: "general_assistant", result: "Three papers.", depth: 1 },
      { status: "ok", skill: "summarize_document", result: "They agree.", depth: 1 },
    ]);
    expect(requestsOf("You are research coordinator.")).toHaveLength(3);
  });

  test("hand work to nobody that they do not name", async () => {
    const { answers } = await play("data_analyst", [delegate("summarize_document", "Shorten it"), { text: "Not allowed." }]);
    expect(answers(0)).toEqual([{ error: expect.stringMatching(/^agent_unknown: .*general-assistant/), current_depth: 0 }]);
  });
});

describe("a skill that is named like a built-in agent", () => {
  const SKILL = `name: project_manager
description: Coordinates.
system_prompt: You are our own project manager.
tools: [delegate_to_agent]
sub_agents: [general_assistant]
`;

  test.each([
    ["run", ["run", "-q", "-a", "project_manager", "hello"], "stderr"],
    ["agents show", ["agents", "show", "project_manager"], "stdout"],
  ] as const)("waits for trust, and %s says so and what to type", async (_, words, where) => {
    const { project, server, remove } = await createMockProject(() => ({ text: "Done." }));
    cleanups.push(remove);
    await mkdir(join(project.workspace, "skills"));
    await writeFile(join(project.workspace, "skills", "project_manager.yaml"), SKILL);
    const before = await callRetinue(project, words);
    expect(before.code).toBe(0);
    expect(before[where].replaceAll(/\s+/g, " ")).toMatch(
      /skills\/project_manager\.yaml.* waits for trust; until then the built-in agent/,
    );
    expect(before[where]).toContain("`retinue trust`");
    expect(server.requests.some(({ text }) => text.includes("our own project manager"))).toBe(false);

    await callRetinue(project, ["trust", "--yes"]);
    const after = await callRetinue(project, words);
    expect(after[where]).not.toContain("waits for trust");
    if (words[0] === "run") expect(server.requests.at(-1)?.text).toContain("You are our own project manager.");
  });
});
