/** A deny in any place and any spelling that Claude Code or opencode reads holds here, tried by a call that would otherwise run. */
import type { RuleDialect, RulePlace } from "@retinue/agents";
import { RULE_PLACES } from "@retinue/agents";
import { createScriptedModel } from "@retinue/model/testing";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Tried = "shell" | "write" | "a.append";
/** What is written into a place: fields of a settings file, or of an agent's front matter. */
type Spelling = { readonly tool: Tried; readonly fields: object };
type Where = { readonly shown: string; readonly put: (fields: object, ground: Ground) => Promise<Ground> };
type Ground = {
  readonly workspace: string;
  readonly home: string;
  readonly root: string;
  readonly env: Record<string, string>;
  readonly agent: string;
};

const INPUTS = {
  shell: { command: "touch denied.txt" },
  write: { path: "denied.txt", content: "x" },
  "a.append": { text: "x" },
} as const;

const save = async (file: string, text: string): Promise<void> => {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
};

/** Runs the calls in all approve mode; gives what became of each. */
const call = async (tools: readonly Tried[], put: (ground: Ground) => Promise<Ground>) => {
  const project = await createProject();
  cleanups.push(project.remove);
  const base = path.join(project.home, "around");
  const ground = await put({
    workspace: project.workspace,
    home: path.join(base, "home"),
    root: path.join(base, "root"),
    env: {},
    agent: "lead",
  });
  const ran: string[] = [];
  const model = createScriptedModel((_, turn) =>
    turn > 0 ? { text: "Done." } : { toolCalls: tools.map((tool) => ({ tool: tool.replace(".", "__"), input: INPUTS[tool] })) },
  );
  const retinue = await createRetinue({
    workspace: ground.workspace,
    env: { RETINUE_HOME: project.home, HOME: ground.home, RETINUE_MANAGED_ROOT: ground.root, ...ground.env },
    settings: { ...DEFAULT_SETTINGS, approve: "all", allowUnsandboxed: true },
    store: createMemoryLog(),
    agents: [
      {
        ...agentFrontMatterSchema.parse({ name: "lead", description: "Leads.", tools: ["*"] }),
        delegates: [],
        prompt: "You lead.",
      },
    ],
    tools: [
      defineTool({
        name: "a.append",
        description: "Appends a line.",
        input: z.object({ text: z.string() }),
        effect: "write",
        touches: () => ({}),
        execute: async () => {
          ran.push("a.append");
          return { content: [{ type: "text", text: "ok" }] };
        },
      }),
    ],
    model,
  });
  try {
    const run = await retinue.run("Go.", { agent: ground.agent });
    await run.result;
    const events = await retinue.events(run.sessionId);
    const settled = events.filter((event) => event.type === "tool.settled");
    const calls = settled.map(({ outcome, error }) => (outcome === "ok" ? "ran" : (error?.code ?? outcome)));
    return { calls, ran, problems: retinue.problems };
  } finally {
    await retinue.close();
  }
};

const claude = (tool: Tried, ...rules: readonly string[]): readonly Spelling[] =>
  rules.map((rule) => ({ tool, fields: { permissions: { deny: [rule] } } }));

const CLAUDE_SPELLINGS = [
  ...claude("shell", "Bash", "Bash(*)", "Bash(touch *)", "Bash(touch:*)", "Bash(touch denied.txt)", "Bash(*denied*)", "*"),
  ...claude("write", "Write", "Edit(denied.txt)", "Edit(/denied.txt)", "Edit(./denied.txt)", "Edit(**)", "Write(*.txt)"),
  ...claude("a.append", "mcp__a__append", "mcp__a", "mcp__a__*", "mcp__a__app*", "mcp__*", "a__append", "a.append", "a__*"),
  { tool: "a.append", fields: { disabledMcpjsonServers: ["a"] } },
  { tool: "a.append", fields: { deniedMcpServers: [{ serverName: "a" }] } },
] satisfies readonly Spelling[];

const opencode = (tool: Tried, ...all: readonly object[]): readonly Spelling[] => all.map((fields) => ({ tool, fields }));

const OPENCODE_SPELLINGS = [
  ...opencode(
    "shell",
    { permission: "deny" },
    { permission: { "*": "deny" } },
    { permission: { bash: "deny" } },
    { permission: { bash: { "*": "deny" } } },
    { permission: { bash: { "*": "allow", "touch *": "deny" } } },
    { permission: { bash: { "touch*": "deny" } } },
    { permission: { "ba*": "deny" } },
    { permissions: [{ action: "bash", resource: "*", effect: "deny" }] },
    { permissions: [{ action: "bash", resource: "touch *", effect: "deny" }] },
    { permissions: { bash: "deny" } },
    { permissions: { bash: { "touch *": "deny" } } },
    { permissions: "deny" },
    { tools: { bash: false } },
    { tools: { "*": false } },
    { tools: { "ba*": false } },
  ),
  ...opencode(
    "write",
    { permission: { edit: "deny" } },
    { permission: { edit: { "*.txt": "deny" } } },
    { permission: { write: "deny" } },
    { tools: { write: false } },
    { tools: { edit: false } },
    { tools: { patch: false } },
  ),
  ...opencode(
    "a.append",
    { permission: { a_append: "deny" } },
    { permission: { "a_*": "deny" } },
    { permission: { a__append: "deny" } },
    { permission: { "a__*": "deny" } },
    { permission: { "a.append": "deny" } },
    { permission: { mcp__a__append: "deny" } },
    { permission: { a_append: { "*": "deny" } } },
    { permissions: [{ action: "a_append", resource: "*", effect: "deny" }] },
    { tools: { a_append: false } },
    { tools: { "a*": false } },
    { tools: { a__append: false } },
  ),
];

const toFrontMatter = (fields: object, more: object): string => `---\n${stringify({ ...more, ...fields })}---\nWork.\n`;

/** The text of a place's form. */
const toText = (form: RulePlace["form"], fields: object): string => {
  if (form === "build") return toFrontMatter(fields, { description: "Builds." });
  return JSON.stringify(form === "permission" ? (fields as { permission?: unknown }).permission : fields);
};

const toWhere = ({ at, form, isText = false }: RulePlace): Where => ({
  shown: at,
  put: async (fields, ground) => {
    const text = toText(form, fields);
    const [, root = "", name = "", below = ""] = /^(\.|~|\$(\w+)|)\/?(.*)$/s.exec(at) ?? [];
    if (isText) return { ...ground, env: { ...ground.env, [name]: text } };
    const folder = { ".": ground.workspace, "~": ground.home, "": ground.root }[root] ?? path.join(ground.root, "named");
    const file = path.join(folder, below === "" ? "custom.json" : below.replace("*.json", "10-ours.json"));
    await save(file, text);
    return name === "" ? ground : { ...ground, env: { ...ground.env, [name]: below === "" ? file : folder } };
  },
});

/** An agent whose own file denies. */
const ofAgent = (shown: string, toFile: (fields: object) => string): Where => ({
  shown,
  put: async (fields, ground) => {
    await save(path.join(ground.workspace, shown), toFile(fields));
    return { ...ground, agent: "own" };
  },
});

const opencodeAgent = (fields: object): string => toFrontMatter(fields, { description: "Works." });

const WHERE: Readonly<Record<RuleDialect, readonly Where[]>> = {
  "claude-code": RULE_PLACES["claude-code"].map(toWhere),
  opencode: [
    ...RULE_PLACES.opencode.map(toWhere),
    ...[".opencode/agent/own.md", ".opencode/agents/own.md"].map((file) => ofAgent(file, opencodeAgent)),
    ...["opencode.json", ".opencode/opencode.jsonc"].map((file) =>
      ofAgent(file, (fields) => JSON.stringify({ agent: { own: { description: "Works.", prompt: "Work.", ...fields } } })),
    ),
    {
      shown: "opencode.json: agent.build",
      put: async (fields, ground) => {
        await save(path.join(ground.workspace, "opencode.json"), JSON.stringify({ agent: { build: fields } }));
        return ground;
      },
    },
  ],
};
const SPELLINGS: Readonly<Record<RuleDialect, readonly Spelling[]>> = {
  "claude-code": CLAUDE_SPELLINGS,
  opencode: OPENCODE_SPELLINGS,
};

type Trial = readonly [shown: string, where: Where, spelling: Spelling];

const pair = (where: Where, spelling: Spelling): Trial => [`${where.shown}: ${JSON.stringify(spelling.fields)}`, where, spelling];

/** "permission" alone has no other spelling. */
const fits = ({ shown }: Where, { fields }: Spelling): boolean => shown !== "$OPENCODE_PERMISSION" || "permission" in fields;

/** Every spelling in one place of each form: where a place lies changes nothing about how it is read. */
const all = (dialect: RuleDialect): readonly Trial[] => {
  const table = RULE_PLACES[dialect];
  const firsts = new Set(
    table
      .filter(({ form, isText }, at) => table.findIndex((one) => one.form === form && one.isText === isText) === at)
      .map(({ at }) => at),
  );
  return WHERE[dialect]
    .filter(({ shown }) => firsts.has(shown) || !table.some(({ at }) => at === shown))
    .flatMap((where) => SPELLINGS[dialect].filter((one) => fits(where, one)).map((one) => pair(where, one)));
};

/** Each place once, and each spelling once. */
const some = (dialect: RuleDialect): readonly Trial[] => {
  const [inProject] = WHERE[dialect].filter(({ shown }) => shown.startsWith("./"));
  const spellings = SPELLINGS[dialect];
  return [
    ...WHERE[dialect].map((where, index) => {
      const fitting = spellings.filter((one) => fits(where, one));
      return pair(where, fitting[index % fitting.length] as Spelling);
    }),
    ...spellings.flatMap((spelling) => (inProject ? [pair(inProject, spelling)] : [])),
  ];
};

const deny = async (where: Where, { tool, fields }: Spelling): Promise<readonly string[]> => {
  const { calls, ran } = await call([tool], (ground) => where.put(fields, ground));
  expect(ran).toEqual([]);
  return calls;
};

/** Of an agent's own file the tool may also be gone. */
const REFUSED = ["act_denied", "tool_unknown"];

const DIALECTS = ["claude-code", "opencode"] as const;

describe("a deny that another program reads", () => {
  test("is what stops the calls: without it all of them run", async () => {
    const { calls } = await call(["shell", "write", "a.append"], async (ground) => ground);
    expect(calls).toEqual(["ran", "ran", "ran"]);
  });

  test.each(DIALECTS.flatMap(some))("N14 holds in %s", async (_, where, spelling) => {
    const calls = await deny(where, spelling);
    expect(calls.map((code) => REFUSED.includes(code))).toEqual([true]);
  });

  test.each(DIALECTS)(
    "N14 holds in every spelling, in each form of place, of %s",
    { tags: ["long"], timeout: 300_000 },
    async (dialect) => {
      const missed: string[] = [];
      for (const [shown, where, spelling] of all(dialect)) {
        const calls = await deny(where, spelling);
        if (calls.length !== 1 || !REFUSED.includes(calls[0] ?? "")) missed.push(`${shown}: ${calls.join()}`);
      }
      expect(missed).toEqual([]);
    },
  );
});

describe("a rule that names no tool", () => {
  const FILES = {
    ".claude/settings.json": JSON.stringify(
      { permissions: { deny: ["Bsh", "mcp__none__x", "Bash(rm:*)", "NotebookEdit"] } },
      null,
      1,
    ),
    ".opencode/opencode.jsonc": `{\n  "permission": { "bsh": "deny", "bash": "ask", "a_append": "deny" }\n}`,
    ".retinue/agents/own.md":
      "---\nname: own\ndescription: Works.\ntools: [read]\ndeniedTools: [shel]\nrules:\n  - { tools: [wirte], effect: deny }\n---\nWork.\n",
  };
  const put = async (ground: Ground): Promise<Ground> => {
    for (const [file, text] of Object.entries(FILES)) await save(path.join(ground.workspace, file), text);
    return ground;
  };

  test("N14 is told when a session starts, with its file and line, and rules that name one are not", async () => {
    const { problems } = await call([], put);
    const told = problems
      .map((line) => line.replace(/^.*\/(?=\.(?:claude|opencode|retinue))/, ""))
      .filter((line) => line.includes("rule"));
    expect(told.toSorted()).toEqual([
      '.claude/settings.json:4: the rule "Bsh" names no tool of this session, so that it has no effect',
      '.claude/settings.json:5: the rule "mcp__none__x" names no tool of this session, so that it has no effect',
      '.opencode/opencode.jsonc:2: the rule "bsh" names no tool of this session, so that it has no effect',
      '.retinue/agents/own.md:5: the rule "shel" names no tool of this session, so that it has no effect (did you mean "shell"?)',
      '.retinue/agents/own.md:6: the rule "wirte" names no tool of this session, so that it has no effect (did you mean "write"?)',
    ]);
  });

  test("N14 is told by `agents check`, tools of the other program as a notice", async () => {
    const project = await createProject();
    cleanups.push(project.remove);
    await put({ workspace: project.workspace, home: "", root: "", env: {}, agent: "" });
    const { stdout } = await callRetinue(project, ["agents", "check", "--json"]);
    const report = JSON.parse(stdout) as {
      files: { file: string; problems: { severity: string; message: string }[] }[];
    };
    const told = report.files.flatMap(({ file, problems }) =>
      problems
        .filter(({ message }) => message.includes("names no tool"))
        .map(({ severity, message }) => `${path.basename(file)} ${severity} ${/"([^"]+)"/.exec(message)?.[1]}`),
    );
    expect(told.toSorted()).toEqual([
      "opencode.jsonc warning a_append",
      "opencode.jsonc warning bsh",
      "own.md warning shel",
      "own.md warning wirte",
      "settings.json notice NotebookEdit",
      "settings.json warning Bsh",
      "settings.json warning mcp__none__x",
    ]);
  });
});
