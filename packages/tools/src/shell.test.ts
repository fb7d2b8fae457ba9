import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createShellTool } from "./shell.ts";
import { createTestWorkspace, toText } from "./testing/tool-context.ts";

const shell = createShellTool();

/** Processes whose command line holds a text. */
const findByCommandLine = async (text: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
    if (line.replaceAll("\0", " ").includes(text)) found.push(pid);
  }
  return found;
};

/** A duration of sleep that no other process has. */
let unique = 0;
const marker = (): string => `7${process.pid}.${(unique += 1)}`;

describe("shell", () => {
  it("gives both outputs and the exit code", async () => {
    await using test = await createTestWorkspace({ "a.txt": "content" });
    expect(await shell.execute({ command: "cat a.txt; pwd" }, test.context)).toBe(`[exit code 0]\ncontent${test.workspace}\n`);
    expect(await shell.execute({ command: "echo no >&2; exit 3" }, test.context)).toBe("[exit code 3]\nno\n");
    expect(await shell.execute({ command: "true" }, test.context)).toBe("[exit code 0]\n(no output)");
    expect(await shell.execute({ command: "kill -9 $$" }, test.context)).toBe("[ended by SIGKILL]\n(no output)");
  });

  it("shows output while the command runs", async () => {
    await using test = await createTestWorkspace({ go: "" });
    const context = {
      ...test.context,
      progress: (text: string) => {
        test.shown.push(text);
        // The command ends only after its first output was seen.
        void import("node:fs").then(({ rmSync }) => rmSync(test.at("go"), { force: true }));
      },
    };
    await shell.execute({ command: "echo first; while [ -e go ]; do sleep 0.02; done; echo second" }, context);
    expect(test.shown[0]).toBe("first\n");
    expect(test.shown.join("")).toBe("first\nsecond\n");
  });

  it("C1: passes on no keys, tokens or loader hooks", async () => {
    await using test = await createTestWorkspace();
    const planted = {
      OPENAI_API_KEY: "canary-1",
      ANTHROPIC_API_KEY: "canary-2",
      NODE_OPTIONS: "--no-warnings",
      BASH_ENV: "/dev/null",
    };
    Object.assign(process.env, planted);
    try {
      const text = toText(await shell.execute({ command: "env; cat /proc/self/environ" }, test.context));
      expect(text).not.toMatch(/canary|NODE_OPTIONS|BASH_ENV|API_KEY/);
      expect(text).toMatch(/^HOME=/m);
      expect(text).toMatch(/^TERM=dumb$/m);
    } finally {
      for (const name of Object.keys(planted)) delete process.env[name];
    }
  });

  it("B12: drops relative entries from PATH", async () => {
    await using test = await createTestWorkspace();
    const before = process.env["PATH"];
    process.env["PATH"] = `.:node_modules/.bin::${before}`;
    try {
      expect(await shell.execute({ command: "echo $PATH" }, test.context)).toBe(`[exit code 0]\n${before}\n`);
    } finally {
      process.env["PATH"] = before;
    }
  });

  it("B14: nothing is left of what a command put into the background, in its group or out of it", async () => {
    await using test = await createTestWorkspace();
    const [plain, session, fork] = [marker(), marker(), marker()];
    const command = `sleep ${plain} & setsid sleep ${session} >/dev/null 2>&1 & (setsid sh -c 'sleep ${fork} & disown' >/dev/null 2>&1 &); sleep 0.2; echo done`;
    const text = toText(await shell.execute({ command }, test.context));
    expect(text).toMatch(/^\[exit code 0; \d background processes ended with it\]\ndone\n$/);
    for (const left of [plain, session, fork]) expect(await findByCommandLine(`sleep ${left}`)).toEqual([]);
  });

  it("B14: after an abort nothing is left, also of grandchildren that hold the pipes and ignore TERM", async () => {
    await using test = await createTestWorkspace();
    const [obedient, stubborn] = [marker(), marker()];
    const command = `sleep ${obedient} & (trap '' TERM; sleep ${stubborn}; sleep ${stubborn}) & echo ready; wait`;
    const context = { ...test.context, progress: () => test.stop(new Error("stopped")) };
    await expect(shell.execute({ command }, context)).rejects.toMatchObject({ code: "cancelled" });
    expect(await findByCommandLine(`sleep ${obedient}`)).toEqual([]);
    expect(await findByCommandLine(`sleep ${stubborn}`)).toEqual([]);
  });

  it("ends a command whose time is up and gives what it had printed", async () => {
    await using test = await createTestWorkspace();
    const time = marker();
    await expect(shell.execute({ command: `echo before; sleep ${time}`, timeoutMs: 300 }, test.context)).rejects.toMatchObject({
      code: "tool_timeout",
      message: "[ended after 300 ms, with everything it had started]\nbefore\n",
    });
    expect(await findByCommandLine(`sleep ${time}`)).toEqual([]);
  });

  it("starts nothing when it is no longer wanted", async () => {
    await using test = await createTestWorkspace();
    test.stop();
    await expect(shell.execute({ command: "touch made" }, test.context)).rejects.toMatchObject({ code: "cancelled" });
    expect(await readdir(test.workspace)).toEqual([]);
  });

  it("B15: has no input and no terminal to wait for", async () => {
    await using test = await createTestWorkspace();
    expect(await shell.execute({ command: "cat; read x; echo $?; tty" }, test.context)).toBe("[exit code 1]\n1\nnot a tty\n");
    expect(await shell.execute({ command: "(: < /dev/tty) 2>/dev/null || echo none" }, test.context)).toBe(
      "[exit code 0]\nnone\n",
    );
  });

  it("keeps beginning and end of a long output, and the whole as an artifact", async () => {
    await using test = await createTestWorkspace();
    const text = toText(await shell.execute({ command: "seq 1 100000" }, test.context));
    expect(text.length).toBeLessThan(16_000);
    expect(text).toMatch(/^\[exit code 0\]\n1\n2\n3\n/);
    expect(text).toContain('is kept as "artifact:art_1"');
    expect(text).toMatch(/\n99999\n100000\n$/);
    expect(test.artifacts.get("art_1")).toBe(`${Array.from({ length: 100_000 }, (_, index) => index + 1).join("\n")}\n`);
  });

  it("J6: 200 MB of output cost less than 64 MiB of memory, and both ends of it are kept", async () => {
    await using test = await createTestWorkspace();
    const before = process.memoryUsage().rss;
    let most = before;
    const sampler = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
    const command = "echo BEGIN; yes 0123456789äöü€ | head -c 200000000; echo; echo END";
    const text = toText(await shell.execute({ command }, test.context));
    clearInterval(sampler);
    most = Math.max(most, process.memoryUsage().rss);
    expect((most - before) / 1024 / 1024).toBeLessThan(64);
    expect(text).toContain("200 MB in all");
    expect(text).toMatch(/^\[exit code 0\]\nBEGIN\n/);
    expect(text).toMatch(/\nEND\n$/);
    const kept = test.artifacts.get("art_1") ?? "";
    expect(kept.length).toBeLessThan(8.5 * 1024 * 1024);
    expect(kept).toContain("[... 192 MB were not kept ...]");
    expect(test.shown.join("").length).toBeLessThan(4_000_000);
  });

  it("J6: one endless line and binary output come through as bounded text", async () => {
    await using test = await createTestWorkspace();
    const line = toText(await shell.execute({ command: "head -c 20000000 /dev/zero | tr '\\0' x" }, test.context));
    expect(line.length).toBeLessThan(16_000);
    const binary = toText(await shell.execute({ command: "printf 'a\\0b\\377c'" }, test.context));
    expect(binary).toBe("[exit code 0]\na\u2400b\uFFFDc");
  });

  it("answers when a command cannot be started", async () => {
    await using test = await createTestWorkspace();
    await expect(shell.execute({ command: "echo a\0b" }, test.context)).rejects.toMatchObject({ code: "tool_failed" });
    const gone = { ...test.context, workspace: test.at("gone") };
    await expect(shell.execute({ command: "echo" }, gone)).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("could not be started"),
    });
  });
});
