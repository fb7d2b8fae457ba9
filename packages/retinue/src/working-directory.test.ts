/** A sub-agent that is given a folder to work in has no other, and no more rights there than the run above it. */
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import { probeSandbox } from "@retinue/confine";
import type { Json, RecordedEvent, RunResult, SessionId } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const define = (name: string, more: object = {}) => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.`, tools: ["read", "write", "shell"], ...more }),
  delegates: name === "lead" ? ["worker"] : [],
  prompt: `You are ${name}.`,
});

type Trial = {
  readonly directory: string;
  /** What the sub-agent calls, in one turn. */
  readonly calls: readonly { readonly tool: string; readonly input: Record<string, Json> }[];
  readonly leadWrites?: readonly string[];
  readonly unprotected?: readonly string[];
};

const delegateIn = async ({ directory, calls, leadWrites, unprotected = [] }: Trial) => {
  const project = await createProject();
  const { workspace } = project;
  await mkdir(path.join(workspace, "packages/shop/src"), { recursive: true });
  await writeFile(path.join(workspace, "packages/shop/src/price.ts"), "price\n");
  await writeFile(path.join(workspace, "top.txt"), "top\n");
  await mkdir(path.join(workspace, ".git"));
  await symlink(project.home, path.join(workspace, "out"));
  await symlink("packages/shop", path.join(workspace, "shop"));
  const script = ({ system }: { readonly system: string }, turn: number): ScriptedTurn => {
    if (turn > 0) return { text: "Done." };
    return system.includes("You are lead.")
      ? { toolCalls: [{ tool: "delegate_to_agent", input: { agent: "worker", task: "work", working_directory: directory } }] }
      : { toolCalls: [...calls] };
  };
  const retinue = await createRetinue({
    workspace,
    env: { RETINUE_HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, approve: "all", unprotected, allowUnsandboxed: true },
    store: createMemoryLog(),
    agents: [
      define("lead", leadWrites === undefined ? { grant: "session" } : { grant: "session", writes: leadWrites }),
      define("worker"),
    ],
    model: createScriptedModel(script),
  });
  cleanups.push(project.remove, retinue.close);
  const run = await retinue.run("go", { agent: "lead" });
  const result = await run.result;
  const events = await retinue.events(run.sessionId);
  const settled = events.filter(
    (event): event is Extract<RecordedEvent, { type: "tool.settled" }> => event.type === "tool.settled",
  );
  const textOf = (event: (typeof settled)[number] | undefined): string =>
    event?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
  const ofLead = settled.find(({ tool }) => tool === "delegate_to_agent");
  return {
    workspace,
    result,
    report: textOf(ofLead),
    error: ofLead?.error?.code,
    answers: settled
      .filter(({ agent }) => agent === "worker")
      .map((event) => ({ said: textOf(event), error: event.error?.code })),
  };
};

describe("a sub-agent with a working_directory", { timeout: 120_000 }, () => {
  test("reads, writes and runs commands there, and those above read the paths as theirs", async () => {
    const { workspace, answers, report, result } = await delegateIn({
      directory: "shop",
      calls: [
        { tool: "read", input: { path: "src/price.ts" } },
        { tool: "write", input: { path: "src/new.ts", content: "new\n" } },
        { tool: "shell", input: { command: "basename $PWD; ls src" } },
      ],
    });
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(answers[0]?.said).toContain("price");
    expect(answers[2]?.said).toContain("shop\nnew.ts\nprice.ts");
    expect(await readFile(path.join(workspace, "packages/shop/src/new.ts"), "utf8")).toBe("new\n");
    expect(JSON.parse(report)).toMatchObject({ filesCreated: ["packages/shop/src/new.ts"] });
    expect(result.filesCreated).toEqual(["packages/shop/src/new.ts"]);
  });

  test("reads and writes nothing beside it", async () => {
    const { answers, workspace } = await delegateIn({
      directory: "packages/shop",
      calls: [
        { tool: "read", input: { path: "../../top.txt" } },
        { tool: "write", input: { path: "../evil.txt", content: "evil\n" } },
      ],
    });
    expect(answers.map(({ error }) => error)).toEqual(["path_outside_workspace", "path_outside_workspace"]);
    expect(existsSync(path.join(workspace, "packages/evil.txt"))).toBe(false);
  });

  test("writes there no more than the run above may", async () => {
    const { answers } = await delegateIn({
      directory: "packages/shop",
      leadWrites: ["packages/*/src/**"],
      calls: [
        { tool: "write", input: { path: "src/new.ts", content: "new\n" } },
        { tool: "write", input: { path: "package.json", content: "{}\n" } },
        { tool: "write", input: { path: "packages/shop/src/x.ts", content: "x\n" } },
      ],
    });
    expect(answers.map(({ error }) => error)).toEqual([undefined, "path_outside_scope", "path_outside_scope"]);
  });

  test.each([
    ["outside the workspace", "..", "path_outside_workspace"],
    ["behind a link out of it", "out", "path_outside_workspace"],
    ["in git", ".git", "path_protected"],
    ["a file", "top.txt", "directory_refused"],
    ["nowhere", "nowhere", "directory_refused"],
  ])("that is %s is not started, and the model is told", async (_where, directory, code) => {
    const { error, answers } = await delegateIn({ directory, calls: [] });
    expect(error).toBe(code);
    expect(answers).toEqual([]);
  });

  test("is not started where the user has set paths of the workspace free, which would be others there", async () => {
    const { error } = await delegateIn({ directory: "packages", calls: [], unprotected: [".env"] });
    expect(error).toBe("directory_refused");
  });
});

/** Tries to read what lies around the folder, by every way up. */
const LOOK_AROUND =
  "ls -a .. ../..; cat ../../top.txt ../other/secret.txt ../../packages/other/secret.txt $PWD/../../top.txt 2>/dev/null; ls src";

const inSandbox = (await probeSandbox()).backend === "bwrap";

type Calls = { readonly [agent: string]: (answered: number) => ScriptedTurn };

/** A workspace in a repository or not, whose packages lie above the folder that is worked in. */
const openMonorepo = async (calls: Calls, { hasGit = true, tools = [] as readonly AnyTool[] } = {}) => {
  const project = await createProject();
  const { workspace } = project;
  for (const [file, text] of [
    ["top.txt", "TOP"],
    ["packages/other/secret.txt", "SECRET"],
    ["packages/shop/src/price.ts", "price"],
    ["node_modules/left-pad/index.js", "module.exports = 'PADDED';"],
  ] as const) {
    await mkdir(path.dirname(path.join(workspace, file)), { recursive: true });
    await writeFile(path.join(workspace, file), `${text}\n`);
  }
  if (hasGit) await mkdir(path.join(workspace, ".git"));
  const retinue = await createRetinue({
    workspace,
    env: { RETINUE_HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, approve: "all" },
    store: createMemoryLog(),
    tools,
    agents: [
      { ...define("lead", { grant: "session", tools: ["*"] }), delegates: ["worker"] },
      { ...define("worker", { tools: ["read", "write", "shell"] }), delegates: ["helper"] },
      define("helper", { tools: ["read", "shell"] }),
    ],
    model: createScriptedModel(({ system }, answered) => {
      const [, name = ""] = /You are (\w+)\./.exec(system) ?? [];
      return calls[name]?.(answered) ?? { text: "Done." };
    }),
  });
  cleanups.push(project.remove, retinue.close);
  const commandsOf = async (sessionId: SessionId): Promise<readonly string[]> =>
    (await retinue.events(sessionId)).flatMap((event) =>
      event.type === "tool.settled" && event.tool === "shell"
        ? [event.content.map((part) => (part.type === "text" ? part.text : "")).join("")]
        : [],
    );
  return { retinue, workspace, commandsOf };
};

const once =
  (turn: ScriptedTurn) =>
  (answered: number): ScriptedTurn =>
    answered === 0 ? turn : { text: "Done." };
const shell = (command: string): ScriptedTurn => ({ toolCalls: [{ tool: "shell", input: { command } }] });
const delegate = (agent: string, more: Record<string, Json> = {}): ScriptedTurn => ({
  toolCalls: [{ tool: "delegate_to_agent", input: { agent, task: `work as ${agent}`, ...more } }],
});

/** Where there is no sandbox, nothing is run. */
const expectAlone = (said: readonly string[]): void => {
  expect(said).toHaveLength(1);
  expect(said[0]).not.toMatch(/TOP|SECRET|other|top/);
  if (inSandbox) expect(said[0]).toContain("price.ts");
  else expect(said[0]).not.toContain("price.ts");
};

describe("N9 commands of a sub-agent with a working_directory see that folder alone", { timeout: 120_000 }, () => {
  test.each([true, false])("in a repository: %s", async (hasGit) => {
    const { retinue, commandsOf } = await openMonorepo(
      { lead: once(delegate("worker", { working_directory: "packages/shop" })), worker: once(shell(LOOK_AROUND)) },
      { hasGit },
    );
    const run = await retinue.run("go", { agent: "lead" });
    await run.result;
    expectAlone(await commandsOf(run.sessionId));
  });

  test("and so do those of the agents that it starts", async () => {
    const { retinue, commandsOf } = await openMonorepo({
      lead: once(delegate("worker", { working_directory: "packages/shop" })),
      worker: once(delegate("helper")),
      helper: once(shell(LOOK_AROUND)),
    });
    const run = await retinue.run("go", { agent: "lead" });
    await run.result;
    expectAlone(await commandsOf(run.sessionId));
  });

  test("but for the packages that are installed above it, which they do not write", async () => {
    const { retinue, workspace, commandsOf } = await openMonorepo({
      worker: once(
        shell("node -p 'require(\"left-pad\")'; echo evil > ../../node_modules/left-pad/index.js; echo new > src/new.ts"),
      ),
    });
    const run = await retinue.run("go", { agent: "worker", workingDirectory: "packages/shop" });
    await run.result;
    const [said = ""] = await commandsOf(run.sessionId);
    if (inSandbox) expect(said).toContain("PADDED");
    expect(await readFile(path.join(workspace, "node_modules/left-pad/index.js"), "utf8")).toContain("PADDED");
    expect(existsSync(path.join(workspace, "packages/shop/src/new.ts"))).toBe(inSandbox);
  });
});

describe("a workingDirectory of the library", { timeout: 120_000 }, () => {
  const calls = { worker: once(shell(LOOK_AROUND)) };

  test("holds for spawn", async () => {
    const { retinue, commandsOf } = await openMonorepo(calls);
    await retinue.spawn("worker", "look", { workingDirectory: "packages/shop" });
    const [session] = (await retinue.sessions.listSessions()).items;
    expectAlone(await commandsOf(session?.sessionId ?? "ses_"));
  });

  test("holds for fanOut", async () => {
    const { retinue, commandsOf } = await openMonorepo(calls);
    const [result] = await retinue.fanOut([{ agent: "worker", task: "look", workingDirectory: "packages/shop" }]);
    expect(result?.status).toBe("completed");
    const [session] = (await retinue.sessions.listSessions()).items;
    expectAlone(await commandsOf(session?.sessionId ?? "ses_"));
  });

  test("keeps the session one of the whole workspace", async () => {
    const { retinue, workspace } = await openMonorepo({});
    const run = await retinue.run("look", { agent: "worker", workingDirectory: "packages/shop" });
    await run.result;
    expect((await retinue.sessions.session(run.sessionId))?.workspace).toBe(workspace);
    const again = await retinue.run("again", { sessionId: run.sessionId });
    expect((await again.result).status).toBe("completed");
  });

  test.each(["spawn", "fanOut"] as const)(
    "holds for %s inside a tool, and files are named from the folder above",
    async (way) => {
      const results: RunResult[] = [];
      const options = { workingDirectory: "packages/shop" };
      const tool = defineTool({
        name: "start_worker",
        description: "Starts a worker.",
        input: z.object({}),
        effect: "read",
        execute: async () => {
          const below =
            way === "spawn"
              ? [await retinue.spawn("worker", "look", options)]
              : await retinue.fanOut([{ agent: "worker", task: "look", ...options }]);
          results.push(...below);
          return "started";
        },
      });
      const look = {
        toolCalls: [...(shell(LOOK_AROUND).toolCalls ?? []), { tool: "write", input: { path: "src/new.ts", content: "new" } }],
      };
      const { retinue, commandsOf } = await openMonorepo(
        { lead: once({ toolCalls: [{ tool: "start_worker", input: {} }] }), worker: once(look) },
        { tools: [tool] },
      );
      const run = await retinue.run("go", { agent: "lead" });
      await run.result;
      expectAlone(await commandsOf(run.sessionId));
      expect(results.map(({ filesCreated }) => filesCreated)).toEqual([["packages/shop/src/new.ts"]]);
    },
  );

  test.each(["..", "nowhere"])("that is %s is refused", async (workingDirectory) => {
    const { retinue } = await openMonorepo({});
    await expect(retinue.spawn("worker", "look", { workingDirectory })).rejects.toMatchObject({ code: "directory_refused" });
  });
});
