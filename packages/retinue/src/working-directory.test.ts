/** A sub-agent that is given a folder to work in has no other, and no more rights there than the run above it. */
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { Json, RecordedEvent } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createMemoryLog } from "@retinue/store";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
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
