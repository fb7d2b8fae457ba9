import path from "node:path";
import { createScriptedModel } from "@retinue/model/testing";
import type { ApproveMode, Grant, RunSpec, ToolEffect } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hashAct, likenessOf } from "./approvals.ts";
import type { JudgeOptions, Judgement } from "./judge.ts";
import { createJudge } from "./judge.ts";
import { runTest } from "../testing/test-run.ts";
import type { Touches } from "../loop/tool.ts";
import { defineTool } from "../loop/tool.ts";

type Case = {
  readonly effect: ToolEffect;
  readonly touches: Touches;
  readonly approve?: ApproveMode;
  readonly grant?: Partial<Grant>;
  readonly options?: JudgeOptions;
  readonly links?: Readonly<Record<string, string>>;
};

const judged = async ({ effect, touches, approve = "all", grant = {}, options = {}, links = {} }: Case): Promise<Judgement> => {
  const spec: RunSpec = {
    system: "",
    model: "none/none",
    fallbacks: [],
    tools: ["act"],
    limits: {},
    treeLimits: {},
    delegates: [],
    workspace: "/work",
    grant: { tools: ["act"], writes: [], hosts: [], approve, maxDepth: 3, ...grant },
  };
  return createJudge(options)({
    callId: "call_1",
    tool: defineTool({ name: "act", description: "", input: z.unknown(), effect, touches: () => touches, execute: () => "" }),
    input: touches.command === undefined ? {} : { command: touches.command },
    spec,
    realPath: async (file) => links[file] ?? path.resolve(file),
  });
};

const outcome = async (given: Case): Promise<string> => {
  const judgement = await judged(given);
  return judgement.type === "deny" ? judgement.error.code : judgement.type;
};

const MODES: readonly ApproveMode[] = ["ask", "workspace", "all"];

describe("the judge", () => {
  test("a question to the user is asked in every mode, and no rule that allows the tool answers it", async () => {
    const question = { text: "Which port?", options: ["80"] };
    const preapproved = [{ from: "user", rules: [{ tools: ["act"], effect: "allow" as const }] }];
    for (const approve of [...MODES, "read-only"] as const)
      expect(await judged({ effect: "read", touches: { question }, approve, options: { preapproved } })).toMatchObject({
        type: "ask",
        act: { question },
      });
  });

  test("I1, I6: a protected path is not written in any mode, whoever approves", async () => {
    for (const approve of MODES)
      for (const file of [
        ".git/hooks/pre-commit",
        ".mcp.json",
        "sub/.mcp.json",
        "retinue.yaml",
        ".retinue/agents/main.md",
        ".env",
        ".bashrc",
      ])
        expect([file, await outcome({ effect: "write", touches: { paths: [file] }, approve })]).toEqual([file, "path_protected"]);
  });

  test("I2: a file that others run later is asked about, also where everything passes", async () => {
    for (const approve of MODES)
      expect(await outcome({ effect: "write", touches: { paths: [".github/workflows/ci.yml"] }, approve })).toBe("ask");
    expect(await outcome({ effect: "write", touches: { paths: ["package.json"] }, approve: "workspace" })).toBe("ask");
    expect(await outcome({ effect: "write", touches: { paths: ["package.json"] }, approve: "all" })).toBe("allow");
  });

  test("I2: where nobody is there to ask, such a write is denied though everything passes", async () => {
    const writes = defineTool({
      name: "put",
      description: "",
      input: z.object({ path: z.string() }),
      effect: "write",
      touches: ({ path: file }) => ({ paths: [file] }),
      execute: () => "written",
    });
    const model = createScriptedModel([
      {
        toolCalls: [
          { tool: "put", input: { path: "AGENTS.md" } },
          { tool: "put", input: { path: "a.md" } },
        ],
      },
      { text: "Done." },
    ]);
    const { log } = await runTest({ models: [model], tools: [writes], approveMode: "all" });
    expect(log.flatMap((event) => (event.type === "tool.settled" ? [[event.outcome, event.error?.code]] : []))).toEqual([
      ["denied", "approval_unavailable"],
      ["ok", undefined],
    ]);
  });

  test("I2: who allowed a tool to write has not allowed it to write a protected path", async () => {
    const plain = await judged({ effect: "write", touches: { paths: ["a.ts"] }, approve: "ask" });
    const other = await judged({ effect: "write", touches: { paths: ["b.ts"] }, approve: "ask" });
    const workflow = await judged({ effect: "write", touches: { paths: [".github/workflows/ci.yml"] }, approve: "ask" });
    if (plain.type !== "ask" || other.type !== "ask" || workflow.type !== "ask") throw new Error("all of them are asked about");
    expect(likenessOf(plain.act)).toBe(likenessOf(other.act));
    expect(likenessOf(workflow.act)).not.toBe(likenessOf(plain.act));
    expect(workflow.act.protectedPaths).toEqual([".github/workflows/ci.yml"]);
  });

  test("secrets and the internals of git are not read, unless the user has set them free", async () => {
    for (const file of [".env", "a/.env.local", "server.key", ".git/config", ".ssh/id_rsa"]) {
      expect([file, await outcome({ effect: "read", touches: { paths: [file] } })]).toEqual([file, "path_protected"]);
      expect([file, await outcome({ effect: "execute", touches: { paths: [file] } })]).toEqual([file, "path_protected"]);
      const options = { unprotected: [file] };
      expect([file, await outcome({ effect: "read", touches: { paths: [file] }, options })]).toEqual([file, "allow"]);
    }
    expect(await outcome({ effect: "read", touches: { paths: [".env.example"] } })).toBe("allow");
    expect(await outcome({ effect: "read", touches: { paths: ["artifact:art_1"] } })).toBe("allow");
  });

  test("A13: another spelling of a protected or a granted path does not help", async () => {
    expect(await outcome({ effect: "write", touches: { paths: [".GIT/hooks/x"] } })).toBe("path_protected");
    expect(await outcome({ effect: "write", touches: { paths: ["TESTS/../SRC/a"] }, grant: { writes: [["tests/**"]] } })).toBe(
      "path_outside_scope",
    );
    expect(await outcome({ effect: "write", touches: { paths: ["TESTS/a"] }, grant: { writes: [["tests/**"]] } })).toBe(
      "path_outside_scope",
    );
  });

  test("A14: a twin of a granted folder in another normalisation is judged by where it really is", async () => {
    const [composed, decomposed] = ["caf\u00E9", "cafe\u0301"];
    const grant = { writes: [[`${composed}/**`]] };
    expect(await outcome({ effect: "write", touches: { paths: [`${composed}/a`] }, grant })).toBe("allow");
    expect(await outcome({ effect: "write", touches: { paths: [`${decomposed}/a`] }, grant })).toBe("path_outside_scope");
    const links = { [`/work/${decomposed}/a`]: `/work/${composed}/a` };
    expect(await outcome({ effect: "write", touches: { paths: [`${decomposed}/a`] }, grant, links })).toBe("allow");
  });

  test("A15: streams, devices, drives and names that end oddly are not written", async () => {
    for (const file of ["a.ts:stream", "NUL", "x/nul.txt", "C:rel", "\\\\?\\C:\\x", "a.", "a ", "d /x"])
      expect([file, await outcome({ effect: "write", touches: { paths: [file] } })]).toEqual([file, "path_protected"]);
  });

  test("A16: a granted folder that is a link is judged by what it leads to", async () => {
    const grant = { writes: [["tests/**"]] };
    const links = { "/work/tests/a": "/work/src/a", "/work/tests/b": "/elsewhere/b" };
    expect(await outcome({ effect: "write", touches: { paths: ["tests/a"] }, grant, links })).toBe("path_outside_scope");
    expect(await outcome({ effect: "write", touches: { paths: ["tests/b"] }, grant, links })).toBe("path_outside_workspace");
  });

  test("A22: a link to a secret is read no more than the secret, and a secret that is a link neither", async () => {
    const links = { "/work/notes.txt": "/work/.env", "/work/.env": "/work/plain.txt" };
    expect(await outcome({ effect: "read", touches: { paths: ["notes.txt"] }, links })).toBe("path_protected");
    expect(await outcome({ effect: "read", touches: { paths: [".env"] }, links })).toBe("path_protected");
  });

  test("a host outside the grant is not reached in any mode", async () => {
    const grant = { hosts: [["example.com", "*.npmjs.org", "10.0.0.7", "localhost:8080"], ["*"]] };
    const reach = (host: string): Promise<string> => outcome({ effect: "network", touches: { hosts: [host] }, grant });
    for (const host of ["example.com", "a.example.com", "EXAMPLE.com.", "registry.npmjs.org", "10.0.0.7", "localhost:8080"])
      expect([host, await reach(host)]).toEqual([host, "allow"]);
    for (const host of [
      "evil-example.com",
      "example.com.evil.com",
      "npmjs.org",
      "10.0.0.70",
      "localhost",
      "localhost:80",
      "",
      "[::1]",
    ])
      expect([host, await reach(host)]).toEqual([host, "host_outside_grant"]);
    expect(await outcome({ effect: "network", touches: { hosts: ["anything"] } })).toBe("allow");
    expect(await outcome({ effect: "read", touches: { hosts: ["other.org"] }, grant })).toBe("host_outside_grant");
  });
});

describe("in the mode workspace", () => {
  const approve = "workspace";

  test("writes inside workspace and scope pass, others do not", async () => {
    expect(await outcome({ effect: "write", touches: { paths: ["src/a.ts"] }, approve })).toBe("allow");
    expect(await outcome({ effect: "write", touches: { paths: ["src/a.ts", "package.json"] }, approve })).toBe("ask");
    expect(await outcome({ effect: "write", touches: { paths: ["../a.ts"] }, approve })).toBe("path_outside_workspace");
    expect(await outcome({ effect: "write", touches: { paths: ["src/a"] }, approve, grant: { writes: [["t/**"]] } })).toBe(
      "path_outside_scope",
    );
  });

  test("a write that does not say where, and everything that goes out, is asked about", async () => {
    expect(await outcome({ effect: "write", touches: {}, approve })).toBe("ask");
    expect(await outcome({ effect: "write", touches: { paths: ["a"], hosts: ["x.org"] }, approve })).toBe("ask");
    expect(await outcome({ effect: "network", touches: { hosts: ["x.org"] }, approve })).toBe("ask");
    expect(await outcome({ effect: "execute", touches: {}, approve })).toBe("ask");
  });

  test("B13: git looks into a repository unasked only in a sandbox, since the repository can name programs", async () => {
    const touches = { command: "git status && git diff --stat" };
    expect(await outcome({ effect: "execute", touches, approve })).toBe("ask");
    expect(await outcome({ effect: "execute", touches, approve, options: { sandboxObstacle: async () => undefined } })).toBe(
      "allow",
    );
  });

  test("a call that starts a program on what others wrote is asked about where no sandbox holds it, and says what is not protected", async () => {
    const touches = { paths: ["."], withoutSandbox: "your files" };
    for (const effect of ["read", "write"] as const)
      for (const mode of ["ask", "workspace"] as const) {
        const judgement = await judged({ effect, touches, approve: mode });
        expect(judgement).toMatchObject({ type: "ask", act: { unsandboxed: "your files" } });
      }
    expect(await outcome({ effect: "read", touches, approve: "read-only" })).toBe("ask");
    expect(await outcome({ effect: "read", touches, approve: "all" })).toBe("allow");
    const options = { sandboxObstacle: async () => undefined };
    expect(await outcome({ effect: "read", touches, approve, options })).toBe("allow");
    expect(await outcome({ effect: "read", touches, approve: "read-only", options })).toBe("allow");
    expect(await outcome({ effect: "write", touches, approve, options })).toBe("allow");
    expect(await judged({ effect: "write", touches, approve: "ask", options })).not.toHaveProperty("act.unsandboxed");
  });

  test("B1: harmless commands pass, others and those that look outside or at secrets are asked about", async () => {
    const run = (command: string, options: JudgeOptions = {}): Promise<string> =>
      outcome({
        options,
        effect: "execute",
        touches: { command },
        approve,
        links: { "/work/link": "/etc", "/work/key": "/work/.env" },
      });
    for (const command of ["ls", "cat src/a.ts", "node --version", "cd src && ls"])
      expect([command, await run(command)]).toEqual([command, "allow"]);
    for (const command of [
      "rm x",
      "ls && rm x",
      "cat /etc/passwd",
      "cat .env",
      "ls link",
      "cat key",
      "cat .git/config",
      "npm test",
      "cd /etc && ls",
    ])
      expect([command, await run(command)]).toEqual([command, "ask"]);
  });
});

test("B1: commands are asked about, or refused, in the stricter modes, harmless or not", async () => {
  expect(await outcome({ effect: "execute", touches: { command: "ls" }, approve: "ask" })).toBe("ask");
  expect(await outcome({ effect: "execute", touches: { command: "ls" }, approve: "read-only" })).toBe("act_denied");
});

describe("where there is no sandbox for commands", () => {
  const touches = { command: "make", needsSandbox: true };
  const absent: JudgeOptions = { sandboxObstacle: async () => ({ reason: "bubblewrap is not installed", isInstalled: false }) };
  const failing: JudgeOptions = { sandboxObstacle: async () => ({ reason: "the disk is full", isInstalled: true }) };
  const limited = { hosts: [["example.com"]] };

  test("a command of an agent with limited rights is asked about in every mode, and what is not protected is said", async () => {
    for (const approve of MODES) {
      const judgement = await judged({ effect: "execute", touches, approve, grant: limited, options: absent });
      if (judgement.type !== "ask") throw new Error("it is asked about");
      expect(judgement.act.unsandboxed).toMatch(
        /bubblewrap is not installed.*every file that you can.*though this agent may not/,
      );
    }
    expect(await outcome({ effect: "execute", touches, approve: "read-only", grant: limited, options: absent })).toBe(
      "act_denied",
    );
    expect(await outcome({ effect: "execute", touches, grant: { writes: [["src/**"]] }, options: absent })).toBe("ask");
  });

  test("where everything passes, one of an agent with all rights passes too, unless a sandbox should be there", async () => {
    expect(await outcome({ effect: "execute", touches, options: absent })).toBe("allow");
    expect(await outcome({ effect: "execute", touches, grant: { writes: [["**"]], hosts: [["*"]] }, options: absent })).toBe(
      "allow",
    );
    expect(await outcome({ effect: "execute", touches, options: failing })).toBe("ask");
    expect(
      await outcome({
        effect: "execute",
        touches: { command: "ls", needsSandbox: true },
        approve: "workspace",
        options: failing,
      }),
    ).toBe("ask");
  });

  test("nothing is asked where the user has waived it, where it works, or of what needs none", async () => {
    expect(await outcome({ effect: "execute", touches, options: { ...failing, allowUnsandboxed: true }, grant: limited })).toBe(
      "allow",
    );
    expect(
      await outcome({ effect: "execute", touches, options: { sandboxObstacle: async () => undefined }, grant: limited }),
    ).toBe("allow");
    expect(await outcome({ effect: "execute", touches: {}, options: failing, grant: limited })).toBe("allow");
  });

  test("who allowed a command in a sandbox has not allowed it without one", async () => {
    const ask = async (options: JudgeOptions): Promise<string> => {
      const judgement = await judged({ effect: "execute", touches, approve: "ask", options });
      return judgement.type === "ask" ? hashAct(judgement.act) : judgement.type;
    };
    expect(await ask(absent)).not.toBe(await ask({ sandboxObstacle: async () => undefined }));
  });
});

test("B16: an approval of a script holds for its content, but one that was given for longer does not", async () => {
  const contents = new Map([["/work/build.sh", "one"]]);
  const options: JudgeOptions = { digest: async (file) => contents.get(file) };
  const ask = async () => {
    const judgement = await judged({ effect: "execute", touches: { command: "sh build.sh" }, approve: "ask", options });
    if (judgement.type !== "ask") throw new Error("it is asked about");
    return judgement.act;
  };
  const first = await ask();
  expect(first.scripts).toEqual([{ path: "build.sh", digest: "one" }]);
  expect(hashAct(await ask())).toBe(hashAct(first));
  contents.set("/work/build.sh", "two");
  expect(hashAct(await ask())).not.toBe(hashAct(first));
  expect(likenessOf(await ask())).toBe(likenessOf(first));
});

test("B16: an approval of what may run any file holds for all of them, but one that was given for longer does not", async () => {
  let tree = "first";
  const options: JudgeOptions = { digestTree: async () => tree };
  const ask = async (command: string) => {
    const judgement = await judged({ effect: "execute", touches: { command }, approve: "ask", options });
    if (judgement.type !== "ask") throw new Error("it is asked about");
    return judgement.act;
  };
  const first = await ask("make -C sub");
  expect(first.tree).toBe("first");
  for (const command of ["mkdir -p a && cp b a/c", "ls; wc -l x", "git status", "rm a > b", "echo x >> 'a b'"])
    expect(await ask(command)).not.toHaveProperty("tree");
  for (const command of [
    "ls $(cat x)",
    "mkdir a; ./x",
    "FOO=1 ls",
    "git commit",
    "find . -exec x {} +",
    "echo `x`",
    "echo x > $b",
    "echo x >&3",
  ])
    expect([command, (await ask(command)).tree]).toEqual([command, "first"]);
  tree = "second";
  const second = await ask("make -C sub");
  expect(hashAct(second)).not.toBe(hashAct(first));
  expect(likenessOf(second)).toBe(likenessOf(first));
});

test("B16: what cannot be bound to its files is not asked about but denied", async () => {
  const digestTree = async (): Promise<string> => {
    throw new RetinueError("act_denied", "They were not listed.");
  };
  const call = { effect: "execute", touches: { command: "make" }, approve: "ask", options: { digestTree } } as const;
  expect(await judged(call)).toMatchObject({ type: "deny", error: { code: "act_denied" } });
});

test("B16: a check of files that fails by itself denies, and ends no run", async () => {
  const digestTree = async (): Promise<string> => {
    throw new Error("ENOENT: no such file or directory, readlink 't'");
  };
  const call = { effect: "execute", touches: { command: "make" }, approve: "ask", options: { digestTree } } as const;
  expect(await judged(call)).toMatchObject({ type: "deny" });
});

test("B17: who always allows one command line has allowed no other", async () => {
  const likeness = async (command: string): Promise<string> => {
    const judgement = await judged({ effect: "execute", touches: { command }, approve: "ask" });
    return judgement.type === "ask" ? likenessOf(judgement.act) : judgement.type;
  };
  expect(await likeness("bash -c X")).toBe(await likeness("bash -c X"));
  expect(await likeness("bash -c X")).not.toBe(await likeness("bash -c Y"));
  expect(await likeness("bash -c X")).not.toBe(await likeness("bash -c X "));
});
