/** The contract of the read side as tests: every store runs it in one line and passes all of it. */
import type { EventDraft, RecordedEvent, SessionId } from "@retinue/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventLog } from "../contract.ts";
import type { MessageRow } from "../message-row.ts";
import { EMPTY_MESSAGE, MESSAGE_COLUMNS } from "../message-row.ts";
import { CHAIN_START, toChainHash, toEventBody } from "../chain.ts";
import type { ReadSide, RunNode, SessionExport, SessionOrder, Stats, StatsKey } from "../read-side.ts";
import { renameExport } from "../rename-export.ts";
import { HOSTILE_STRINGS } from "./hostile-strings.ts";
import { recordQuestions } from "./recorded-questions.ts";
import { recordSession } from "./recorded-session.ts";
import { createRunDrafts } from "./session-drafts.ts";

type Awaitable<T> = T | Promise<T>;

const codeOf = async (act: () => Awaitable<unknown>): Promise<string | undefined> => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

/** The columns that a test speaks of. */
const pick = <K extends keyof MessageRow>(rows: readonly MessageRow[], ...columns: readonly K[]): MessageRow[K][][] =>
  rows.map((row) => columns.map((column) => row[column]));

/** Without the keys that are given by each store. */
const plain = (rows: readonly MessageRow[]) => rows.map((row) => ({ ...row, id: 0, parent_message_id: 0 }));

const shape = (nodes: readonly RunNode[]): unknown => nodes.map((node) => [node.runId, node.outcome, shape(node.children)]);

export const describeReadSide = (name: string, create: () => Awaitable<EventLog & { readonly readSide: ReadSide }>): void => {
  describe(`the ${name} read side`, () => {
    let log: EventLog & { readonly readSide: ReadSide };
    let readSide: ReadSide;
    beforeEach(async () => {
      log = await create();
      readSide = log.readSide;
    });
    afterEach(async () => {
      await log.close();
    });

    const allMessages = async (sessionId: SessionId = "ses_a"): Promise<readonly MessageRow[]> =>
      (await readSide.messages(sessionId, { limit: 500 })).items;

    /** Exported, through JSON, and gone. */
    const takeOut = async (sessionId: SessionId = "ses_a"): Promise<SessionExport> => {
      const exported = JSON.parse(JSON.stringify(await readSide.exportSession(sessionId))) as SessionExport;
      await readSide.deleteSession(sessionId, { force: true });
      return exported;
    };

    const states = async () => pick(await allMessages(), "request_type", "status", "approval");

    const listed = async (query: Parameters<ReadSide["listSessions"]>[0]) =>
      (await readSide.listSessions(query)).items.map((row) => row.sessionId);

    const found = async (text: string, query: Parameters<ReadSide["search"]>[1] = {}) =>
      (await readSide.search(text, query)).items.map((hit) => `${hit.sessionId} ${hit.type}`);

    const statsBy = async (by: StatsKey): Promise<Record<string, Stats>> =>
      Object.fromEntries((await readSide.stats({ by })).map((row) => [row.key, row]));

    const runsBy = async (query: Omit<Parameters<ReadSide["stats"]>[0], "by">) =>
      (await readSide.stats({ by: "agent", ...query })).map((row) => [row.key, row.runs]);

    const recordFiveDays = async () => {
      for (const day of [1, 2, 3, 4])
        await recordSession(log, { sessionId: `ses_${day}`, startedAt: `2026-01-0${day}T00:00:00.000Z` });
      const running = createRunDrafts({ sessionId: "ses_0", runId: "run_0", at: () => "2025-01-01T00:00:00.000Z" });
      await log.append([running.requested()]);
    };

    const left = async () => (await readSide.listSessions({ order: "oldest" })).items.map((row) => row.sessionId);

    describe("messages", () => {
      it("tells which sessions somebody is at work on, by their latest main run", async () => {
        await recordSession(log, { sessionId: "ses_done" });
        const work = createRunDrafts({ sessionId: "ses_work", runId: "run_work" });
        await log.append([work.requested()]);
        const admitted = createRunDrafts({ sessionId: "ses_admitted", runId: "run_admitted" });
        await log.append([admitted.requested()]);
        const lease = await log.lease("run_work");
        await log.append([work.started(lease.epoch)], lease);
        const all: readonly SessionId[] = ["ses_done", "ses_work", "ses_admitted", "ses_unknown"];
        expect([...(await readSide.holders(all)).keys()]).toEqual(["ses_work"]);
        await log.append([work.settled()], lease);
        expect(await readSide.holders(all)).toEqual(new Map());
        const next = createRunDrafts({ sessionId: "ses_done", runId: "run_next" });
        await log.append([next.requested()]);
        await log.lease("run_next");
        expect((await readSide.holders(all)).get("ses_done")).toMatchObject({ pid: process.pid, isSelf: true });
        expect(await readSide.holders([])).toEqual(new Map());
      });

      it("are told whole to several who ask at once", async () => {
        await recordSession(log, { sessionId: "ses_early" });
        await recordSession(log);
        const asked = [
          readSide.session("ses_a"),
          readSide.session("ses_a"),
          readSide.messages("ses_a"),
          readSide.tree("ses_a"),
        ] as const;
        const [one, other, messages, tree] = await Promise.all(asked.map(async (answer) => answer));
        expect(one).toMatchObject({ sessionId: "ses_a", status: "completed" });
        expect(other).toEqual(one);
        expect(messages).toEqual(await readSide.messages("ses_a"));
        expect(tree).toEqual(await readSide.tree("ses_a"));
      });

      it("are one row for each run, model call and tool call, in a tree", async () => {
        await recordSession(log);
        const rows = await allMessages();
        const place = new Map(rows.map((row, at) => [row.id, at]));
        expect(
          rows.map((row) => [
            row.parent_message_id === null ? null : place.get(row.parent_message_id),
            row.request_type,
            row.agent_role,
            row.agent_depth,
            row.tool_name ?? row.model_id,
            row.status,
            row.outcome,
          ]),
        ).toEqual([
          [null, "prompt", "main", 0, "test/model", "completed", "completed"],
          [0, "continuation", "main", 0, "test/model", "completed", "tool-calls"],
          [1, "tool_call", "main", 0, "read", "completed", "ok"],
          [1, "tool_call", "main", 0, "delegate_to_agent", "completed", "ok"],
          [3, "delegation", "reviewer", 1, "test/model", "completed", "partial"],
          [4, "continuation", "reviewer", 1, "test/model", "completed", "tool-calls"],
          [5, "tool_call", "reviewer", 1, "write", "completed", "ok"],
          [4, "continuation", "reviewer", 1, "test/model", "failed", "error"],
          [4, "continuation", "reviewer", 1, "test/other", "completed", "stop"],
          [0, "continuation", "main", 0, "test/cheap", "completed", "stop"],
          [0, "prompt", "main", 0, null, "completed", null],
          [0, "continuation", "main", 0, "test/model", "completed", "stop"],
          [11, "tool_call", "main", 0, "fly", "failed", "error"],
        ]);
      });

      it("carry what was asked, what came back and what it took", async () => {
        await recordSession(log);
        const rows = await allMessages();
        const [main, first, read] = rows;
        expect(main).toMatchObject({
          session_id: "ses_a",
          started_at: "2026-01-01T00:00:00.000Z",
          duration_ms: 1000,
          request_content: "Find the bug",
          response_content: "Fixed it.",
          response_summary: "Fixed.",
          iteration_count: 2,
          max_iterations: 20,
          max_duration_ms: 60_000,
          system_prompt_id: expect.stringMatching(/^sys_[0-9a-f]{16}$/),
        });
        expect(first).toMatchObject({
          step: 1,
          context_token_count: 100,
          response_content: "I read and ask a reviewer.",
          prompt_tokens: 100,
          completion_tokens: 10,
          total_tokens: 110,
          cached_tokens: 50,
          reasoning_tokens: 3,
          cost_usd: 0.001,
          duration_ms: 1000,
        });
        expect(JSON.parse(first?.tool_calls_json ?? "")).toEqual([
          { callId: "c1", tool: "read", arguments: '{"path":"a.ts"}' },
          { callId: "c2", tool: "delegate_to_agent", arguments: '{"agent":"reviewer"}' },
        ]);
        expect(read).toMatchObject({
          call_id: "c1",
          effect: "read",
          request_content: '{"path":"a.ts"}',
          response_content: "const broken = true;",
          approval: null,
        });
        const child = rows.find((row) => row.request_type === "delegation");
        expect(child).toMatchObject({ bailout_reason: "max_iterations", files_modified_json: '["a.ts","b.ts"]' });
        const write = rows.find((row) => row.tool_name === "write");
        expect(write).toMatchObject({
          approval: "allowed",
          approval_reason: "go on",
          files_modified_json: '["a.ts","b.ts"]',
          files_created_json: '["b.ts"]',
          artifact_id: expect.stringMatching(/^art_/),
        });
        const failed = rows.find((row) => row.status === "failed" && row.request_type === "continuation");
        expect(failed).toMatchObject({ error_code: "model_overloaded", error_message: "too busy" });
        expect(Object.keys(main ?? {})).toEqual([...MESSAGE_COLUMNS]);
      });

      it("have each its own duration, whatever its run had worked until then", async () => {
        const times = [0, 0, 10, 1010, 1020, 1050, 2060, 2070, 9070];
        let count = 0;
        const at = () => new Date(Date.UTC(2026, 0, 1) + (times[count++] ?? 0)).toISOString();
        const run = createRunDrafts({ at });
        await log.append([run.requested()]);
        const lease = await log.lease("run_a");
        await log.append([run.started(lease.epoch), run.asked(1)], lease);
        const calls = ["c1", "c2"].map((callId) => ({ type: "tool-call" as const, callId, tool: "read", arguments: "{}" }));
        const answer = { ...run.answered(1, calls), activeMs: 50_000 };
        const settled = [
          [run.toolStarted("c1"), run.toolStarted("c2")],
          [run.toolSettled("c1", "one", { activeMs: 60_000 }), run.toolSettled("c2", "two", { activeMs: 70_000 })],
          [run.toolSettled("c3", "no such tool", { tool: "fly", outcome: "error", activeMs: 80_000 })],
        ];
        await log.append([answer, ...settled.flat()] as EventDraft[], lease);
        expect(pick(await allMessages(), "call_id", "duration_ms")).toEqual([
          [null, null],
          [null, 1000],
          ["c1", 1040],
          ["c2", 1020],
          ["c3", 0],
        ]);
      });

      it("are there from the start of a run, a model call or a tool call", async () => {
        const run = createRunDrafts();
        await log.append([run.requested()]);
        expect(await states()).toEqual([["prompt", "pending", null]]);
        const lease = await log.lease("run_a");
        await log.append([run.started(lease.epoch), run.asked(1)], lease);
        expect(await states()).toEqual([
          ["prompt", "running", null],
          ["continuation", "running", null],
        ]);
        const act = { callId: "c", tool: "write", effect: "write", input: {}, paths: [], hosts: [] } as const;
        await log.append(
          [
            run.answered(1, [{ type: "tool-call", callId: "c", tool: "write", arguments: "{}" }]),
            run.draft({ type: "approval.requested", approvalId: "apr_1", act, hash: "h" }),
          ],
          lease,
        );
        expect((await states()).slice(1)).toEqual([
          ["continuation", "completed", null],
          ["tool_call", "pending", "asked"],
        ]);
        await log.append([run.draft({ type: "approval.answered", approvalId: "apr_1", allowed: true, scope: "once" })], lease);
        await log.append([run.toolStarted("c", { tool: "write", effect: "write" })], lease);
        expect((await states()).slice(2)).toEqual([["tool_call", "running", "allowed"]]);
        await log.append([run.toolSettled("c", "ok", { tool: "write" })], lease);
        expect((await states()).slice(2)).toEqual([["tool_call", "completed", "allowed"]]);
      });

      it("of a model call under way hold what is known of it, count nowhere, and are what the events say", async () => {
        const run = createRunDrafts();
        await log.append([run.requested()]);
        const lease = await log.lease("run_a");
        await log.append([run.started(lease.epoch), run.asked(1)], lease);
        const [main, call] = await allMessages();
        expect(call).toEqual({
          ...EMPTY_MESSAGE,
          id: call?.id,
          session_id: "ses_a",
          parent_message_id: main?.id,
          started_at: "2026-01-01T00:00:02.000Z",
          agent_role: "main",
          model_id: "test/model",
          request_type: "continuation",
          context_token_count: 100,
          iteration_count: 1,
          status: "running",
          run_id: "run_a",
          seq: 3,
          step: 1,
        });
        expect(await readSide.message(call?.id ?? 0)).toEqual(call);
        expect((await readSide.children(main?.id ?? 0)).items).toEqual([call]);
        expect((await readSide.session("ses_a"))?.messageCount).toBe(1);
        expect((await statsBy("agent"))["main"]).toMatchObject({ runs: 1, modelCalls: 0, unpricedCalls: 0 });
        expect((await readSide.exportSession("ses_a")).messages).toHaveLength(2);
        expect((await readSide.verify()).damage).toEqual([]);
        await log.append([run.answered(1, "There."), run.settled()], lease);
        const ended = await allMessages();
        expect(pick(ended, "id", "status", "response_content")).toEqual([
          [main?.id, "completed", "Looked around everywhere."],
          [call?.id, "completed", "There."],
        ]);
        expect((await statsBy("agent"))["main"]).toMatchObject({ modelCalls: 1 });
        expect((await readSide.verify()).damage).toEqual([]);
      });

      it("name the prompt of their run's role, which is kept once for all of its tasks", async () => {
        const role = "You look around. \u{1f440} Closely.";
        const spec = (task: string) => {
          const { requested } = createRunDrafts();
          const draft = requested() as Extract<EventDraft, { type: "run.requested" }>;
          return { ...draft.spec, system: `${role}\n\nYour task: ${task}`, roleChars: Array.from(role).length };
        };
        for (const n of [1, 2]) {
          const run = createRunDrafts({ sessionId: `ses_${n}`, runId: `run_${n}`, agent: "looker" });
          await log.append([run.requested(`look ${n}`, { spec: spec(`look ${n}`) })]);
        }
        const [first] = await allMessages("ses_1");
        const [second] = await allMessages("ses_2");
        expect(first?.system_prompt_id).toMatch(/^sys_/);
        expect(second?.system_prompt_id).toBe(first?.system_prompt_id);
        const id = first?.system_prompt_id ?? "";
        expect(await readSide.systemPrompt(id)).toEqual({ id, agent: "looker", text: role });
        expect(await readSide.systemPrompt("sys_none")).toBeUndefined();
      });

      it("show what was under way when the run was cancelled, and when it was asked again after a crash", async () => {
        const run = createRunDrafts();
        await log.append([run.requested()]);
        const first = await log.lease("run_a");
        await log.append([run.started(first.epoch), run.asked(1)], first);
        const second = await log.lease("run_a");
        await log.append([run.started(second.epoch, true), run.asked(1)], second);
        await log.append(
          [
            run.answered(1, [{ type: "tool-call", callId: "c", tool: "shell", arguments: "{}" }]),
            run.toolStarted("c", { tool: "shell", effect: "execute" }),
            run.asked(2),
          ],
          second,
        );
        await log.append([run.settled({ status: "cancelled", bailoutReason: "cancelled" })], second);
        expect(pick(await allMessages(), "request_type", "step", "status")).toEqual([
          ["prompt", null, "cancelled"],
          ["continuation", 1, "failed"],
          ["continuation", 1, "completed"],
          ["tool_call", null, "cancelled"],
          ["continuation", 2, "cancelled"],
        ]);
      });

      it("come in pages, both ways, and filtered", async () => {
        await recordSession(log);
        await recordSession(log, { sessionId: "ses_b" });
        const all = await allMessages();
        for (const order of ["oldest", "newest"] as const) {
          const seen: number[] = [];
          let after: string | undefined;
          do {
            const page = await readSide.messages("ses_a", { order, limit: 4, ...(after === undefined ? {} : { after }) });
            expect(page.items.length).toBeLessThanOrEqual(4);
            seen.push(...page.items.map((row) => row.id));
            after = page.next ?? undefined;
          } while (after !== undefined);
          const ids = all.map((row) => row.id);
          expect(seen).toEqual(order === "oldest" ? ids : ids.toReversed());
        }
        const count = async (query: Parameters<ReadSide["messages"]>[1]) =>
          (await readSide.messages("ses_a", { limit: 500, ...query })).items.length;
        expect(await count({ agent: "reviewer" })).toBe(5);
        expect(await count({ requestType: "tool_call" })).toBe(4);
        expect(await count({ status: "failed" })).toBe(2);
        expect(await count({ runId: "run_a_child" })).toBe(5);
        expect(await count({ agent: "reviewer", requestType: "tool_call" })).toBe(1);
        expect(await readSide.messages("ses_unknown")).toEqual({ items: [], next: null });
      });

      it("have children, and are found by their id", async () => {
        await recordSession(log);
        const [main, first] = await allMessages();
        const children = await readSide.children(first?.id ?? 0);
        expect(pick(children.items, "tool_name")).toEqual([["read"], ["delegate_to_agent"]]);
        const paged = await readSide.children(main?.id ?? 0, { limit: 2 });
        expect(paged.items).toHaveLength(2);
        const rest = await readSide.children(main?.id ?? 0, { limit: 5, after: paged.next ?? "" });
        expect(rest.items).toHaveLength(2);
        expect(rest.next).toBeNull();
        expect(await readSide.message(main?.id ?? 0)).toEqual(main);
        expect(await readSide.message(12)).toBeUndefined();
        expect(await readSide.message(Number.MAX_SAFE_INTEGER)).toBeUndefined();
      });
    });

    describe("sessions", () => {
      it("say what they were about and what they cost", async () => {
        await recordSession(log, { task: "\n  Find the bug \nin the second line" });
        expect(await readSide.session("ses_a")).toMatchObject({
          sessionId: "ses_a",
          title: "Find the bug",
          agent: "main",
          model: "test/model",
          workspace: "/workspace",
          status: "completed",
          createdAt: "2026-01-01T00:00:00.000Z",
          runCount: 2,
          messageCount: 13,
          promptTokens: 630,
          completionTokens: 45,
          cachedTokens: 200,
          reasoningTokens: 12,
          costUsd: 0.004,
          unpricedCalls: 1,
        });
        expect(await readSide.session("ses_unknown")).toBeUndefined();
      });

      it("are listed in pages, in the order that was asked for", async () => {
        for (const [at, sessionId] of (["ses_1", "ses_2", "ses_3", "ses_4", "ses_5"] as const).entries())
          await recordSession(log, { sessionId, startedAt: `2026-01-0${[3, 1, 5, 2, 4][at]}T00:00:00.000Z` });
        const list = async (order: SessionOrder) => {
          const seen: string[] = [];
          let after: string | undefined;
          do {
            const page = await readSide.listSessions({ order, limit: 2, ...(after === undefined ? {} : { after }) });
            seen.push(...page.items.map((row) => row.sessionId.slice(4)));
            after = page.next ?? undefined;
          } while (after !== undefined);
          return seen.join("");
        };
        expect(await list("newest")).toBe("54321");
        expect(await list("oldest")).toBe("12345");
        expect(await list("updated")).toBe("54321");
        // Whatever the clock says: ses_2 is the last that was written to, and ses_4 before it.
        for (const [at, sessionId] of (["ses_4", "ses_2"] as const).entries())
          await log.append([
            createRunDrafts({ sessionId, runId: `run_late_${at}`, at: () => `2020-01-0${9 - at}T00:00:00.000Z` }).requested(),
          ]);
        expect(await list("updated")).toBe("24531");
        expect((await readSide.listSessions()).items).toHaveLength(5);
      });

      it("are filtered by status, agent and workspace", async () => {
        await recordSession(log, { sessionId: "ses_1" });
        await log.append([createRunDrafts({ sessionId: "ses_2", agent: "planner" }).requested()]);
        expect(await listed({ status: "completed" })).toEqual(["ses_1"]);
        expect(await listed({ status: "pending" })).toEqual(["ses_2"]);
        expect(await listed({ agent: "planner" })).toEqual(["ses_2"]);
        expect(await listed({ workspace: "/workspace" })).toEqual(["ses_2", "ses_1"]);
        expect(await listed({ workspace: "/elsewhere" })).toEqual([]);
      });

      it("have a tree of runs", async () => {
        await recordSession(log);
        const [main, ...others] = await readSide.tree("ses_a");
        expect(others).toEqual([]);
        expect(main).toMatchObject({
          runId: "run_a_main",
          parentRunId: null,
          depth: 0,
          agent: "main",
          task: "Find the bug",
          status: "completed",
          summary: "Fixed.",
        });
        expect(main?.children).toMatchObject([
          {
            runId: "run_a_child",
            parentRunId: "run_a_main",
            depth: 1,
            agent: "reviewer",
            task: "Review a.ts",
            outcome: "partial",
            bailoutReason: "max_iterations",
            children: [],
          },
        ]);
        expect(await readSide.tree("ses_unknown")).toEqual([]);
      });
    });

    describe("search", () => {
      it("finds tasks, answers, tool outputs and errors, what was said last first", async () => {
        await recordSession(log, { output: "const needle = 1;" });
        expect(await found("bug")).toEqual([
          "ses_a tool.settled",
          "ses_a run.settled",
          "ses_a model.answered",
          "ses_a run.requested",
        ]);
        expect(await found("needle")).toEqual(["ses_a tool.settled"]);
        expect(await found("busy")).toEqual(["ses_a model.failed"]);
        expect(await found("brief")).toEqual(["ses_a message.received"]);
        expect(await found("nowhere")).toEqual([]);
        expect(await found("")).toEqual([]);
        expect(await found("   ")).toEqual([]);
      });

      it("takes all words, in any case, the last as a beginning where it is no word", async () => {
        await recordSession(log, { output: "Überraschung in the ALPHA and the beta" });
        expect(await found("beta alpha")).toHaveLength(1);
        expect(await found("beta alph")).toHaveLength(1);
        expect(await found("alph beta")).toHaveLength(0);
        expect(await found("bet")).toHaveLength(1);
        expect(await found("uberraschung")).toHaveLength(1);
        expect(await found("alpha gamma")).toHaveLength(0);
      });

      it("leads to the event, its message and the words around", async () => {
        await recordSession(log, { output: `${"x ".repeat(500)}needle${" y".repeat(500)}` });
        const [hit] = (await readSide.search("needle")).items;
        expect(hit).toMatchObject({ sessionId: "ses_a", runId: "run_a_main", agent: "main", depth: 0, type: "tool.settled" });
        expect(hit?.snippet).toMatch(/^….*x needle y.*…$/);
        expect(hit?.snippet.length).toBeLessThan(200);
        const row = await readSide.message(hit?.messageId ?? 0);
        expect(row).toMatchObject({ call_id: "c1", tool_name: "read" });
        const [event] = await log.read("ses_a", (hit?.seq ?? 0) - 1);
        expect(event?.type).toBe("tool.settled");
      });

      it("sees what was appended since the last search", async () => {
        await recordSession(log, { sessionId: "ses_a", output: "needle" });
        expect(await found("needle")).toHaveLength(1);
        await recordSession(log, { sessionId: "ses_b", output: "needle" });
        expect(await found("needle")).toHaveLength(2);
        expect(await found("needle")).toHaveLength(2);
      });

      it("comes in pages, over all sessions or in one", async () => {
        for (const sessionId of ["ses_1", "ses_2", "ses_3"] as const) await recordSession(log, { sessionId, output: "needle" });
        expect(await found("needle", { sessionId: "ses_2" })).toEqual(["ses_2 tool.settled"]);
        expect(await found("needle", { sessionId: "ses_unknown" })).toEqual([]);
        const first = await readSide.search("needle", { limit: 2 });
        expect(first.items.map((hit) => hit.sessionId)).toEqual(["ses_3", "ses_2"]);
        const second = await readSide.search("needle", { limit: 2, after: first.next ?? "" });
        expect(second.items.map((hit) => hit.sessionId)).toEqual(["ses_1"]);
        expect(second.next).toBeNull();
      });

      it.each(["need", "++"])("goes on with %s where the page before ended", async (text) => {
        for (const sessionId of ["ses_1", "ses_2", "ses_3"] as const)
          await recordSession(log, { sessionId, output: "needle ++" });
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await readSide.search(text, { limit: 1, ...(after === undefined ? {} : { after }) });
          seen.push(...page.items.map((hit) => hit.sessionId));
          after = page.next ?? undefined;
        } while (after !== undefined);
        expect(seen).toEqual(["ses_3", "ses_2", "ses_1"]);
      });

      it.each(HOSTILE_STRINGS.filter(([, text]) => text.trim() !== ""))("finds %s as it is", async (_name, text) => {
        await recordSession(log, { output: `before ${text} after` });
        await recordSession(log, { sessionId: "ses_b", output: "something else entirely" });
        const hits = (await readSide.search(text)).items;
        expect(hits.map((hit) => `${hit.sessionId} ${hit.type}`)).toContain("ses_a tool.settled");
        expect(hits.filter((hit) => hit.snippet.includes("entirely"))).toEqual([]);
      });

      it.each([
        "foo-bar",
        "C++",
        '"',
        "'",
        "a AND",
        "NEAR(",
        "*",
        "^x",
        "x:y",
        "said:x",
        "(",
        "{a b}: c",
        "-x",
        "x OR",
        "%",
        "_",
      ])("takes %j for words, not for syntax", async (text) => {
        await recordSession(log, { output: "nothing of this kind" });
        expect(await codeOf(() => readSide.search(text))).toBeUndefined();
      });
    });

    describe("stats", () => {
      it("count runs by how they ended, with what they took, by agent", async () => {
        await recordSession(log, { sessionId: "ses_1" });
        await recordSession(log, { sessionId: "ses_2" });
        const { main, reviewer } = await statsBy("agent");
        expect(main).toEqual({
          key: "main",
          runs: 2,
          completed: 2,
          partial: 0,
          failed: 0,
          cancelled: 0,
          timeout: 0,
          successRate: 1,
          bailouts: {},
          durationMs: 2000,
          modelCalls: 6,
          toolCalls: 6,
          toolFailures: 2,
          promptTokens: 660,
          completionTokens: 50,
          cachedTokens: 200,
          reasoningTokens: 12,
          costUsd: 0.004,
          unpricedCalls: 2,
        });
        expect(reviewer).toMatchObject({ runs: 2, partial: 2, successRate: 0, bailouts: { max_iterations: 2 }, modelCalls: 6 });
      });

      it("are had by model, depth, delegation pair and day too", async () => {
        await recordSession(log, { sessionId: "ses_1", startedAt: "2026-01-01T00:00:00.000Z" });
        await recordSession(log, { sessionId: "ses_2", startedAt: "2026-01-02T00:00:00.000Z" });
        const byModel = await statsBy("model");
        expect(Object.keys(byModel)).toEqual(["test/cheap", "test/model", "test/other"]);
        expect(byModel["test/model"]).toMatchObject({ runs: 4, modelCalls: 8, toolCalls: 8 });
        expect(byModel["test/other"]).toMatchObject({ runs: 0, modelCalls: 2, successRate: null });
        const byDepth = await statsBy("depth");
        expect(byDepth["0"]).toMatchObject({ runs: 2, toolCalls: 6 });
        expect(byDepth["1"]).toMatchObject({ runs: 2, toolCalls: 2 });
        const byPair = await statsBy("pair");
        expect(Object.keys(byPair)).toEqual(["main → reviewer"]);
        expect(byPair["main → reviewer"]).toMatchObject({ runs: 2, modelCalls: 6, toolCalls: 2, promptTokens: 600 });
        const byDay = await statsBy("day");
        expect(Object.keys(byDay)).toEqual(["2026-01-01", "2026-01-02"]);
      });

      it("can be had of one session or of a time", async () => {
        await recordSession(log, { sessionId: "ses_1", startedAt: "2026-01-01T00:00:00.000Z" });
        await recordSession(log, { sessionId: "ses_2", startedAt: "2026-01-02T00:00:00.000Z" });
        expect(await runsBy({ sessionId: "ses_1" })).toEqual([
          ["main", 1],
          ["reviewer", 1],
        ]);
        expect(await runsBy({ since: "2026-01-02" })).toEqual([
          ["main", 1],
          ["reviewer", 1],
        ]);
        expect(await runsBy({ until: "2026-01-01" })).toEqual([]);
        expect(await runsBy({ sessionId: "ses_unknown" })).toEqual([]);
      });

      it("are of the time that was asked for, to the millisecond", async () => {
        // Sessions begin at the full hour and last half a minute; runs and calls are counted by their own start.
        const hours = ["2026-01-01T09", "2026-01-01T10", "2026-01-01T11", "2026-01-01T12"];
        for (const [at, hour] of hours.entries())
          await recordSession(log, { sessionId: `ses_${at}`, startedAt: `${hour}:00:00.000Z` });
        const rows = (await Promise.all(hours.map((_, at) => allMessages(`ses_${at}`)))).flat();
        const times = [
          "2026",
          "2026-01-01T10",
          "2026-01-01T10:00:00.000Z",
          "2026-01-01T10:00:00.001Z",
          "2026-01-01T10:00:09.000Z",
          "2026-01-01T10:59:59.999Z",
          "2026-01-01T11:00:05.000Z",
          "2026-01-01T12:00:04.000Z",
          "2027",
        ];
        for (const since of times)
          for (const until of times) {
            const chosen = rows.filter((row) => row.started_at >= since && row.started_at < until);
            const sums = { runs: 0, modelCalls: 0, toolCalls: 0, promptTokens: 0 };
            for (const one of await readSide.stats({ by: "agent", since, until })) {
              sums.runs += one.runs;
              sums.modelCalls += one.modelCalls;
              sums.toolCalls += one.toolCalls;
              sums.promptTokens += one.promptTokens;
            }
            const calls = chosen.filter((row) => row.request_type === "continuation");
            expect({ since, until, ...sums }).toEqual({
              since,
              until,
              runs: chosen.filter((row) => row.system_prompt_id !== null).length,
              modelCalls: calls.length,
              toolCalls: chosen.filter((row) => row.request_type === "tool_call").length,
              promptTokens: calls.reduce((sum, row) => sum + (row.prompt_tokens ?? 0), 0),
            });
          }
        expect(await readSide.stats({ by: "day", sessionId: "ses_1", since: "2026-01-01T10:00:00.001Z" })).toMatchObject([
          { key: "2026-01-01", runs: 1 },
        ]);
      });

      it("of a run that has not ended promise nothing", async () => {
        await log.append([createRunDrafts().requested()]);
        expect(await readSide.stats({ by: "agent" })).toMatchObject([{ key: "main", runs: 1, completed: 0, successRate: null }]);
      });
    });

    describe("export", () => {
      it("holds the whole session", async () => {
        const { sessionId } = await recordSession(log);
        const exported = await readSide.exportSession(sessionId);
        expect(exported.events).toEqual(await log.read(sessionId));
        expect(exported.messages).toEqual(await allMessages());
        expect(exported.session).toEqual(await readSide.session(sessionId));
        expect(exported.artifacts).toHaveLength(1);
        expect(exported.damage).toBeNull();
        expect(JSON.parse(JSON.stringify(exported))).toEqual(exported);
      });

      it("is refused for a session nobody knows", async () => {
        expect(await codeOf(() => readSide.exportSession("ses_unknown"))).toBe("session_unknown");
      });
    });

    describe("what was said to a run from elsewhere", () => {
      it("stands in its messages, and nothing is damaged", async () => {
        await recordQuestions(log);
        const rows = (await readSide.messages("ses_q", { limit: 500 })).items;
        expect(
          rows.filter((row) => row.approval !== null).map((row) => [row.call_id, row.approval, row.approval_reason]),
        ).toEqual([
          ["call_left", "asked", null],
          ["call_allowed", "allowed", null],
          ["call_denied", "denied", "not today"],
          ["call_late", "asked", null],
          ["call_open", "asked", null],
        ]);
        expect(rows.filter((row) => row.request_type === "prompt").map((row) => row.request_content)).toEqual([
          "look around",
          "be quick",
        ]);
        expect((await readSide.verify()).damage).toEqual([]);
      });

      it("is exported and imported with the session; its snapshots are not, and nothing stays of it once it is deleted", async () => {
        await recordQuestions(log);
        const ref = await log.writeArtifact("ses_q", Uint8Array.from([0, 255, 128]), "image/png");
        await log.writeSnapshot({ sessionId: "ses_q", runId: "run_q", seq: 2, format: "f", state: "s" });
        const [open] = await log.approvals();
        const root = await log.latestRoot("ses_q");
        const exported = JSON.parse(JSON.stringify(await readSide.exportSession("ses_q")));
        expect(exported.artifacts).toEqual([{ artifactId: ref.artifactId, base64: "AP+A", mediaType: "image/png" }]);
        expect(await readSide.deleteSession("ses_q", { force: true })).toBe(true);
        expect(await log.approvals()).toEqual([]);
        expect(await log.latestRoot("ses_q")).toBeUndefined();
        expect(await log.inputs("run_q")).toEqual([]);
        expect(await log.readSnapshot("run_q", "f")).toBeUndefined();
        await readSide.importSession(exported);
        expect(await log.approvals()).toEqual([open]);
        expect(await log.latestRoot("ses_q")).toEqual(root);
        expect(await log.readSnapshot("run_q", "f")).toBeUndefined();
        expect(await log.readArtifactBytes("ses_q", ref.artifactId)).toMatchObject({ mediaType: "image/png" });
        expect((await readSide.verify()).damage).toEqual([]);
        const damaged = { ...exported, artifacts: [{ ...exported.artifacts[0], base64: "AP+B" }] };
        await readSide.deleteSession("ses_q");
        expect(await codeOf(() => readSide.importSession(damaged))).toBe("import_invalid");
      });
    });

    describe("import", () => {
      it("brings a session back with its tree, its artifacts and its hashes, and it verifies, is found and goes on", async () => {
        const { mainId } = await recordSession(log, { output: "a \0 needle \ud83d" });
        const tree = await readSide.tree("ses_a");
        const before = await readSide.exportSession("ses_a");
        const imported = await readSide.importSession(await takeOut());
        expect(before.session.importedAt).toBeNull();
        expect(imported.importedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
        expect(imported).toEqual({ ...before.session, number: imported.number, importedAt: imported.importedAt });
        expect(await readSide.session("ses_a")).toEqual(imported);
        expect((await readSide.verify()).damage).toEqual([]);
        expect(await log.read("ses_a")).toEqual(before.events);
        const again = await readSide.exportSession("ses_a");
        expect(again.artifacts).toEqual(before.artifacts);
        expect(again.damage).toBeNull();
        expect(plain(again.messages)).toEqual(plain(before.messages));
        expect(shape(await readSide.tree("ses_a"))).toEqual(shape(tree));
        expect((await readSide.search("needle")).items).not.toEqual([]);
        expect(await log.lease(mainId)).toEqual({ runId: mainId, epoch: 2 });
        const next = createRunDrafts({ runId: "run_next" });
        expect(await log.append([next.requested()])).toMatchObject([{ seq: before.events.length + 1 }]);
      });

      it("brings a session back that was cut off, and it goes on under a new lease", async () => {
        const run = createRunDrafts();
        await log.append([run.requested()]);
        const lease = await log.lease("run_a");
        await log.append([run.started(lease.epoch), run.asked(1)], lease);
        await readSide.importSession(await takeOut());
        await expect((async () => log.append([run.answered(1, "old")], lease))()).resolves.toHaveLength(1);
        const newer = await log.lease("run_a");
        expect(newer.epoch).toBe(2);
        await log.append([run.settled()], newer);
        expect((await readSide.verify()).damage).toEqual([]);
      });

      it("is refused where the session or one of its runs is there", async () => {
        await recordSession(log);
        const exported = await readSide.exportSession("ses_a");
        expect(await codeOf(() => readSide.importSession(exported))).toBe("session_exists");
        await readSide.deleteSession("ses_a");
        await log.append([createRunDrafts({ sessionId: "ses_b", runId: "run_a_child" }).requested()]);
        expect(await codeOf(() => readSide.importSession(exported))).toBe("session_exists");
        expect(await readSide.session("ses_a")).toBeUndefined();
      });

      it("is refused for whatever is not as it was exported, and nothing is written", async () => {
        await recordSession(log);
        const exported = await takeOut();
        const { session, events, artifacts } = exported;
        const wrong: readonly unknown[] = [
          null,
          [],
          {},
          "retinue-session",
          { ...exported, version: 2 },
          { ...exported, format: "other" },
          { ...exported, damage: { sessionId: null, seq: 1, what: "x" } },
          { ...exported, events: [] },
          { ...exported, events: events.slice(0, -1) },
          { ...exported, events: events.slice(1) },
          { ...exported, events: events.map((event) => (event.seq === 5 ? { ...event, agent: "other" } : event)) },
          { ...exported, events: events.map((event) => (event.seq === 5 ? null : event)) },
          { ...exported, session: { ...session, headHash: "0" } },
          { ...exported, session: { ...session, sessionId: "ses_other" } },
          { ...exported, artifacts: artifacts.map((artifact) => ({ ...artifact, text: "other" })) },
          { ...exported, artifacts: [7] },
        ];
        for (const one of wrong) expect(await codeOf(() => readSide.importSession(one))).toBe("import_invalid");
        expect((await readSide.listSessions()).items).toEqual([]);
        await readSide.importSession(exported);
        expect((await readSide.verify()).damage).toEqual([]);
      });

      it.each([
        ["a type that nobody knows", { type: "future.event" }],
        ["a field of another type", { depth: "deep" }],
        ["a time that is none", { at: 7 }],
      ])("of events that fit their hashes and are none of ours is refused, and nothing is written: %s", async (_what, change) => {
        await recordSession(log);
        const exported = await takeOut();
        const events = exported.events.map((event) => (event.seq === 5 ? { ...event, ...change } : event)) as RecordedEvent[];
        let headHash = CHAIN_START;
        for (const { seq, ...draft } of events) headHash = toChainHash(headHash, toEventBody(draft, seq));
        const forged = { ...exported, events, session: { ...exported.session, headHash } };
        expect(await codeOf(() => readSide.importSession(forged))).toBe("import_invalid");
        expect(await readSide.session("ses_a")).toBeUndefined();
      });

      it("under new ids stands beside the session it came from, each run below its parent", async () => {
        await recordSession(log);
        const exported = await readSide.exportSession("ses_a");
        const renamed = renameExport(exported, { sessionId: "ses_new", runIdOf: ({ agent }) => `run_new_${agent}` });
        await readSide.importSession(renamed);
        expect((await readSide.verify()).damage).toEqual([]);
        expect(await readSide.tree("ses_new")).toMatchObject([
          { runId: "run_new_main", children: [{ runId: "run_new_reviewer", parentRunId: "run_new_main" }] },
        ]);
        expect(await log.read("ses_a")).toEqual(exported.events);
        expect((await log.read("ses_new")).map(({ type, at }) => [type, at])).toEqual(
          exported.events.map(({ type, at }) => [type, at]),
        );
      });
    });

    describe("deleting", () => {
      it("takes everything of the session and nothing of another", async () => {
        await recordSession(log, { sessionId: "ses_1", output: "needle" });
        await recordSession(log, { sessionId: "ses_2", output: "needle" });
        expect((await readSide.search("needle")).items).toHaveLength(2);
        const artifactId = (await readSide.exportSession("ses_1")).artifacts[0]?.artifactId ?? "art_";
        const rows = await allMessages("ses_1");
        expect(await readSide.deleteSession("ses_1")).toBe(true);
        expect(await log.read("ses_1")).toEqual([]);
        expect(await log.sessionOf("run_1_main")).toBeUndefined();
        expect(await log.readArtifact("ses_1", artifactId)).toBeUndefined();
        expect(await readSide.session("ses_1")).toBeUndefined();
        expect(await readSide.tree("ses_1")).toEqual([]);
        for (const row of rows) expect(await readSide.message(row.id)).toBeUndefined();
        expect((await readSide.search("needle")).items.map((hit) => hit.sessionId)).toEqual(["ses_2"]);
        expect(await log.readArtifact("ses_2", artifactId)).toContain("needle");
        expect((await readSide.verify()).damage).toEqual([]);
        expect(await codeOf(() => log.lease("run_1_main"))).toBe("run_unknown");
      });

      it("says whether there was anything", async () => {
        expect(await readSide.deleteSession("ses_unknown")).toBe(false);
      });

      it("lets a session of the same name begin anew", async () => {
        await recordSession(log);
        const before = (await allMessages()).map((row) => row.id);
        await readSide.deleteSession("ses_a");
        await recordSession(log);
        const after = (await allMessages()).map((row) => row.id);
        expect(after).toHaveLength(before.length);
        expect(after.filter((id) => before.includes(id))).toEqual([]);
        expect((await readSide.verify()).damage).toEqual([]);
      });

      it("is refused for a session that somebody drives, and forced ends what drives it", async () => {
        const run = createRunDrafts();
        await log.append([run.requested()]);
        const lease = await log.lease("run_a");
        await log.append([run.started(lease.epoch)], lease);
        expect(await codeOf(() => readSide.deleteSession("ses_a"))).toBe("session_running");
        await log.append([run.asked(1)], lease);
        expect(await readSide.deleteSession("ses_a", { force: true })).toBe(true);
        expect(await codeOf(() => log.append([run.asked(1)], lease))).toBe("run_unknown");
        expect(await log.read("ses_a")).toEqual([]);
      });
    });

    describe("retention", () => {
      it("goes by age, and leaves what has not ended", async () => {
        await recordFiveDays();
        expect(await readSide.retain({ before: "2026-01-03" })).toEqual(["ses_1", "ses_2"]);
        expect(await left()).toEqual(["ses_3", "ses_4", "ses_0"]);
      });

      it("goes by count, and tells of each that went", async () => {
        await recordFiveDays();
        const removed: SessionId[] = [];
        const gone = await readSide.retain({ keep: 3 }, { removed: (sessionId) => void removed.push(sessionId) });
        expect(gone).toEqual(["ses_1", "ses_2"]);
        expect(removed).toEqual(gone);
        expect(await readSide.retain({ keep: 3 })).toEqual([]);
        expect(await left()).toEqual(["ses_3", "ses_4", "ses_0"]);
      });

      it("follows no clock that was ahead", async () => {
        await recordSession(log, { sessionId: "ses_1", startedAt: "2026-01-01T00:00:00.000Z" });
        await recordSession(log, { sessionId: "ses_ahead", startedAt: "2999-01-01T00:00:00.000Z" });
        await recordSession(log, { sessionId: "ses_3", startedAt: "2026-01-03T00:00:00.000Z" });
        await recordSession(log, { sessionId: "ses_4", startedAt: "2026-01-04T00:00:00.000Z" });
        expect(await listed({ order: "updated", limit: 1 })).toEqual(["ses_4"]);
        // Written to before ses_3, it is as old at least.
        expect(await readSide.retain({ before: "2026-01-02" })).toEqual(["ses_1"]);
        expect(await readSide.retain({ before: "2026-01-03T12:00:00.000Z" })).toEqual(["ses_ahead", "ses_3"]);
        expect(await left()).toEqual(["ses_4"]);
      });

      it("goes by both, and by neither", async () => {
        await recordFiveDays();
        expect(await readSide.retain({})).toEqual([]);
        expect(await readSide.retain({ before: "2026-01-02", keep: 1 })).toEqual(["ses_1", "ses_2", "ses_3", "ses_4"]);
        expect(await codeOf(() => readSide.retain({ keep: -1 }))).toBe("query_invalid");
      });
    });

    describe("verification", () => {
      it("finds nothing wrong with what was just written", async () => {
        await recordSession(log, { sessionId: "ses_1" });
        await recordSession(log, { sessionId: "ses_2" });
        await log.append([createRunDrafts({ sessionId: "ses_3", runId: "run_3" }).requested()]);
        const events = (await log.read("ses_1")).length + (await log.read("ses_2")).length + 1;
        expect(await readSide.verify()).toEqual({ sessions: 3, events, damage: [] });
        await readSide.search("bug");
        expect(await readSide.verify()).toEqual({ sessions: 3, events, damage: [] });
        expect(await readSide.verify("ses_1")).toMatchObject({ sessions: 1, damage: [] });
        expect(await readSide.verify("ses_unknown")).toEqual({ sessions: 0, events: 0, damage: [] });
      });

      it.each(HOSTILE_STRINGS)("passes with %s in every field", async (_name, text) => {
        const run = createRunDrafts({ sessionId: `ses_${text}`, runId: `run_${text}`, agent: text });
        await log.append([run.requested(text)]);
        const lease = await log.lease(`run_${text}`);
        await log.append(
          [
            run.asked(1),
            run.answered(1, [
              { type: "text", text },
              { type: "tool-call", callId: text, tool: text, arguments: text },
            ]),
            run.toolStarted(text, { tool: text, input: { [text]: text } }),
            run.toolSettled(text, text, { error: { code: "tool_failed", message: text }, outcome: "error" }),
            run.settled({ summary: text, details: text, filesModified: [text] }),
          ],
          lease,
        );
        expect((await readSide.verify()).damage).toEqual([]);
        const rows = await allMessages(`ses_${text}`);
        expect(pick(rows, "agent_role", "run_id", "response_content").at(-1)).toEqual([text, `run_${text}`, text]);
        expect((await readSide.messages(`ses_${text}`, { agent: text, runId: `run_${text}` })).items).toHaveLength(3);
        expect((await readSide.listSessions({ agent: text })).items).toHaveLength(1);
        expect((await readSide.stats({ by: "agent" })).map((row) => row.key)).toEqual([text]);
      });
    });

    describe("what a caller may ask", () => {
      const SQL = ["' OR 1=1 --", '"; DROP TABLE messages; --', "?", "%", "_", "\\", "1) UNION SELECT 1 --"];

      it.each(SQL)("takes %j in a filter for a value", async (text) => {
        await recordSession(log);
        const sessionId = text as SessionId;
        expect(await readSide.session(sessionId)).toBeUndefined();
        expect((await readSide.listSessions({ agent: text, workspace: text })).items).toEqual([]);
        expect((await readSide.messages("ses_a", { agent: text })).items).toEqual([]);
        expect((await readSide.messages("ses_a", { runId: text as "run_" })).items).toEqual([]);
        expect((await readSide.messages("ses_a", { status: text as "failed" })).items).toEqual([]);
        expect((await readSide.search(text, { sessionId })).items).toEqual([]);
        expect(await readSide.stats({ by: "agent", sessionId })).toEqual([]);
        expect(await readSide.stats({ by: "agent", until: text, since: "9" })).toEqual([]);
        expect(await readSide.deleteSession(sessionId)).toBe(false);
        expect((await readSide.verify()).damage).toEqual([]);
      });

      it.each(SQL)("refuses %j as an order, a key or a page", async (text) => {
        await recordSession(log);
        expect(await codeOf(() => readSide.listSessions({ order: text as "newest" }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.messages("ses_a", { order: text as "newest" }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.stats({ by: text as "agent" }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.listSessions({ after: text }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.messages("ses_a", { after: text }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.children(1, { after: text }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.search("bug", { after: text }))).toBe("query_invalid");
      });

      it.each(["constructor", "__proto__", "toString"])("refuses %j as an order or a key", async (text) => {
        expect(await codeOf(() => readSide.listSessions({ order: text as "newest" }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.stats({ by: text as "agent" }))).toBe("query_invalid");
      });

      it.each([0, -1, 501, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses a page of %s items", async (limit) => {
        expect(await codeOf(() => readSide.listSessions({ limit }))).toBe("query_invalid");
        expect(await codeOf(() => readSide.search("x", { limit }))).toBe("query_invalid");
      });

      it("never leads a page of one session into another", async () => {
        await recordSession(log, { sessionId: "ses_1" });
        await recordSession(log, { sessionId: "ses_2" });
        const others = await allMessages("ses_2");
        const after = String((others[3]?.id ?? 0) + 0);
        expect((await readSide.messages("ses_1", { after })).items).toEqual([]);
        const back = await readSide.messages("ses_2", { order: "newest", after: "100000001" });
        expect(back.items).toEqual([]);
      });
    });
  });
};
