/** Every route of the table is called once, and what it answers fits its schema; the description says the same. */
import type { RouteName } from "@retinue/protocol";
import { ROUTE_PLACES } from "@retinue/protocol";
import { ROUTES, type Route } from "@retinue/protocol/routes";
import type { CaseResult } from "@retinue/protocol/test-case";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { keepRule } from "../approval-rules/rule-file.ts";
import { createTestResults } from "../qa/test-results.ts";
import type { ServedProject } from "./testing/serve-project.ts";
import { serveProject } from "./testing/serve-project.ts";

let project: ServedProject;
const called = new Set<RouteName>();

const AGENT = "---\nname: helper\ndescription: Helps.\ntools: [read]\n---\nHelp.\n";
const SKILL = "---\nname: sing\ndescription: Sings a song.\n---\nSing.\n";
const PLAN = {
  goal: "Look around",
  steps: [
    {
      id: "1",
      description: "Look around",
      expectedResult: "It was seen",
      type: "research",
      agent: "general-assistant",
      dependsOn: [],
      requiresApproval: false,
    },
  ],
};

const toCaseResult = (title: string, verdict: CaseResult["verdict"]): CaseResult => ({
  id: `${title}.yaml`,
  title,
  file: `${title}.yaml`,
  tags: [],
  verdict,
  reason: "so it was",
  flaky: false,
  healed: false,
  attempt: 1,
  sessionId: null,
  steps: [],
  summary: "",
  durationMs: 1,
  iterations: 0,
  toolCalls: 0,
  usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
  costUsd: 0,
  problems: [],
});

beforeAll(async () => {
  project = await serveProject({
    script: ({ messages, tools }) => {
      const last = messages.at(-1);
      if (last?.role === "user" && JSON.stringify(last).includes("ask me"))
        return { toolCalls: [{ tool: "ask_user", input: { question: "Which port?", options: ["80", "8080"] } }] };
      if (last?.role === "user" && JSON.stringify(last).includes("wait for me"))
        return { toolCalls: [{ tool: "write", input: { path: "b.txt", content: "b" } }] };
      return { text: tools.length > 0 ? "Fine." : "Fine, too." };
    },
    files: {
      "src/apple.ts": "export {};\n",
      ".env": "KEY=value-of-a-secret\n",
      ".retinue/agents/helper.md": AGENT,
      ".retinue/skills/sing/SKILL.md": SKILL,
      "tests/suite.yaml": "app: { command: sleep 60, url: 'http://127.0.0.1:1/' }\n",
      "tests/look.yaml": "title: It can be seen\nsteps: [{ action: Look, expected: Something is there }]\n",
      "tests/wrong.yaml": "title: Nothing else\n",
      ".claude/commands/hold.md": "wait for me $ARGUMENTS",
      ".opencode/command/help-me.md": "---\nagent: helper\n---\nHelp with $1, by @src/apple.ts and !`rm x`.\n",
    },
  });
  await createTestResults(project.home, project.folder).keep({
    id: "test_1",
    startedAt: "2026-01-01T00:00:00Z",
    durationMs: 3,
    model: "some/model",
    environment: null,
    cases: [toCaseResult("one", "pass"), toCaseResult("two", "fail")],
  });
});
afterAll(() => project.close());

type Parts = { readonly params?: Record<string, string>; readonly query?: Record<string, string>; readonly body?: unknown };

/** Calls a route and checks the answer by the route's own schema. */
const callRoute = async <Answer = Record<string, unknown>>(name: RouteName, parts: Parts = {}): Promise<Answer> => {
  const [method, place] = ROUTE_PLACES[name];
  const route: Route = ROUTES[name];
  const at = place.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(parts.params?.[key] ?? ""));
  const answer = await fetch(new URL(`${at}?${new URLSearchParams(parts.query).toString()}`, project.server.url), {
    method,
    headers: { Authorization: `Bearer ${project.server.token}`, "Content-Type": "application/json" },
    ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
  });
  const text = await answer.text();
  expect([name, answer.status, text.slice(0, 300)]).toEqual([name, route.status ?? 200, text.slice(0, 300)]);
  called.add(name);
  const value = JSON.parse(text) as Answer;
  expect(route.response?.safeParse(value).error).toBeUndefined();
  return value;
};

type Id = { readonly sessionId: `ses_${string}`; readonly runId: `run_${string}` };

const settled = (sessionId: string): Promise<void> =>
  vi.waitFor(
    async () =>
      expect(["completed", "failed", "cancelled"]).toContain(
        (await callRoute<{ status: string }>("getSession", { params: { sessionId } })).status,
      ),
    { timeout: 20_000 },
  );

type Requested = { readonly agent: string; readonly task: string };

/** Says something, to a session or to a new one, and tells who was asked what. */
const requestedBy = async (text: string, sessionId?: string): Promise<Requested> => {
  const begun =
    sessionId === undefined
      ? await callRoute<Id>("startSession", { body: { workspaceId: project.workspaceId, text } })
      : await callRoute<Id>("startTurn", { params: { sessionId }, body: { text } });
  await settled(begun.sessionId);
  const { events } = await callRoute<{ events: { type: string; runId: string; agent: string; task?: unknown }[] }>("listEvents", {
    params: { sessionId: begun.sessionId },
  });
  const requested = events.find(({ type, runId }) => type === "run.requested" && runId === begun.runId);
  return { agent: requested?.agent ?? "", task: JSON.stringify(requested?.task) };
};

describe("every route", () => {
  test("of the server itself", async () => {
    await callRoute("status");
    await callRoute("signIn", { body: { token: project.server.token } });
    await callRoute("signOut", { body: {} });
    const description = await callRoute<{ openapi: string; paths: Record<string, Record<string, { operationId: string }>> }>(
      "openApi",
    );
    expect(description.openapi).toBe("3.1.0");
    const described = Object.values(description.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(described.toSorted()).toEqual(Object.keys(ROUTE_PLACES).toSorted());
  });

  test("of a workspace", async () => {
    const params = { workspaceId: project.workspaceId };
    await callRoute("listWorkspaces");
    await callRoute("openWorkspace", { body: { folder: project.home } });
    const { agents, problems } = await callRoute<{ agents: { name: string }[]; problems: unknown[] }>("listAgents", { params });
    expect(agents.map(({ name }) => name)).toContain("helper");
    expect(problems).toEqual([]);
    const { text, version } = await callRoute<{ text: string; version: string }>("getAgent", {
      params: { ...params, name: "helper" },
    });
    expect(text).toBe(AGENT);
    const bad = "---\nname: helper\ndescription: Helps.\ntools: [raed]\nlimits: { iterations: many }\n---\nHelp.\n";
    const checked = await callRoute<{ problems: { severity: string; line: number }[] }>("checkAgent", {
      params,
      body: { name: "helper", text: bad },
    });
    expect(checked.problems.map(({ severity }) => severity)).toContain("error");
    const refused = await callRoute<{ isSaved: boolean }>("saveAgent", {
      params: { ...params, name: "helper" },
      body: { text: bad, version },
    });
    expect(refused.isSaved).toBe(false);
    const file = path.join(project.folder, ".retinue", "agents", "helper.md");
    expect(await readFile(file, "utf8")).toBe(AGENT);
    const better = AGENT.replace("Helps.", "Helps much.");
    const saved = await callRoute<{ isSaved: boolean }>("saveAgent", {
      params: { ...params, name: "helper" },
      body: { text: better, version },
    });
    expect([saved.isSaved, await readFile(file, "utf8")]).toEqual([true, better]);
    const { agents: after } = await callRoute<{ agents: { name: string; description: string }[] }>("listAgents", { params });
    expect(after.find(({ name }) => name === "helper")?.description).toBe("Helps much.");
    const { skills } = await callRoute<{ skills: { name: string }[] }>("listSkills", { params });
    expect(skills.map(({ name }) => name)).toEqual(["sing"]);
    await callRoute("listTools", { params });
    const { commands } = await callRoute<{ commands: { name: string }[] }>("listCommands", { params });
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(["/new", "/sing", "/hold"]));
    const { files } = await callRoute<{ files: string[] }>("listFiles", { params, query: { search: "app" } });
    expect(files).toEqual(["src/apple.ts"]);
    const { files: all } = await callRoute<{ files: string[] }>("listFiles", { params, query: { limit: "200" } });
    expect(all).not.toContain(".env");
    await callRoute("listSettings", { params });
    await keepRule(project.home, project.folder, { type: "folder", tool: "write", folder: "out" });
    const { rules } = await callRoute<{ rules: { ruleId: string }[] }>("listRules", { params });
    await callRoute("deleteRule", { params: { ...params, ruleId: rules[0]?.ruleId ?? "" } });
    await callRoute("listModels", { params });
    expect(JSON.stringify(await callRoute("getDoctor", { params }))).not.toContain("value-of-a-secret");
  });

  test("of test cases: one run works, the next waits and can be cancelled, and what came of the first is kept", async () => {
    const params = { workspaceId: project.workspaceId };
    expect(await callRoute("listTests", { params })).toMatchObject({ runs: [{ testRunId: "test_1", passed: 1, failed: 1 }] });
    expect(await callRoute("getTestRun", { params: { ...params, testRunId: "test_1" } })).toMatchObject({
      state: "ended",
      cases: [{ title: "one" }, { title: "two" }],
    });
    const { cases, problems } = await callRoute<{ cases: { id: string; app: unknown }[]; problems: unknown[] }>("listTestCases", {
      params,
    });
    expect(problems).toEqual([{ file: path.join("tests", "wrong.yaml"), line: 1, message: expect.any(String) as string }]);
    expect(cases).toEqual([
      expect.objectContaining({
        id: path.join("tests", "look.yaml"),
        title: "It can be seen",
        steps: [{ number: 1, action: "Look", expected: "Something is there" }],
        app: { command: "sleep 60", url: "http://127.0.0.1:1/", isAgreed: false },
        last: null,
      }),
    ]);
    const body = { cases: cases.map(({ id }) => id) };
    const first = await callRoute<{ testRunId: string }>("startTestRun", { params, body });
    const second = await callRoute<{ testRunId: string }>("startTestRun", { params, body });
    expect(await callRoute("getTestRun", { params: { ...params, ...second } })).toMatchObject({
      state: "queued",
      pending: [{ title: "It can be seen", state: "queued" }],
    });
    await callRoute("cancelTestRun", { params: { ...params, ...second }, body: {} });
    await vi.waitFor(
      async () => expect(await callRoute("getTestRun", { params: { ...params, ...first } })).toMatchObject({ state: "ended" }),
      { timeout: 20_000 },
    );
    // Nobody has agreed to its application.
    expect(await callRoute("getTestRun", { params: { ...params, ...first } })).toMatchObject({
      cases: [{ verdict: "blocked", reason: expect.stringContaining("Nobody has agreed") as string }],
    });
    const { runs } = await callRoute<{ runs: { testRunId: string }[] }>("listTests", { params });
    expect(runs.map(({ testRunId }) => testRunId)).toEqual(["test_1", first.testRunId].toSorted().toReversed());
    expect((await callRoute<{ cases: unknown[] }>("listTestCases", { params })).cases).toMatchObject([
      { last: { ...first, verdict: "blocked" } },
    ]);
  });

  test("of sessions, runs and questions", async () => {
    const { workspaceId } = project;
    const { sessionId, runId } = await callRoute<Id>("startSession", { body: { workspaceId, text: "wait for me" } });
    const params = { sessionId };
    const asked = await vi.waitFor(
      async () => {
        const { approvals } = await callRoute<{ approvals: { approvalId: string; hash: string }[] }>("listApprovals");
        const [one] = approvals;
        if (!one) throw new Error("not yet");
        return one;
      },
      { timeout: 20_000 },
    );
    await callRoute("getApproval", { params: { approvalId: asked.approvalId } });
    await callRoute("sendMessage", { params: { runId }, body: { text: "and be quick" } });
    const { events: said } = await callRoute<{ events: { messageId?: string }[] }>("listEvents", {
      params,
      query: { limit: "100" },
    });
    const messageId = said.find((event) => event.messageId !== undefined)?.messageId ?? "";
    await callRoute("withdrawMessage", { params: { runId, messageId } });
    await callRoute("queueTurn", { params, body: { text: "never mind" } });
    const { turns } = await callRoute<{ turns: { turnId: string }[] }>("listQueuedTurns", { params });
    await callRoute("dropQueuedTurn", { params: { ...params, turnId: turns[0]?.turnId ?? "" } });
    await callRoute("answerApproval", { params: { approvalId: asked.approvalId }, body: { allowed: true, hash: asked.hash } });
    await settled(sessionId);
    await callRoute("listSessions", { query: { order: "updated", limit: "10" } });
    await callRoute("listSessions", { query: { search: "wait" } });
    const { events } = await callRoute<{ events: { seq: number }[] }>("listEvents", {
      params,
      query: { after: "2", limit: "3" },
    });
    expect(events.map(({ seq }) => seq)).toEqual([3, 4, 5]);
    await callRoute("listMessages", { params });
    await callRoute("getTree", { params });
    const { runs, seq } = await callRoute<{ runs: { runId: string; stepCount: number }[]; seq: number }>("getView", { params });
    expect(runs.map((run) => run.runId)).toContain(runId);
    const part = await callRoute<{ stepCount: number }>("getRunPart", {
      params: { ...params, runId },
      query: { atLeast: String(seq) },
    });
    expect(part.stepCount).toBe(runs[0]?.stepCount);
    const page = await callRoute<{ steps: unknown[] }>("listSteps", {
      params: { ...params, runId },
      query: { from: "0", to: "1" },
    });
    expect(page.steps).toHaveLength(1);
    await callRoute("exportSession", { params });
    await callRoute("search", { query: { text: "wait" } });
    await callRoute("getStats", { query: { by: "agent" } });
    await settled((await callRoute<Id>("startTurn", { params, body: { text: "again" } })).sessionId);
    await settled((await callRoute<Id>("forkSession", { params, body: { seq: 5, text: "otherwise" } })).sessionId);
    const resumed = await callRoute<Id>("resumeSession", { params, body: {} });
    expect(resumed.sessionId).toBe(sessionId);
    for (const goesOnWith of [undefined, sessionId]) {
      const { agent, task } = await requestedBy("/help-me apples", goesOnWith);
      expect(agent).toBe("helper");
      expect(task).toContain("Help with apples, by @src/apple.ts and [run `rm x` with the shell tool");
      expect(task).toContain("[file src/apple.ts]");
    }
    const held = await callRoute<Id>("startSession", { body: { workspaceId, text: "/hold once more" } });
    const { items } = await callRoute<{ items: unknown[] }>("listSessions", { query: { limit: "1" } });
    expect(JSON.stringify(items)).toContain("wait for me once more");
    await callRoute("cancelRun", { params: { runId: held.runId }, body: { reason: "enough" } });
    await settled(held.sessionId);
    const other = await callRoute<Id>("startSession", { body: { workspaceId, text: "wait for me twice" } });
    await callRoute("stopSession", { params: { sessionId: other.sessionId }, body: {} });
    await settled(other.sessionId);
    await callRoute("deleteSession", { params });
  });

  test("of what agents ask the user", async () => {
    const { workspaceId } = project;
    const { sessionId, runId } = await callRoute<Id>("startSession", { body: { workspaceId, text: "ask me" } });
    const asked = await vi.waitFor(
      async () => {
        const [one] = (
          await callRoute<{ approvals: { approvalId: string; hash: string }[] }>("listApprovals", { query: { sessionId } })
        ).approvals;
        if (!one) throw new Error("not yet");
        return one;
      },
      { timeout: 20_000 },
    );
    expect(asked).toMatchObject({ runId, path: ["main"], act: { question: { text: "Which port?", options: ["80", "8080"] } } });
    const { hash, approvalId } = asked;
    await callRoute("answerApproval", { params: { approvalId }, body: { hash, allowed: true, text: "8080" } });
    await settled(sessionId);
    const { events } = await callRoute<{ events: unknown[] }>("listEvents", { params: { sessionId }, query: { limit: "100" } });
    expect(JSON.stringify(events)).toContain("The user answered: 8080");
    expect(await callRoute("listApprovals", { query: { sessionId } })).toEqual({ approvals: [] });
  });

  test("of plans", async () => {
    const { workspaceId } = project;
    const made = await callRoute<Id>("makePlan", { body: { workspaceId, goal: "Look around" } });
    await settled(made.sessionId);
    const ran = await callRoute<Id>("runPlan", { body: { workspaceId, plan: PLAN } });
    await callRoute("listSessionPlans", { params: { sessionId: ran.sessionId } });
    await settled(ran.sessionId);
    const { items } = await callRoute<{ items: { sessionId: string }[] }>("listPlans");
    expect(items.map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining([made.sessionId, ran.sessionId]));
  });

  test("is one of those that were called; the two that answer with bytes are tested beside", () => {
    const rest = (Object.keys(ROUTE_PLACES) as RouteName[]).filter((name) => !called.has(name));
    expect(rest.toSorted()).toEqual(["getArtifact", "streamSession"]);
  });
});
