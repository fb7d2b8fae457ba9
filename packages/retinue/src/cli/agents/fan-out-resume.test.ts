import type { RunResult } from "@retinue/protocol";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call, createMockProject } from "../testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const TASKS = ["first thing", "second thing", "third thing", "fourth thing"];

const taskIn = (text: string): string => TASKS.find((task) => text.includes(task)) ?? "";

/** The first is done, the second hangs until it is asked again, the others were not started when the process ends. */
const createCutOff = async (): Promise<MockProject & { readonly asked: readonly string[] }> => {
  const asked: string[] = [];
  const made = await createMockProject(({ text }) => {
    const task = taskIn(text);
    asked.push(task);
    const isFirstTime = asked.filter((one) => one === task).length === 1;
    return task === "second thing" && isFirstTime ? { fault: { type: "stall-before-headers" } } : { text: `Did the ${task}.` };
  });
  cleanups.push(made.remove);
  return { ...made, asked };
};

const words = TASKS.flatMap((task) => ["code-search", task]);

const resultsIn = (stdout: string): readonly RunResult[] =>
  (JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as { results: RunResult[] }).results;

describe("a fan-out whose process is ended in the middle", { timeout: 240_000 }, () => {
  const expectResumed = async (signal: "SIGKILL" | "SIGTERM", code: number | null): Promise<void> => {
    const made = await createCutOff();
    const { project, asked, server } = made;
    const running = project.start(["fanout", ...words, "--concurrency", "1"]);
    await server.received(2);
    await running.said("stderr", "[2] code-search: starts");
    running.child.kill(signal);
    const ended = await running.ended;
    expect(ended.code).toBe(code);
    if (code !== null)
      expect(ended.stderr).toMatch(/^retinue: fan_\w+ is left open; retinue fanout --resume fan_\w+ goes on\.$/m);
    expect(asked).toEqual(TASKS.slice(0, 2));

    const resumed = await project.run(["fanout", "--resume", "--json"]);
    expect(resumed.code).toBe(0);
    expect(resultsIn(resumed.stdout).map(({ details }) => details)).toEqual(TASKS.map((task) => `Did the ${task}.`));
    expect(asked.toSorted()).toEqual([...TASKS, "second thing"].toSorted());
    const { stdout } = await callRetinue(project, ["sessions", "list", "--json"]);
    expect((JSON.parse(stdout) as { sessions: unknown[] }).sessions).toHaveLength(TASKS.length);
    expect(await readdir(join(project.home, "fanouts"))).toEqual([]);
    const again = await callRetinue(project, ["fanout", "--resume"]);
    expect(again).toMatchObject({ code: 2, stdout: "" });
    expect(again.stderr).toContain("to resume");
  };

  const claim = "is resumed: what was done is kept, the rest is done, nothing is started twice";
  test(`by SIGKILL ${claim}`, () => expectResumed("SIGKILL", null));
  test(`by SIGTERM ${claim}`, { tags: ["long"] }, () => expectResumed("SIGTERM", 143));
});

describe("a fan-out in which one waits for an answer", { timeout: 240_000 }, () => {
  test("is the latest where it was worked on last, though the clock was ahead when another was begun", async () => {
    const made = await createMockProject(
      ({ text }) => ({ text: taskIn(text), toolCalls: [call("write", { path: "new.txt", content: "new\n" })] }),
      "approvals: { unattended: park }\n",
    );
    cleanups.push(made.remove);
    const { project } = made;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    try {
      expect(await callRetinue(project, ["fanout", "executor", "first thing"])).toMatchObject({ code: 4 });
    } finally {
      vi.useRealTimers();
    }
    expect(await callRetinue(project, ["fanout", "executor", "second thing"])).toMatchObject({ code: 4 });
    const resumed = await callRetinue(project, ["fanout", "--resume"]);
    expect(resumed).toMatchObject({ code: 4 });
    expect(resumed.stdout).toContain("second thing");
    expect(resumed.stdout).not.toContain("first thing");
  });

  test("gives the results of the others, exit code 4, and the rest when it is resumed", async () => {
    const made = await createMockProject(({ text }) => {
      if (taskIn(text) !== "first thing") return { text: "Fine." };
      return /"role":"tool"/.test(text)
        ? { text: "I was answered." }
        : { toolCalls: [call("write", { path: "new.txt", content: "new\n" })] };
    }, "approvals: { unattended: park }\n");
    cleanups.push(made.remove);
    const { project } = made;
    const parked = await callRetinue(project, ["fanout", "executor", "first thing", "executor", "second thing"]);
    expect(parked.code).toBe(4);
    expect(parked.stdout).toContain(
      "## 1. executor: first thing\n\nWaits for an approval.\n\n## 2. executor: second thing\n\nFine.\n",
    );
    const listed = await callRetinue(project, ["approvals", "list", "--json"]);
    const [asked] = (JSON.parse(listed.stdout) as { approvals: { approvalId: string }[] }).approvals;
    expect(await callRetinue(project, ["approvals", "answer", asked?.approvalId ?? "", "--allow"])).toMatchObject({ code: 0 });
    const resumed = await callRetinue(project, ["fanout", "--resume", "--json"]);
    expect(resumed.code).toBe(0);
    expect(resultsIn(resumed.stdout).map(({ details }) => details)).toEqual(["I was answered.", "Fine."]);
  });
});
