import type { RecordedEvent } from "@retinue/protocol";
import type { OpenApproval, RunNode } from "@retinue/store";
import type { TestPostgres } from "@retinue/store/testing/postgres";
import { startPostgres } from "@retinue/store/testing/postgres";
import { hostname } from "node:os";
import { afterAll, describe, expect, test, vi } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Ended, Running } from "../testing/spawn-retinue.ts";
import type { DelegatingProject } from "./testing/delegating-project.ts";
import { COMMAND, createDelegatingProject } from "./testing/delegating-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];
/** Started by whoever needs it first. */
let postgres: Promise<TestPostgres> | undefined;

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  await (await postgres)?.stop();
});

const PATIENCE = { timeout: 100_000, interval: 100 };

type Store = "SQLite" | "PostgreSQL";

const begin = async (store: Store): Promise<{ readonly made: DelegatingProject; readonly running: Running }> => {
  const database = `two_${cleanups.length}`;
  const url = store === "PostgreSQL" ? await (await (postgres ??= startPostgres())).createDatabase(database, "word") : undefined;
  const made = await createDelegatingProject(url === undefined ? "" : `store: { url: "${url}" }\n`);
  const running = made.project.start(["run", "--approve", "ask", "have it done"]);
  cleanups.push(made.remove, async () => {
    made.release();
    running.child.kill("SIGKILL");
    await running.ended;
  });
  return { made, running };
};

const approvalsOf = async ({ project }: DelegatingProject): Promise<readonly OpenApproval[]> =>
  (JSON.parse((await callRetinue(project, ["approvals", "list", "--json"])).stdout) as { approvals: OpenApproval[] }).approvals;

/** The question of the leaf, once it stands in the record. */
const awaitQuestion = (made: DelegatingProject): Promise<OpenApproval> =>
  vi.waitFor(async () => {
    const [asked] = await approvalsOf(made);
    if (!asked) throw new Error("nothing is asked yet");
    return asked;
  }, PATIENCE);

const eventsOf = async ({ project }: DelegatingProject): Promise<readonly RecordedEvent[]> => {
  const { stdout } = await callRetinue(project, ["sessions", "export", "latest", "--format", "json"]);
  return (JSON.parse(stdout) as { events: RecordedEvent[] }).events;
};

const treeOf = async ({ project }: DelegatingProject): Promise<RunNode> => {
  const { stdout } = await callRetinue(project, ["sessions", "show", "latest", "--json"]);
  const [root] = (JSON.parse(stdout) as { tree: RunNode[] }).tree;
  if (!root) throw new Error("there is no run");
  return root;
};

const childOf = ({ children }: RunNode, agent: string): RunNode => {
  const child = children.find((one) => one.agent === agent);
  if (!child) throw new Error(`there is no ${agent}`);
  return child;
};

const ok = async (ended: Promise<Ended>): Promise<Ended> => {
  const { code, stdout, stderr } = await ended;
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  return { code, signal: null, stdout, stderr };
};

/** What is not repeatable was begun once, and every call and run has one end. */
const expectNothingTwice = (events: readonly RecordedEvent[]): void => {
  const started = events.flatMap((event) => (event.type === "tool.started" && !event.repeatable ? [event.callId] : []));
  const ended = events.flatMap((event) => (event.type === "tool.settled" ? [`${event.runId} ${event.callId}`] : []));
  const settled = events.flatMap((event) => (event.type === "run.settled" ? [event.runId] : []));
  for (const all of [started, ended, settled]) expect(all).toEqual([...new Set(all)]);
  expect(started).not.toEqual([]);
  expect(settled).toHaveLength(4);
};

describe.each(["SQLite", "PostgreSQL"] as const)("a run that another process drives, on %s", { timeout: 240_000 }, (store) => {
  const lane = store === "SQLite" ? {} : { tags: ["long"] };

  test(
    "has its question at depth 2 listed and answered, is spoken to, has one child stopped, and is followed to its end",
    lane,
    async () => {
      const { made, running } = await begin(store);
      const { project } = made;
      const asked = await awaitQuestion(made);
      expect(asked).toMatchObject({
        path: ["main", "middle", "leaf"],
        depth: 2,
        act: { tool: "shell", input: { command: COMMAND } },
      });
      const shown = (await callRetinue(project, ["approvals"])).stdout;
      for (const part of [
        asked.approvalId,
        "main > middle > leaf, asked ",
        "wants to execute with shell:",
        `command: ${COMMAND}`,
      ])
        expect(shown).toContain(part);
      expect((await callRetinue(project, ["sessions", "list"])).stdout).toContain("waits for an approval");
      expect(await made.effects()).toBe("");

      const following = project.start(["follow", "latest", "--json"]);
      // A process of its own answers, by the beginning of the id.
      const answer = project.start(["approvals", "answer", asked.approvalId.slice(0, -2), "--allow", "--reason", "go on"]);
      const answered = await ok(answer.ended);
      expect(answered.stdout).toContain(`process ${running.child.pid} on ${hostname()} takes it up`);
      await vi.waitFor(async () => expect(await made.effects()).toBe("once\n"), PATIENCE);

      await ok(callRetinue(project, ["send", "latest", "the", "platypus", "was", "here"]));
      const idler = childOf(await treeOf(made), "idler");
      expect((await ok(callRetinue(project, ["stop", idler.runId, "--reason", "enough"]))).stdout).toContain("is being stopped");
      await vi.waitFor(async () => expect(childOf(await treeOf(made), "idler").outcome).toBe("cancelled"), PATIENCE);

      made.release();
      const ended = await running.ended;
      expect(ended).toMatchObject({ code: 0 });
      expect(made.heardByMain().at(-1)).toContain("the platypus was here");

      const events = await eventsOf(made);
      const inputs = events.filter(({ type }) => type === "approval.answered" || type === "cancel.requested");
      expect(inputs).toMatchObject([
        { allowed: true, scope: "once", reason: "go on", source: { via: "command", host: hostname(), pid: answer.child.pid } },
        { runId: idler.runId, reason: "enough", source: { via: "command", pid: process.pid } },
      ]);
      expectNothingTwice(events);
      const followed = await following.ended;
      expect(followed.code).toBe(0);
      const seqs = followed.stdout
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as RecordedEvent).seq);
      expect(seqs).toEqual(events.map(({ seq }) => seq));

      // What comes too late changes nothing.
      const before = events.length;
      for (const [words, code] of [
        [["approvals", "answer", asked.approvalId, "--deny"], "run_settled"],
        [["send", "latest", "too late"], "run_settled"],
        [["stop", "latest"], "run_settled"],
        [["stop", "run_nobody"], "run_unknown"],
        [["send", "nothing", "x"], "session_unknown"],
        [["approvals", "answer", "apr_nothing", "--allow"], "approval_unknown"],
      ] as const) {
        const refused = await callRetinue(project, words);
        expect(refused).toMatchObject({ code: 2, stdout: "" });
        expect(refused.stderr).toContain(`[${code}]`);
      }
      expect(await eventsOf(made)).toHaveLength(before);
    },
  );

  test(
    "is killed while its child is parked; the answer comes from a second process, a third takes it up: nothing lost, nothing twice",
    { tags: ["long"] },
    async () => {
      const { made, running } = await begin(store);
      const { project } = made;
      const asked = await awaitQuestion(made);
      await vi.waitFor(async () => expect((await eventsOf(made)).map(({ type }) => type)).toContain("run.parked"), PATIENCE);
      running.child.kill("SIGKILL");
      await running.ended;

      expect((await callRetinue(project, ["sessions", "list"])).stdout).toContain("waits for an approval");
      const answered = await ok(project.run(["approvals", "answer", asked.approvalId, "--allow"]));
      expect(answered.stdout).toMatch(/no process is at work on it now; .+ else retinue sessions resume ses_\w+ does/);
      const again = await callRetinue(project, ["approvals", "answer", asked.approvalId, "--deny"]);
      expect(again).toMatchObject({ code: 2, stdout: "" });
      expect(again.stderr).toContain("[approval_answered]");
      expect(await made.effects()).toBe("");

      const idler = childOf(await treeOf(made), "idler");
      // Nobody drives the idler either: it is settled by whoever stops it.
      expect((await ok(callRetinue(project, ["stop", idler.runId]))).stdout).toContain("cancelled in");
      expect(childOf(await treeOf(made), "idler").outcome).toBe("cancelled");
      made.release();
      const third = await ok(project.run(["sessions", "resume", "latest"]));
      expect(third.stdout).toContain("All is done.");
      expect(await made.effects()).toBe("once\n");
      expect([made.asked.get("leaf"), made.asked.get("middle")]).toEqual([2, 2]);
      const events = await eventsOf(made);
      expectNothingTwice(events);
      expect(events.filter(({ type }) => type === "approval.answered")).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: "run.settled", depth: 0, result: { status: "completed" } });
    },
  );
});
