import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { createJudge } from "@retinue/runtime";
import type { ToolContext, ToolOutput } from "@retinue/runtime";
import { describe, expect, it } from "vitest";
import { digestFile } from "@retinue/confine";
import { probeSandbox } from "@retinue/confine";
import type { Sandbox } from "@retinue/confine";
import { createShellTool } from "./shell.ts";
import { abortShells, findByCommandLine } from "./testing/abort-shells.ts";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";

const NONE: Sandbox = { backend: "none", reason: "it is left out of this test", isInstalled: false };
const machine = await probeSandbox();
/** Without a sandbox and, where the machine has one, with it. */
const lanes: readonly Sandbox[] = machine.backend === "none" ? [NONE] : [NONE, machine];

/** A duration of sleep that no other process has. */
let unique = 0;
const marker = (): string => `7${process.pid}.${(unique += 1)}`;

const filesOf = (output: ToolOutput) => (typeof output === "string" ? undefined : output.files);
const errorOf = (output: ToolOutput) => (typeof output === "string" ? undefined : output.error);

// First, while the memory of this process is still its own.
it("J6: 200 MB of output cost less than 64 MiB of memory, and both ends of it are kept", async () => {
  await using test = await createTestWorkspace();
  const before = process.memoryUsage().rss;
  let most = before;
  const sampler = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  const command = "echo BEGIN; yes 0123456789äöü€ | head -c 200000000; echo; echo END";
  const text = toText(await createShellTool({ sandbox: machine }).execute({ command }, test.context));
  clearInterval(sampler);
  most = Math.max(most, process.memoryUsage().rss);
  expect((most - before) / 1024 / 1024).toBeLessThan(64);
  expect(text).toContain("200 MB in all");
  expect(text).toMatch(/^\[exit code 0.*\]\nBEGIN\n/);
  expect(text).toMatch(/\nEND\n$/);
  const kept = test.artifacts.get("art_1") ?? "";
  expect(kept.length).toBeLessThan(8.5 * 1024 * 1024);
  expect(kept).toContain("[... 192 MB were not kept ...]");
  expect(test.shown.join("").length).toBeLessThan(4_000_000);
});

// The machine's own lane for every change, and the other among the long tests.
for (const sandbox of lanes)
  describe(`shell, sandbox ${sandbox.backend}`, sandbox === lanes.at(-1) ? {} : { tags: ["long"] }, () => tryShell(sandbox));

function tryShell(sandbox: Sandbox): void {
  const shell = createShellTool({ sandbox });
  const note = sandbox.backend === "none" ? "; not sandboxed" : "";
  const isSandboxed = sandbox.backend !== "none";
  const run = (test: TestWorkspace, command: string, context: Partial<ToolContext> = {}): Promise<ToolOutput> =>
    shell.execute({ command }, { ...test.context, ...context });
  const said = async (test: TestWorkspace, command: string): Promise<string> => toText(await run(test, command));

  it("gives both outputs and the exit code", async () => {
    await using test = await createTestWorkspace({ "a.txt": "content" });
    expect(await said(test, "cat a.txt; pwd")).toBe(`[exit code 0${note}]\ncontent${test.workspace}\n`);
    expect(await said(test, "echo no >&2; exit 3")).toBe(`[exit code 3${note}]\nno\n`);
    expect(await said(test, "true")).toBe(`[exit code 0${note}]\n(no output)`);
    // From inside a sandbox the signal comes out as a number.
    expect(await said(test, "kill -9 $$")).toBe(
      isSandboxed ? "[exit code 137]\n(no output)" : `[ended by SIGKILL${note}]\n(no output)`,
    );
  });

  it("measures which files were created and changed, ignored ones left out", async () => {
    await using test = await createTestWorkspace({ ".gitignore": "out/\n", "a.txt": "a", "b.txt": "b", "sub/c.txt": "c" });
    const output = await run(
      test,
      "echo more >> a.txt; cp b.txt d.txt; sed -i s/c/x/ sub/c.txt; mkdir out; touch out/x; cat b.txt; rm b.txt",
    );
    expect(filesOf(output)).toEqual({ created: ["d.txt"], modified: ["a.txt", "sub/c.txt"] });
    expect(filesOf(await run(test, "cat a.txt; exit 1"))).toEqual({ created: [], modified: [] });
  });

  it("shows output while the command runs", async () => {
    await using test = await createTestWorkspace({ go: "" });
    await run(test, "echo first; while [ -e go ]; do sleep 0.02; done; echo second", {
      progress: (text: string) => {
        test.shown.push(text);
        // The command ends only after its first output was seen.
        void import("node:fs").then(({ rmSync }) => rmSync(test.at("go"), { force: true }));
      },
    });
    expect(test.shown[0]).toBe("first\n");
    expect(test.shown.join("")).toBe("first\nsecond\n");
  });

  it("C1, C4: passes on no keys, tokens or loader hooks, and no process that it sees has them", async () => {
    await using test = await createTestWorkspace({
      ".env": "RETINUE_HOME=canary-5\nOPENAI_BASE_URL=canary-6\nHTTPS_PROXY=canary-7\n",
    });
    const planted = {
      OPENAI_API_KEY: "canary-1",
      ANTHROPIC_API_KEY: "canary-2",
      NODE_OPTIONS: "--no-warnings",
      BASH_ENV: "/dev/null",
      LD_PRELOAD: "",
      PYTHONSTARTUP: "canary-3",
      GIT_SSH_COMMAND: "canary-4",
    };
    Object.assign(process.env, planted);
    try {
      const text = await said(test, "env; cat /proc/self/environ; printenv; export; set");
      expect(text).not.toMatch(/canary|NODE_OPTIONS|BASH_ENV|API_KEY|LD_PRELOAD|PYTHONSTARTUP|GIT_SSH/);
      expect(text).toMatch(/^HOME=/m);
      expect(text).toMatch(/^TERM=dumb$/m);
    } finally {
      for (const name of Object.keys(planted)) delete process.env[name];
    }
  });

  it("C3: what a project's .env says of the environment is not followed", async () => {
    await using test = await createTestWorkspace({
      ".env": "RETINUE_HOME=/canary\nOPENAI_BASE_URL=http://canary\nHTTPS_PROXY=canary\n",
    });
    expect(await said(test, "env")).not.toMatch(/canary/);
  });

  it("B12: takes no program from the workspace, neither by a relative PATH nor by an absolute one", async () => {
    await using test = await createTestWorkspace({
      "node_modules/.bin/ls": "#!/bin/sh\necho hijacked\n",
      ls: "#!/bin/sh\necho hijacked\n",
    });
    const before = process.env["PATH"];
    process.env["PATH"] = `.:node_modules/.bin::${test.at("node_modules/.bin")}:${test.workspace}:${before}`;
    try {
      expect(await said(test, "chmod +x ls node_modules/.bin/ls; echo $PATH; ls")).toBe(
        `[exit code 0${note}]\n${before}\nls\nnode_modules\n`,
      );
    } finally {
      process.env["PATH"] = before;
    }
  });

  it("B11: a folder that one command changed to is not where the next one starts", async () => {
    await using test = await createTestWorkspace({ "sub/a": "" });
    expect(await said(test, "cd sub && pwd")).toBe(`[exit code 0${note}]\n${test.at("sub")}\n`);
    expect(await said(test, "pwd")).toBe(`[exit code 0${note}]\n${test.workspace}\n`);
  });

  it("B14: nothing is left of what a command put into the background, in its group or out of it", async () => {
    await using test = await createTestWorkspace();
    const [plain, session, fork] = [marker(), marker(), marker()];
    const command = `sleep ${plain} & setsid sleep ${session} >/dev/null 2>&1 & (setsid sh -c 'sleep ${fork} & disown' >/dev/null 2>&1 &); sleep 0.2; echo done`;
    expect(await said(test, command)).toMatch(
      /^\[exit code 0(; \d background process(es)? ended with it)?(; not sandboxed)?\]\ndone\n$/,
    );
    for (const left of [plain, session, fork]) expect(await findByCommandLine(`sleep ${left}`)).toEqual([]);
  });

  it("B14: after an abort nothing is left, also of grandchildren that hold the pipes and ignore TERM", async () => {
    await using test = await createTestWorkspace();
    const [obedient, stubborn] = [marker(), marker()];
    const command = `sleep ${obedient} & (trap '' TERM; sleep ${stubborn}; sleep ${stubborn}) & echo ready; wait`;
    const output = await run(test, command, { progress: () => test.stop(new Error("stopped")) });
    expect(errorOf(output)?.code).toBe("cancelled");
    expect(toText(output)).toBe(`[stopped, with everything it had started${note}]\nready\n`);
    expect(await findByCommandLine(`sleep ${obedient}`)).toEqual([]);
    expect(await findByCommandLine(`sleep ${stubborn}`)).toEqual([]);
  });

  // Without a PID namespace each of them is given time to end by itself.
  const shells = isSandboxed ? 20 : 4;

  it(`B14: of ${shells} shells that were aborted at any moment, nothing is left`, { tags: ["long"] }, async () => {
    expect(await abortShells({ shells, sandbox })).toEqual({ aborted: shells, left: [] });
  });

  it("ends a command whose time is up, gives what it had printed and tells what it had changed", async () => {
    await using test = await createTestWorkspace();
    const time = marker();
    const output = await shell.execute({ command: `touch made; echo before; sleep ${time}`, timeoutMs: 1500 }, test.context);
    expect(toText(output)).toBe(`[ended after 1500 ms, with everything it had started${note}]\nbefore\n`);
    expect(errorOf(output)?.code).toBe("tool_timeout");
    expect(filesOf(output)).toEqual({ created: ["made"], modified: [] });
    expect(await findByCommandLine(`sleep ${time}`)).toEqual([]);
  });

  it("starts nothing when it is no longer wanted", async () => {
    await using test = await createTestWorkspace();
    test.stop();
    await expect(run(test, "touch made")).rejects.toMatchObject({ code: "cancelled" });
    expect(await readdir(test.workspace)).toEqual([]);
  });

  it("B15: has no input and no terminal to wait for", async () => {
    await using test = await createTestWorkspace();
    expect(await said(test, "cat; read x; echo $?; tty")).toBe(`[exit code 1${note}]\n1\nnot a tty\n`);
    expect(await said(test, "(: < /dev/tty) 2>/dev/null || echo none; stty 2>/dev/null || echo none")).toBe(
      `[exit code 0${note}]\nnone\nnone\n`,
    );
  });

  it("B16: does not run a script that was changed after it was allowed", async () => {
    await using test = await createTestWorkspace({ "build.sh": "echo one\n" });
    const judgement = await createJudge({ digest: digestFile })({
      callId: "call_test",
      tool: shell,
      input: { command: "sh build.sh" },
      spec: {
        system: "",
        model: "none/none",
        fallbacks: [],
        tools: ["shell"],
        limits: {},
        treeLimits: {},
        delegates: [],
        workspace: test.workspace,
        grant: { tools: ["shell"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
      },
      realPath: async (file) => path.resolve(file),
    });
    if (judgement.type !== "ask") throw new Error("it is asked about");
    expect(toText(await run(test, "sh build.sh", { act: judgement.act }))).toBe(`[exit code 0${note}]\none\n`);
    await writeFile(test.at("build.sh"), "echo two\n");
    await expect(run(test, "sh build.sh", { act: judgement.act })).rejects.toMatchObject({ code: "act_denied" });
  });

  it("keeps beginning and end of a long output, and the whole as an artifact", async () => {
    await using test = await createTestWorkspace();
    const text = await said(test, "seq 1 100000");
    expect(text.length).toBeLessThan(16_000);
    expect(text.startsWith(`[exit code 0${note}]\n1\n2\n3\n`)).toBe(true);
    expect(text).toContain('is kept as "artifact:art_1"');
    expect(text).toMatch(/\n99999\n100000\n$/);
    expect(test.artifacts.get("art_1")).toBe(`${Array.from({ length: 100_000 }, (_, index) => index + 1).join("\n")}\n`);
  });

  it("J6: one endless line and binary output come through as bounded text", async () => {
    await using test = await createTestWorkspace();
    const line = await said(test, "head -c 20000000 /dev/zero | tr '\\0' x");
    expect(line.length).toBeLessThan(16_000);
    expect(await said(test, "printf 'a\\0b\\377c'")).toBe(`[exit code 0${note}]\na\u2400b\uFFFDc`);
  });

  it("answers when a command cannot be started", async () => {
    await using test = await createTestWorkspace();
    await expect(run(test, "echo a\0b")).rejects.toMatchObject({ code: "tool_failed" });
    await expect(run(test, "echo", { workspace: test.at("gone") })).rejects.toMatchObject({ code: "tool_failed" });
    expect(await readdir(test.workspace)).toEqual([]);
  });
}

describe("shell", () => {
  it("declares its command line, so that policy can judge it", () => {
    expect(createShellTool().touches({ command: "ls" })).toEqual({ command: "ls", needsSandbox: true, secrets: [] });
  });

  it("says when there are too many files to measure what changed", { tags: ["long"] }, async () => {
    await using test = await createTestWorkspace();
    await mkdir(test.at("many"));
    await createShellTool({ sandbox: NONE }).execute({ command: "cd many && seq 1 20100 | xargs touch" }, test.context);
    const output = await createShellTool({ sandbox: NONE }).execute({ command: "touch one" }, test.context);
    expect(toText(output)).toContain("too many files to measure what it changed");
    expect(filesOf(output)).toBeUndefined();
  });
});

describe("where there is no sandbox", () => {
  const scopes = [{ writes: [["tests/**"]] }, { writes: [[]] }, { hosts: [["example.com"]] }, { hosts: [[]] }];

  it("K2: the shell of an agent with limited rights is refused, and says why", async () => {
    await using test = await createTestWorkspace();
    for (const limited of scopes)
      await expect(
        createShellTool({ sandbox: NONE }).execute(
          { command: "touch made" },
          { ...test.context, scope: { ...test.context.scope, ...limited } },
        ),
      ).rejects.toMatchObject({ code: "sandbox_unavailable", message: expect.stringContaining("left out of this test") });
    expect(await readdir(test.workspace)).toEqual([]);
  });

  it("a human may waive that, which is told in the first line", async () => {
    await using test = await createTestWorkspace();
    const shell = createShellTool({ sandbox: NONE, allowUnsandboxed: true });
    for (const limited of scopes)
      expect(
        toText(await shell.execute({ command: "true" }, { ...test.context, scope: { ...test.context.scope, ...limited } })),
      ).toBe("[exit code 0; not sandboxed, which the user has waived]\n(no output)");
  });
});

it("A16: a write scope that is a link, or lies behind one, refuses the command", async () => {
  await using test = await createTestWorkspace({ "src/a": "a" });
  await symlink("src", test.at("tests"));
  const context = { ...test.context, scope: { ...test.context.scope, writes: [["tests/**"]] } };
  await expect(createShellTool().execute({ command: "touch tests/x" }, context)).rejects.toMatchObject({
    code: machine.backend === "none" ? "sandbox_unavailable" : "path_outside_scope",
  });
  expect(await readdir(test.at("src"))).toEqual(["a"]);
  expect(await readFile(test.at("src/a"), "utf8")).toBe("a");
});
