/** What is trusted is read-only for agents: files that hooks, tool servers and checks run are written by no tool, no command and no merge. */
import { createScriptedModel } from "@retinue/model/testing";
import type { Json, RecordedEvent } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { probeSandbox } from "@retinue/confine";
import { createTrustStore } from "@retinue/confine/trust";
import { readMcpFiles } from "@retinue/tools";
import { createMemoryLog } from "@retinue/store";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const FILES: Readonly<Record<string, string>> = {
  "tools/check.sh": ". tools/lib/rules.sh\n",
  "tools/lib/rules.sh": "exit 0\n",
  "tools/free.sh": "echo free\n",
  "server/main.mjs": 'import "./answers.mjs";\n',
  "server/answers.mjs": "process.exit(1);\n",
  "accept.sh": "exit 0\n",
  ".mcp.json": JSON.stringify({ mcpServers: { shop: { command: "node", args: ["server/main.mjs"] } } }),
};

const BOUND = ["tools/check.sh", "tools/lib/rules.sh", "server/main.mjs", "server/answers.mjs", "accept.sh"];

type Call = { readonly tool: string; readonly input: Record<string, Json> };
type Trial = {
  readonly calls: readonly Call[];
  readonly isolation?: "worktree";
  readonly unprotected?: readonly string[];
  readonly writes?: readonly string[];
  readonly allowUnsandboxed?: boolean;
};

const attempt = async ({ calls, isolation, unprotected = [], writes, allowUnsandboxed = false }: Trial) => {
  const project = await createProject();
  cleanups.push(project.remove);
  const { workspace, home } = project;
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(path.dirname(path.join(workspace, file)), { recursive: true });
    await writeFile(path.join(workspace, file), text);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace });
  if (isolation) {
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
  }
  const { claims } = await readMcpFiles({ workspace });
  await createTrustStore({ file: path.join(home, "trust.json") }).grant(claims);
  const agent = {
    ...agentFrontMatterSchema.parse({
      name: "worker",
      description: "Works.",
      tools: ["*"],
      accept: { command: "sh accept.sh" },
      ...(isolation === undefined ? {} : { isolation }),
      ...(writes === undefined ? {} : { writes }),
    }),
    delegates: [],
    prompt: "You are worker.",
  };
  const retinue = await createRetinue({
    workspace,
    env: { RETINUE_HOME: home, PATH: process.env["PATH"] },
    settings: {
      ...DEFAULT_SETTINGS,
      approve: "all",
      unprotected,
      allowUnsandboxed,
      hooks: [{ on: "run.settled", command: "sh tools/check.sh" }],
    },
    store: createMemoryLog(),
    agents: [agent],
    model: createScriptedModel((_request, turn) => (turn === 0 ? { toolCalls: [...calls] } : { text: "Done." })),
  });
  cleanups.push(retinue.close);
  const run = await retinue.run("go", { agent: "worker" });
  const result = await run.result;
  const settled = (await retinue.events(run.sessionId)).filter(
    (event): event is Extract<RecordedEvent, { type: "tool.settled" }> =>
      event.type === "tool.settled" && event.tool !== "accept",
  );
  const texts = await Promise.all(
    Object.keys(FILES).map(
      async (file) => [file, await readFile(path.join(workspace, file), "utf8").catch(() => "gone")] as const,
    ),
  );
  const changed = texts.filter(([file, text]) => text !== FILES[file]).map(([file]) => file);
  return {
    result,
    changed,
    errors: settled.map(({ error }) => error?.code),
    said: JSON.stringify(settled.map(({ content }) => content)),
  };
};

describe("what something trusted runs", { timeout: 120_000 }, () => {
  test("is written by no tool, and the model is told why", async () => {
    const calls = BOUND.map((file) => ({ tool: "write", input: { path: file, content: "evil\n" } }));
    const { changed, errors, said } = await attempt({
      calls: [
        ...calls,
        { tool: "read", input: { path: "tools/free.sh" } },
        { tool: "write", input: { path: "tools/free.sh", content: "mine\n" } },
      ],
    });
    expect(errors.slice(0, BOUND.length)).toEqual(BOUND.map(() => "path_protected"));
    expect(said).toContain("run by a hook, a server or a check that is trusted");
    expect(changed).toEqual(["tools/free.sh"]);
  });

  test("is written where the user has set it free", async () => {
    const { changed } = await attempt({
      calls: [
        { tool: "read", input: { path: "tools/check.sh" } },
        { tool: "write", input: { path: "tools/check.sh", content: "mine\n" } },
      ],
      unprotected: ["tools/check.sh"],
    });
    expect(changed).toEqual(["tools/check.sh"]);
  });

  test("does not come back from a worktree", { tags: ["long"] }, async () => {
    const { changed, result } = await attempt({
      calls: [
        ...["tools/check.sh", "tools/free.sh"].map((file) => ({ tool: "read", input: { path: file } })),
        { tool: "write", input: { path: "tools/check.sh", content: "evil\n" } },
        { tool: "write", input: { path: "tools/free.sh", content: "mine\n" } },
      ],
      isolation: "worktree",
    });
    expect(changed).toEqual(["tools/free.sh"]);
    expect(JSON.stringify(result.merge)).toContain("run by a hook, a server or a check that is trusted");
  });
});

const isSandboxed = (await probeSandbox()).backend !== "none";

const COMMANDS = [
  "echo evil > tools/check.sh",
  "echo evil >> tools/lib/rules.sh",
  "mv tools t2; mkdir tools; echo evil > tools/check.sh",
  "mv tools/lib tools/l2; mkdir -p tools/lib; echo evil > tools/lib/rules.sh",
  "echo evil > x; mv -f x tools/check.sh",
  "rm -f tools/check.sh accept.sh; echo evil > accept.sh",
  "ln tools/check.sh x; echo evil >> x",
  // To a file of the workspace: without a sandbox the line below follows it.
  "ln -sf ../accept.sh tools/check.sh",
  "sed -i s/0/1/ tools/lib/rules.sh server/answers.mjs",
  "rm -rf server; mkdir server; echo evil > server/main.mjs",
  "truncate -s0 accept.sh; chmod 777 tools/check.sh; cp /dev/null tools/check.sh",
];

/** Where no sandbox holds a command, hooks and servers find out that their files were changed, and are not run. */
const CHANGED = isSandboxed ? ["tools/free.sh"] : (expect.arrayContaining(["tools/free.sh"]) as readonly string[]);

const EVERYTHING = {
  tool: "shell",
  input: { command: [...COMMANDS, "echo mine > tools/free.sh"].map((each) => `(${each})`).join("\n") },
};

describe("what something trusted runs is changed by no command in a sandbox", { timeout: 240_000 }, () => {
  test("whatever it tries, and the rest of the workspace is written as before", async () => {
    expect((await attempt({ calls: [EVERYTHING] })).changed).toEqual(CHANGED);
  });

  test("also where it works in a throw-away copy", async () => {
    const { changed } = await attempt({ calls: [EVERYTHING], writes: ["tools/*.sh", "accept.sh"], allowUnsandboxed: true });
    expect(changed).toEqual(CHANGED);
  });
});
