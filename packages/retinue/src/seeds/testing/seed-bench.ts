/**
 * What the items of the designs are held against: requests as they reach a model's server, rows and tables of a SQLite record, settings as they are loaded.
 * Everything is real but the model, which plays what a task tells it to: `PLAY[…]`, with its calls and its answer as base64.
 */
import { DatabaseSync } from "node:sqlite";
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { MockReply, MockRequest } from "@retinue/model/testing";
import type { Json, RecordedEvent, RunResult, RunSpec } from "@retinue/protocol";
import type { MessageRow } from "@retinue/store";
import { callRetinue } from "../../cli/testing/call-retinue.ts";
import type { MockProject } from "../../cli/testing/mock-project.ts";
import { createMockProject } from "../../cli/testing/mock-project.ts";
import { toEnvironment } from "../../cli/testing/spawn-retinue.ts";
import type { Retinue, RetinueOptions } from "../../create-retinue.ts";
import { createRetinue } from "../../create-retinue.ts";
import type { LoadedSettings } from "../../settings/load-settings.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import type { RunOptions } from "../../host/workspace.ts";
import { runTestCase } from "../../qa/run-test-case.ts";
import type { TestCaseResult } from "../../qa/run-test-case.ts";

/** A request as the server got it, in the words of OpenAI Chat Completions. */
export type WireBody = {
  readonly model: string;
  readonly temperature?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: WireSchema };
  }[];
};

export type WireSchema = {
  readonly properties?: Readonly<
    Record<string, { readonly description?: string; readonly enum?: readonly string[]; readonly type?: string }>
  >;
  readonly required?: readonly string[];
};

export type Asked = {
  readonly body: WireBody;
  readonly system: string;
  readonly toolNames: readonly string[];
  readonly spec: RunSpec;
  readonly row: MessageRow;
  readonly result: RunResult;
};

export type Played = {
  readonly result: RunResult;
  readonly events: readonly RecordedEvent[];
  readonly rows: readonly MessageRow[];
  /** What calls of the main run were answered, as JSON where it is. */
  readonly answers: readonly unknown[];
};

export type Column = {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
};

export type SeedBench = {
  /** An agent at work below main, or by itself where main may not start it; with the numbers of a design where one is named. */
  readonly agent: (name: string, preset?: string) => Promise<Asked>;
  /** A run of main that makes these calls in one turn each, and then answers; the same one where it was played before. */
  readonly play: (calls: readonly unknown[], options?: RunOptions, more?: Partial<RetinueOptions>) => Promise<Played>;
  readonly retinue: (more?: Partial<RetinueOptions>, env?: Readonly<Record<string, string>>) => Promise<Retinue>;
  readonly columns: () => readonly Column[];
  readonly indexes: () => ReadonlyMap<string, readonly string[]>;
  readonly foreignKeys: () => readonly { readonly from: string; readonly table: string; readonly to: string }[];
  readonly settings: (env: Readonly<Record<string, string>>, files?: Readonly<Record<string, string>>) => Promise<LoadedSettings>;
  /** A test case of two steps whose first fails once and is recovered from, with its log and requests. */
  readonly testCase: () => Promise<{
    readonly result: TestCaseResult;
    readonly lines: readonly string[];
    readonly bodies: readonly WireBody[];
  }>;
  /** A test case whose one step fails: for good, or after a recovery that fails itself. */
  readonly failingCase: (how: "for good" | "in recovery") => Promise<{
    readonly result: TestCaseResult;
    readonly lines: readonly string[];
  }>;
  /** The roles of the third design, loaded from its own JSON. */
  readonly roles: () => Promise<Retinue>;
  /** A trusted project of these files. */
  readonly project: (files: Readonly<Record<string, string>>) => Promise<Retinue>;
  readonly command: (
    words: readonly string[],
  ) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  readonly close: () => Promise<void>;
};

export const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(({ text }: { readonly text?: string }) => text ?? "").join("\n") : "";
};

const systemOf = ({ messages }: WireBody): string => textOf(messages.find(({ role }) => role === "system")?.content ?? "");

const FIXTURES = path.join(import.meta.dirname, "../../../../agents/fixtures");

const SETTINGS = `web: { search: { engine: searxng, baseUrl: "http://127.0.0.1:9" } }
browser: { enabled: true }
desktop: { enabled: true, display: ":99" }
`;

const ANSWER =
  "## Summary\nIt is done.\n\n## Details\nAs asked.\n\n## Findings\n- a.txt:1\n\n## Warnings\n- slow\n\n## Suggestions\n- rest";

const PLAY = /PLAY\[([\w=+/]*)\]/;

/** What a run says, told by the task that it was given and by how many calls it has made. */
const replyTo = ({ body }: MockRequest): MockReply => {
  const { messages } = body as unknown as WireBody;
  const task = textOf(messages.find(({ role }) => role === "user")?.content ?? "");
  const played = PLAY.exec(task)?.[1];
  const {
    calls = [],
    text = ANSWER,
    fault,
  } = (played === undefined ? {} : JSON.parse(Buffer.from(played, "base64").toString())) as {
    readonly calls?: readonly { readonly name: string; readonly input: Json }[];
    readonly text?: string;
    readonly fault?: MockReply["fault"];
  };
  if (fault !== undefined) return { fault };
  const made = messages.filter(({ role }) => role === "tool").length;
  const next = calls[made];
  return next === undefined ? { text } : { toolCalls: [{ name: next.name, arguments: JSON.stringify(next.input) }] };
};

export const playTask = (calls: readonly unknown[], more: object = {}): string =>
  `PLAY[${Buffer.from(JSON.stringify({ calls, ...more })).toString("base64")}]`;

export const openSeedBench = async (): Promise<SeedBench> => {
  const mock: MockProject = await createMockProject((request) => caseReply(request) ?? replyTo(request), SETTINGS);
  const { project, server } = mock;
  await writeFile(path.join(project.workspace, "a.txt"), "one\n");
  const opened: Retinue[] = [];
  const kept = new Map<string, Promise<Retinue>>();

  const retinue: SeedBench["retinue"] = (more = {}, env = {}) => {
    const key = Object.keys(more).length === 0 ? JSON.stringify(env) : "";
    const known = key === "" ? undefined : kept.get(key);
    if (known) return known;
    const opening = createRetinue({
      workspace: project.workspace,
      env: { ...toEnvironment(project.home), ...env },
      ...more,
    }).then((one) => {
      opened.push(one);
      return one;
    });
    if (key !== "") kept.set(key, opening);
    return opening;
  };

  const asked = new Map<string, Promise<Asked>>();
  const ask = async (name: string, preset: string | undefined): Promise<Asked> => {
    const at = await retinue({}, preset === undefined ? {} : { RETINUE_AGENT__PRESETS: preset });
    const from = server.requests.length;
    const isBelow = at.agents.get("main")?.delegates.includes(name) === true;
    const task = isBelow ? playTask([{ name: "delegate_to_agent", input: { agent: name, task: "Look at it." } }]) : "Look at it.";
    const run = await at.run(task, { approve: "all", ...(isBelow ? {} : { agent: name }) });
    await run.result;
    const events = await at.events(run.sessionId);
    const requested = events.find((event) => event.type === "run.requested" && event.agent === name);
    const settled = events.find((event) => event.type === "run.settled" && event.agent === name);
    if (requested?.type !== "run.requested" || settled?.type !== "run.settled") throw new Error(`${name} did not run`);
    const body = server.requests
      .slice(from)
      .map((request) => request.body as unknown as WireBody)
      .find((one) => systemOf(one) === requested.spec.system);
    const row = (await at.sessions.messages(run.sessionId, { runId: requested.runId, limit: 1 })).items[0];
    if (!body || !row) throw new Error(`${name} asked nothing: ${JSON.stringify(settled.result.error)}`);
    return {
      body,
      system: systemOf(body),
      toolNames: (body.tools ?? []).map(({ function: { name: tool } }) => tool),
      spec: requested.spec,
      row,
      result: settled.result,
    };
  };

  const played = new Map<string, Promise<Played>>();
  const play = async (calls: readonly unknown[], options: RunOptions, more: Partial<RetinueOptions>): Promise<Played> => {
    const at = await retinue(more);
    const run = await at.run(playTask(calls), { approve: "all", ...options });
    const result = await run.result;
    const events = await at.events(run.sessionId);
    const rows = (await at.sessions.messages(run.sessionId)).items;
    const answers = events.flatMap((event) =>
      event.type === "tool.settled" && event.depth === 0
        ? [toJson(event.content.map((part) => (part.type === "text" ? part.text : "")).join(""))]
        : [],
    );
    return { result, events, rows, answers };
  };

  const database = <T>(use: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(path.join(project.home, "retinue.db"), { readOnly: true });
    try {
      return use(db);
    } finally {
      db.close();
    }
  };

  // The record is there before anybody looks at its tables.
  await retinue();
  let testCase: ReturnType<SeedBench["testCase"]> | undefined;
  let roles: Promise<Retinue> | undefined;
  let projects = 0;
  return {
    retinue,
    agent: (name, preset) => {
      const key = `${name} ${preset ?? ""}`;
      const known = asked.get(key) ?? ask(name, preset);
      asked.set(key, known);
      return known;
    },
    play: (calls, options = {}, more = {}) => {
      const key = Object.keys(more).length === 0 ? JSON.stringify([calls, options]) : "";
      const known = (key === "" ? undefined : played.get(key)) ?? play(calls, options, more);
      if (key !== "") played.set(key, known);
      return known;
    },
    columns: () => database((db) => db.prepare("PRAGMA table_info(messages)").all() as unknown as readonly Column[]),
    indexes: () =>
      database((db) => {
        const names = (db.prepare("PRAGMA index_list(messages)").all() as unknown as readonly { readonly name: string }[]).map(
          ({ name }) => name,
        );
        return new Map(
          names.map((name) => [
            name,
            (db.prepare(`PRAGMA index_info(${name})`).all() as unknown as readonly { readonly name: string }[]).map(
              (column) => column.name,
            ),
          ]),
        );
      }),
    foreignKeys: () => database((db) => db.prepare("PRAGMA foreign_key_list(messages)").all() as never),
    settings: async (env, files = {}) => {
      const workspace = path.join(project.workspace, `settings-${Object.keys(files).length}`);
      for (const [name, text] of Object.entries({ "README.md": "", ...files })) {
        await mkdir(path.dirname(path.join(workspace, name)), { recursive: true });
        await writeFile(path.join(workspace, name), text);
      }
      return loadSettings({ workspace, env, home: path.join(project.home, "none") });
    },
    testCase: () => (testCase ??= runSeedCase(mock)),
    failingCase: (how) => runFailingCase(mock, how),
    roles: () =>
      (roles ??= (async () => {
        const workspace = path.join(project.workspace, "roles");
        await cp(path.join(FIXTURES, "agent-roles"), workspace, { recursive: true });
        await callRetinue({ ...project, workspace }, ["trust", "--yes"]);
        const one = await createRetinue({ workspace, env: toEnvironment(project.home) });
        opened.push(one);
        return one;
      })()),
    project: async (files) => {
      const workspace = path.join(project.workspace, `project-${(projects += 1)}`);
      for (const [name, text] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(workspace, name)), { recursive: true });
        await writeFile(path.join(workspace, name), text);
      }
      await callRetinue({ ...project, workspace }, ["trust", "--yes"]);
      const one = await createRetinue({ workspace, env: toEnvironment(project.home) });
      opened.push(one);
      return one;
    },
    command: (words) => callRetinue(project, words),
    close: async () => {
      for (const one of opened) await one.close();
      await mock.remove();
    },
  };
};

const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const CASE_PLAN = {
  sub_tasks: [
    { step: 1, description: "Write the version", expected_result: "version.txt says 1.0" },
    { step: 1, description: "Write the notes", expected_result: "notes.txt says first" },
    { step: 2, description: "Look at both", expected_result: "both are there" },
  ],
};

const write = (file: string, content: string): MockReply => ({
  toolCalls: [{ name: "write", arguments: JSON.stringify({ path: file, content }) }],
});

const pass = (summary: string): MockReply => ({ text: `RESULT: PASS\nSUMMARY: ${summary}` });

/** Of the test case: null for every other request. */
const caseReply = ({ body }: MockRequest): MockReply | null => {
  const { messages } = body as unknown as WireBody;
  const system = systemOf(body as unknown as WireBody);
  const all = messages.map(({ content }) => textOf(content)).join("\n");
  const last = textOf(messages.findLast(({ role }) => role === "user")?.content ?? "");
  if (system.startsWith("You are a QA test orchestrator") && all.includes("Fail ")) return decideFailing(last);
  if (system.startsWith("You are a QA test orchestrator")) {
    if (last.includes("MODE 1")) return { text: JSON.stringify(CASE_PLAN) };
    if (last.includes("MODE 2"))
      return {
        text: JSON.stringify({
          decision: "recover",
          reason: "The tool is missing.",
          recovery_task: { description: "Install the tool", expected_result: "tool.txt is there" },
        }),
      };
    return last.includes("MODE 3") ? { text: JSON.stringify({ status: "pass", summary: "The release is prepared." }) } : null;
  }
  const task = /YOUR TASK:\n(.*)/.exec(all)?.[1];
  if (!system.startsWith("You are a strict QA step executor") || task === undefined) return null;
  const made = messages.filter(({ role }) => role === "tool").length;
  if (task.startsWith("Fail ") || task === "Mend it") return { text: "RESULT: FAIL\nSUMMARY: the page returns 404" };
  if (task === "Write the version") return made === 0 ? write("version.txt", "1.0") : pass("Version 1.0 is written.");
  if (task === "Install the tool") return made === 0 ? write("tool.txt", "x") : pass("The tool is installed.");
  if (task === "Look at both")
    return made === 0 ? { toolCalls: [{ name: "read", arguments: '{"path":"notes.txt"}' }] } : pass("Both are there.");
  if (!all.includes("The tool is installed")) return { text: "RESULT: FAIL\nSUMMARY: tool: command not found" };
  return made === 0 ? write("notes.txt", "first") : pass("The notes are written.");
};

/** Of a case that fails: for good it is stopped at once, in recovery it is tried to mend it first. */
const decideFailing = (last: string): MockReply => {
  const how = /Fail (for good|in recovery)/.exec(last)?.[1] ?? "for good";
  const task = { description: `Fail ${how}`, expected_result: "a page" };
  if (last.includes("MODE 1"))
    return {
      text: JSON.stringify({
        sub_tasks: [
          { step: 1, ...task },
          { step: 2, ...task },
        ],
      }),
    };
  if (last.includes("MODE 3")) return { text: JSON.stringify({ status: "fail", summary: "It failed." }) };
  const recovery = { recovery_task: { description: "Mend it", expected_result: "it is mended" } };
  return {
    text: JSON.stringify(
      how === "for good"
        ? { decision: "stop", reason: "The application is not deployed." }
        : { decision: "recover", reason: "It may be mended.", ...recovery },
    ),
  };
};

const runFailingCase = async ({ project }: MockProject, how: string): ReturnType<SeedBench["failingCase"]> => {
  const lines: string[] = [];
  const step = { action: `Fail ${how}`, expected: { check: "command" as const, run: "test -e page" } };
  const result = await runTestCase(
    { title: `It fails ${how}`, steps: [step, step] },
    {
      workspace: project.workspace,
      env: toEnvironment(project.home),
      approver: () => Promise.resolve({ allowed: true }),
      onLog: (line) => lines.push(line),
    },
  );
  return { result, lines };
};

const runSeedCase = async ({ project, server }: MockProject): ReturnType<SeedBench["testCase"]> => {
  const lines: string[] = [];
  const from = server.requests.length;
  const result = await runTestCase(
    {
      title: "A release is prepared",
      preconditions: [{ check: "command", run: "test ! -e released.txt" }],
      steps: [
        {
          action: "Write the version and the notes",
          expected: { check: "command", run: "cat version.txt notes.txt", output: { contains: "first" } },
        },
        { action: "Look at both", expected: { check: "command", run: "cat version.txt", output: { equals: "1.0" } } },
      ],
    },
    {
      workspace: project.workspace,
      env: toEnvironment(project.home),
      approver: () => Promise.resolve({ allowed: true }),
      onLog: (line) => lines.push(line),
    },
  );
  return { result, lines, bodies: server.requests.slice(from).map(({ body }) => body as unknown as WireBody) };
};
