import type { Json } from "@retinue/protocol";
import type { ApprovalAnswer, ApprovalRequest } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { widthOf } from "../terminal/text-width.ts";
import type { Question } from "./ask-approval.ts";
import { createApprover } from "./ask-approval.ts";

const request = (input: Json, approvalId = "apr_1"): ApprovalRequest => ({
  approvalId: approvalId as ApprovalRequest["approvalId"],
  run: { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main" },
  act: { callId: "c", tool: "shell", effect: "execute", input, paths: ["/w/a"], hosts: [] },
  hash: "the-hash",
});

const plain = (text: string): string => text;

/** Answers in turn and keeps what was asked. */
const scripted = (answers: readonly string[]): { questions: string[]; ask: (question: Question) => Promise<string> } => {
  const questions: string[] = [];
  return {
    questions,
    ask: async ({ shown, prompt }) => {
      questions.push(shown + prompt);
      const answer = answers[questions.length - 1];
      if (answer === undefined) throw new Error("the script has no more answers");
      return answer;
    },
  };
};

const decide = async (input: Json, answers: readonly string[]): Promise<{ answer: ApprovalAnswer; questions: string[] }> => {
  const { ask, questions } = scripted(answers);
  return { answer: await createApprover({ ask, redact: plain })(request(input), new AbortController().signal), questions };
};

describe("asking for an approval", () => {
  test.each<[readonly string[], ApprovalAnswer]>([
    [["y"], { allowed: true, scope: "once" }],
    [["YES "], { allowed: true, scope: "once" }],
    [["r"], { allowed: true, scope: "run" }],
    [["s"], { allowed: true, scope: "session" }],
    [["n"], { allowed: false, reason: "The user said no." }],
    [[""], { allowed: false, reason: "The user said no." }],
    [["n use npm instead"], { allowed: false, reason: "The user said no: use npm instead" }],
    [["perhaps", "y"], { allowed: true, scope: "once" }],
    [["v", "n"], { allowed: false, reason: "The user said no." }],
    [[], { allowed: false, reason: "Nobody answered." }],
  ])("answered %j it is %j", async (answers, expected) => {
    expect((await decide({ command: "ls" }, answers)).answer).toEqual(expected);
  });

  test.each<[readonly string[], ApprovalAnswer]>([
    [["2"], { allowed: true, text: "8080" }],
    [["", " 9000 "], { allowed: true, text: "9000" }],
    [["the usual one"], { allowed: true, text: "the usual one" }],
    [[], { allowed: false, reason: "nobody answered." }],
  ])("a question of an agent answered %j is %j", async (answers, expected) => {
    const { ask, questions } = scripted(answers);
    const asked = {
      ...request({}),
      act: { ...request({}).act, question: { text: "Which\u001b[2J port?", options: ["80", "8080"] } },
    };
    expect(await createApprover({ ask, redact: plain })(asked, new AbortController().signal)).toEqual(expected);
    expect(questions[0]).toMatch(
      /^\nmain asks you:\n {2}Which.* port\?\n {2}1 {2}80\n {2}2 {2}8080\nYour answer, or a number: $/,
    );
    expect(questions[0]).not.toContain("\u001b");
  });

  test("the whole act is shown, line by line", async () => {
    const { questions } = await decide({ command: "echo one\necho two" }, ["n"]);
    expect(questions[0]).toBe(
      [
        "",
        "main wants to execute with shell:",
        "  command:",
        "    echo one",
        "    echo two",
        "  touches: /w/a",
        "  y  once: this act",
        "  r  for this run of main: this very command, with its files as they are then",
        "  s  for this session: the same, for every agent",
        "  n  no; what follows the n is told to the agent as the reason",
        "Allow it? ",
      ].join("\n"),
    );
  });

  test("the question names the agents above the one that asks", async () => {
    const { ask, questions } = scripted(["n", "n"]);
    const asked = request({ command: "ls" });
    const run = { ...asked.run, agent: "tester", depth: 2 };
    const { signal } = new AbortController();
    await createApprover({ ask, redact: plain })({ ...asked, run, agents: ["main", "executor", "te\x1bster"] }, signal);
    await createApprover({ ask, redact: plain })({ ...asked, run, agents: ["executor", "tester"] }, signal);
    expect(questions[0]).toContain("main > executor > te\\u{1b}ster wants to execute with shell:");
    expect(questions[1]).toContain("… > executor > tester wants to");
  });

  test("a change of files is shown as a diff, and as it was called when all is asked for", async () => {
    const { ask, questions } = scripted(["v", "n"]);
    const asked = request({ path: "a.ts", content: "SECRET\n".repeat(100) });
    await createApprover({
      ask,
      redact: (text) => text.replaceAll("SECRET", "[redacted:KEY]"),
      readDiff: async () => `--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1,100 @@\n${"+SECRET\n".repeat(100)}`,
    })({ ...asked, act: { ...asked.act, tool: "write", effect: "write" } }, new AbortController().signal);
    expect(questions[0]).toContain("would change:\n    --- a/a.ts\n    +++ b/a.ts\n    @@ -0,0 +1,100 @@\n    +[redacted:KEY]");
    expect(questions[0]).toContain("r  for this run of main: every write with write that the agent may do");
    expect(questions[0]).toContain("v  view all of it");
    expect(questions[1]).toContain("  as it was called:\n  path: a.ts\n  content:\n");
    expect(questions.join("")).not.toContain("SECRET");
  });

  test.each<[Partial<ApprovalRequest["act"]>, string]>([
    [{ effect: "read", tool: "git" }, "whatever git reads"],
    [{ effect: "write", tool: "edit" }, "every write with edit that the agent may do"],
    [{ effect: "write", tool: "edit", protectedPaths: ["Makefile"] }, "this same write of Makefile"],
    [{ effect: "network", tool: "web_fetch", hosts: ["a.example"], input: {} }, "this same call of web_fetch to a.example"],
    [{ effect: "execute", tool: "test", input: {} }, "this same call of test"],
  ])("what a longer answer covers is told of %j", async (more, expected) => {
    const { ask, questions } = scripted(["n"]);
    const asked = request({ command: "ls" });
    await createApprover({ ask, redact: plain })({ ...asked, act: { ...asked.act, ...more } }, new AbortController().signal);
    expect(questions[0]).toContain(`r  for this run of main: ${expected}\n`);
  });

  test("it is said what nothing protects on this machine", async () => {
    const { ask, questions } = scripted(["n"]);
    const { act, ...rest } = request({ args: ["log"] });
    await createApprover({ ask, redact: plain })(
      { ...rest, act: { ...act, unsandboxed: "your\x1b[2K files" } },
      new AbortController().signal,
    );
    expect(questions[0]).toContain("\n  touches: /w/a\n  your\\u{1b}[2K files\n  y  once");
  });

  test("F4 F5 nothing in it can rewrite, reorder or hide what is shown", async () => {
    const { questions } = await decide({ command: `rm -rf /\rls \u202e \u200b\x1b[2K a${"\u0301".repeat(5000)}` }, ["n"]);
    expect(questions[0]).toContain("rm -rf /\\u{d}ls \\u{202e} \\u{200b}\\u{1b}[2K");
    expect(questions[0]?.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test("G12 a long command is not cut silently, and can be seen whole", async () => {
    const command = `echo ${"a".repeat(20_000)}; rm -rf /`;
    const { questions, answer } = await decide({ command }, ["v", "n"]);
    expect(questions[0]).toMatch(/1\d{4} of 20\d\d\d characters are not shown \(sha256 the-hash\); v shows all/);
    expect(questions[0]).toContain("rm -rf /");
    expect(questions[1]).toContain(command);
    expect(answer.allowed).toBe(false);
  });

  test("N23: a long command takes no yes before all of it was shown, and a no at any time", async () => {
    const command = Array.from({ length: 201 }, (_, at) => `echo ${at}`).join("\n");
    const { questions, answer } = await decide({ command }, ["y", "s", "v", "y"]);
    expect(questions[1]).toContain("Not all of it was shown.");
    expect(questions[3]).toContain("echo 100");
    expect(answer).toEqual({ allowed: true, scope: "once" });
    expect((await decide({ command }, ["y"])).answer.allowed).toBe(false);
    expect((await decide({ command }, ["n"])).answer.allowed).toBe(false);
  });

  test.each<[string, string]>([
    ["391 short lines", "rm -rf build\n" + "\n".repeat(389) + "echo end"],
    ["lines that take several rows each", Array.from({ length: 20 }, (_, at) => `echo ${at} ${"x".repeat(300)}`).join("\n")],
    ["wide characters", `rm -rf build ${"漢".repeat(1500)} echo end`],
  ])("L17 %s leave who asks, the beginning and the end on the screen, and say how much is left out", async (_, command) => {
    const { questions } = await decide({ command }, ["v", "n"]);
    const [short = "", whole = ""] = questions;
    const rowsOf = (text: string): number =>
      text.split("\n").reduce((sum, row) => sum + Math.max(1, Math.ceil(widthOf(row) / 80)), 0);
    expect(rowsOf(short)).toBeLessThanOrEqual(24);
    for (const part of [
      "main wants to execute with shell:",
      command.slice(0, 10),
      command.slice(-5),
      "touches: /w/a",
      "Allow it?",
    ])
      expect(short).toContain(part);
    expect(short).toMatch(/\d+ of \d+ lines and \d+ of \d+ characters are not shown \(sha256 the-hash\); v shows all/);
    expect(whole).toContain(command.split("\n").slice(0, 3).join("\n    "));
    // Below the whole stands again what it is about.
    expect(whole.endsWith(short)).toBe(true);
  });

  test("L17 a large screen shows more", async () => {
    const { ask, questions } = scripted(["n"]);
    const command = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join("\n");
    await createApprover({ ask, redact: plain, screen: () => ({ rows: 100, columns: 200 }) })(
      request({ command }),
      new AbortController().signal,
    );
    expect(questions[0]).toContain("echo 30");
  });

  test("two that ask at the same time are answered one after the other", async () => {
    const open: ((answer: string) => void)[] = [];
    const approve = createApprover({
      redact: plain,
      ask: ({ prompt }) => {
        expect(prompt).toBe("Allow it? ");
        return new Promise((resolve) => void open.push(resolve));
      },
    });
    const { signal } = new AbortController();
    const first = approve(request({ command: "one" }), signal);
    const second = approve(request({ command: "two" }), signal);
    await new Promise(setImmediate);
    expect(open).toHaveLength(1);
    open[0]?.("y");
    expect((await first).allowed).toBe(true);
    await new Promise(setImmediate);
    expect(open).toHaveLength(2);
    open[1]?.("n");
    expect((await second).allowed).toBe(false);
  });
});
