/** Hooks of Claude Code's settings, as real scripts, from the files to what a run is let do and told. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../cli/testing/call-retinue.ts";
import { call, createMockProject } from "../cli/testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Hook = { readonly on: string; readonly matcher?: string; readonly command: string };

const settingsOf = (...hooks: readonly Hook[]): string => {
  const events: Record<string, object[]> = {};
  for (const { on, matcher, command } of hooks)
    (events[on] ??= []).push({ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command }] });
  return JSON.stringify({ hooks: events });
};

/** Reads what it is told as scripts of people do, and needs nothing that is not on every machine. */
const SCRIPT = `#!/bin/sh
told=$(cat)
printf '%s\\n' "$told" >> "$CLAUDE_PROJECT_DIR/told.jsonl"
case "$told" in
  *'"file_path":"'*/secret.txt*) echo "secret.txt is not to be written" >&2; exit 2 ;;
  *'"prompt":"'*forbidden*) echo "this is not asked here" >&2; exit 2 ;;
  *'"stop_hook_active":false'*) echo "run the tests first" >&2; exit 2 ;;
esac
exit 0
`;

const COMMAND = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh';

const open = async (replies: Parameters<typeof createMockProject>[0], files: Readonly<Record<string, string>>) => {
  const mock = await createMockProject(replies);
  cleanups.push(mock.remove);
  const { workspace } = mock.project;
  for (const [name, text] of Object.entries({ ".claude/hooks/check.sh": SCRIPT, ...files })) {
    const file = join(workspace, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o755 });
  }
  return {
    ...mock,
    sent: (index: number): string => JSON.stringify(mock.server.requests[index]?.body),
    read: async (name: string): Promise<string> => readFile(join(workspace, name), "utf8").catch(() => ""),
    told: async (): Promise<readonly Record<string, unknown>[]> =>
      (await readFile(join(workspace, "told.jsonl"), "utf8").catch(() => ""))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    trust: () => callRetinue(mock.project, ["trust", "--yes"]),
    run: (...words: readonly string[]) => callRetinue(mock.project, ["run", "--approve", "all", ...words]),
  };
};

const put = (path: string) => ({ toolCalls: [call("write", { path, content: "x" })] });

describe("hooks of Claude Code's settings", () => {
  test("I3 of a project are run by nobody before the user trusts just these commands and scripts", async () => {
    const mock = await open(
      [
        put("vault/secret.txt"),
        { text: "Done." },
        put("vault/secret.txt"),
        { text: "Done." },
        put("other.txt"),
        { text: "Done." },
      ],
      {
        ".claude/settings.json": settingsOf({ on: "PreToolUse", matcher: "Write|Edit", command: COMMAND }),
      },
    );
    const first = await mock.run("go");
    expect(first.stderr).toContain(
      `hooks:.claude/settings.json: runs these commands: PreToolUse (Write|Edit): ${COMMAND} with .claude/hooks/check.sh as they are now`.slice(
        0,
        120,
      ),
    );
    expect(await mock.told()).toEqual([]);
    expect(await mock.trust()).toMatchObject({ code: 0 });
    const second = await mock.run("go");
    expect(second.stderr).toContain("retinue: hooks of .claude/settings.json");
    expect(mock.sent(3)).toContain(`A hook denied \\"write\\": secret.txt is not to be written`);
    expect(await mock.told()).toMatchObject([
      {
        hook_event_name: "PreToolUse",
        tool_name: "Write",
        tool_input: { file_path: join(mock.project.workspace, "vault/secret.txt"), content: "x" },
        cwd: mock.project.workspace,
        session_id: expect.stringMatching(/^ses_/) as string,
        transcript_path: "",
      },
    ]);
    await writeFile(join(mock.project.workspace, ".claude/hooks/check.sh"), "exit 0\n");
    expect((await mock.run("go")).stderr).toContain("hooks:.claude/settings.json");
    expect(await mock.told()).toHaveLength(1);
  });

  test("tell the model after a call what they found, send an agent back to work once, and refuse what is asked", async () => {
    const mock = await open([put("a.txt"), { text: "Done." }, { text: "Really done." }], {
      ".claude/settings.local.json": settingsOf(
        { on: "PostToolUse", matcher: "Write", command: `echo 'it has no newline at its end' >&2; exit 2` },
        { on: "Stop", command: COMMAND },
        {
          on: "UserPromptSubmit",
          command: `case "$(cat)" in *forbidden*) echo "this is not asked here" >&2; exit 2;; esac; echo "BRANCH is main"`,
        },
      ),
    });
    await mock.trust();
    const ended = await mock.run("go");
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Really done.") as string });
    expect(mock.sent(0)).toContain("[hook] BRANCH is main");
    expect(mock.sent(1)).toContain("[hook] it has no newline at its end");
    expect(mock.sent(2)).toContain("Your result was not accepted: run the tests first");
    expect(await mock.told()).toMatchObject([
      { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." },
      { hook_event_name: "Stop", stop_hook_active: true, last_assistant_message: "Really done." },
    ]);
    const refused = await mock.run("do the forbidden thing");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`The guardrail "UserPromptSubmit" refused what was asked: this is not asked here`);
    expect(mock.server.requests).toHaveLength(3);
  });

  test("of sub-agents are asked when one would end, by its name, and a replay says the same", async () => {
    const mock = await open(
      [
        { toolCalls: [call("delegate_to_agent", { agent: "researcher", task: "look" })] },
        { text: "Looked." },
        { text: "Looked twice." },
        { text: "Done." },
      ],
      {
        ".claude/settings.json": settingsOf(
          { on: "SubagentStop", matcher: "researcher", command: COMMAND },
          { on: "SubagentStop", matcher: "tester", command: "exit 2" },
        ),
      },
    );
    await mock.trust();
    const ended = await mock.run("--json", "go");
    expect(ended.code).toBe(0);
    expect(await mock.told()).toMatchObject([
      { hook_event_name: "SubagentStop", agent_type: "researcher", agent_id: expect.stringMatching(/^run_/) as string },
      { hook_event_name: "SubagentStop", stop_hook_active: true },
    ]);
    const events = ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.filter(({ type }) => type === "result.rejected")).toMatchObject([
      { agent: "researcher", by: "hook", reason: "run the tests first" },
    ]);
    const sessionId = String(events[0]?.["sessionId"]);
    expect(await callRetinue(mock.project, ["replay", sessionId, "--verify"])).toMatchObject({ code: 0 });
  });

  test("I3 are bound to their scripts and find them, also from a folder below and on a way with blanks", async () => {
    const mock = await open([put("secret.txt"), { text: "Done." }], {
      "my project/.git/HEAD": "ref: refs/heads/main\n",
      "my project/.claude/hooks/check.sh": SCRIPT.replace('"$CLAUDE_PROJECT_DIR/told.jsonl"', "told.jsonl"),
      "my project/.claude/settings.json": settingsOf({ on: "PreToolUse", matcher: "Write", command: COMMAND }),
      "my project/sub/keep": "",
    });
    const sub = join(mock.project.workspace, "my project/sub");
    const shown = await callRetinue(mock.project, ["trust", "--yes", "-C", sub]);
    expect(shown.stdout).toContain("with .claude/hooks/check.sh as they are now");
    await callRetinue(mock.project, ["run", "--approve", "all", "-C", sub, "go"]);
    expect(mock.sent(1)).toContain(`A hook denied \\"write\\": secret.txt is not to be written`);
  });

  test("that cannot be run deny the call, and one that only fails does not", async () => {
    const mock = await open([put("a.txt"), { text: "Done." }], {
      ".claude/settings.json": settingsOf({ on: "PreToolUse", matcher: "Write", command: "no-such-program-anywhere" }),
    });
    await mock.trust();
    await mock.run("go");
    expect(mock.sent(1)).toContain("A hook denied");
    const lax = await open([put("a.txt"), { text: "Done." }], {
      ".claude/settings.json": settingsOf({ on: "PreToolUse", matcher: "Write", command: "exit 1" }),
    });
    await lax.trust();
    await lax.run("go");
    expect(lax.sent(1)).toContain("exit 1 ended with 1");
    expect(await lax.read("a.txt")).toBe("x");
  });

  test("of the user are run without a question, and disableAllHooks of a project is about its own alone", async () => {
    const mock = await open([put("a.txt"), { text: "Done." }, put("b.txt"), { text: "Done." }], {
      ".claude/settings.json": JSON.stringify({ disableAllHooks: true }),
    });
    const home = join(mock.project.home, "user");
    await mkdir(join(home, ".claude"), { recursive: true });
    await writeFile(
      join(home, ".claude/settings.json"),
      settingsOf({ on: "PreToolUse", matcher: "Write", command: "echo not today >&2; exit 2" }),
    );
    const env = { HOME: home };
    await callRetinue(mock.project, ["run", "--approve", "all", "go"], env);
    expect(mock.sent(1)).toContain("not today");
    await writeFile(
      join(home, ".claude/settings.json"),
      JSON.stringify({
        ...(JSON.parse(await readFile(join(home, ".claude/settings.json"), "utf8")) as object),
        disableAllHooks: true,
      }),
    );
    await callRetinue(mock.project, ["run", "--approve", "all", "go"], env);
    expect(await mock.read("b.txt")).toBe("x");
  });
});
