import type { Json } from "@retinue/protocol";
import type { ApprovalAnswer, ApprovalRequest } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { createApprover } from "./ask-approval.ts";

const request = (input: Json, approvalId = "apr_1"): ApprovalRequest => ({
  approvalId: approvalId as ApprovalRequest["approvalId"],
  run: { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main" },
  act: { callId: "c", tool: "shell", effect: "execute", input, paths: ["/w/a"], hosts: [] },
  hash: "the-hash",
});

const plain = (text: string): string => text;

/** Answers in turn and keeps what was asked. */
const scripted = (answers: readonly string[]): { questions: string[]; ask: (question: string) => Promise<string> } => {
  const questions: string[] = [];
  return {
    questions,
    ask: async (question) => {
      questions.push(question);
      const answer = answers[questions.length - 1];
      if (answer === undefined) throw new Error("the script has no more answers");
      return answer;
    },
  };
};

const decide = async (input: Json, answers: readonly string[]): Promise<{ answer: ApprovalAnswer; questions: string[] }> => {
  const { ask, questions } = scripted(answers);
  return { answer: await createApprover(ask, plain)(request(input), new AbortController().signal), questions };
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

  test("the whole act is shown, line by line", async () => {
    const { questions } = await decide({ command: "echo one\necho two" }, ["n"]);
    expect(questions[0]).toBe(
      "\nmain wants to execute with shell:\n  command:\n    echo one\n    echo two\n  touches: /w/a\nAllow it? [y once, r for this run, s for this session, n or n reason] ",
    );
  });

  test("it is said what nothing protects on this machine", async () => {
    const { ask, questions } = scripted(["n"]);
    const { act, ...rest } = request({ args: ["log"] });
    await createApprover(ask, plain)(
      { ...rest, act: { ...act, unsandboxed: "your\x1b[2K files" } },
      new AbortController().signal,
    );
    expect(questions[0]).toContain("\n  touches: /w/a\n  your\\u{1b}[2K files\nAllow it?");
  });

  test("F4 F5 nothing in it can rewrite, reorder or hide what is shown", async () => {
    const { questions } = await decide({ command: `rm -rf /\rls \u202e \u200b\x1b[2K a${"\u0301".repeat(5000)}` }, ["n"]);
    expect(questions[0]).toContain("rm -rf /\\u{d}ls \\u{202e} \\u{200b}\\u{1b}[2K");
    expect(questions[0]?.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test("G12 a long command is not cut silently, and can be seen whole", async () => {
    const command = `echo ${"a".repeat(20_000)}; rm -rf /`;
    const { questions, answer } = await decide({ command }, ["v", "n"]);
    expect(questions[0]).toMatch(/18\d\d\d of 20\d\d\d characters are not shown \(sha256 the-hash\); v shows all/);
    expect(questions[0]).toContain("rm -rf /");
    expect(questions[1]).toContain(command);
    expect(answer.allowed).toBe(false);
  });

  test("two that ask at the same time are answered one after the other", async () => {
    const open: ((answer: string) => void)[] = [];
    const approve = createApprover((question) => {
      expect(question).toContain("Allow it?");
      return new Promise((resolve) => void open.push(resolve));
    }, plain);
    const { signal } = new AbortController();
    const first = approve(request({ command: "one" }), signal);
    const second = approve(request({ command: "two" }), signal);
    await Promise.resolve();
    expect(open).toHaveLength(1);
    open[0]?.("y");
    expect((await first).allowed).toBe(true);
    await new Promise(setImmediate);
    expect(open).toHaveLength(2);
    open[1]?.("n");
    expect((await second).allowed).toBe(false);
  });
});
