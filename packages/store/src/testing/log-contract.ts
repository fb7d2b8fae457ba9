/** The contract of the event log as tests: every implementation runs it in one line and passes all of it. */
import type { EventDraft, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventLog } from "../contract.ts";
import { codeOf } from "./code-of.ts";
import { HOSTILE_STRINGS } from "./hostile-strings.ts";
import { describeInputs } from "./input-contract.ts";
import { describeLookups } from "./lookup-contract.ts";
import { describeQueue } from "./queue-contract.ts";
import { createRunDrafts } from "./session-drafts.ts";

type Awaitable<T> = T | Promise<T>;

const SESSION: SessionId = "ses_a";

/** What was appended, as it must be read back. */
const numbered = (drafts: readonly EventDraft[], from = 1): unknown[] =>
  drafts.map((draft, at) => ({ ...draft, seq: from + at }));

export const describeEventLog = (name: string, create: () => Awaitable<EventLog>): void => {
  describe(`the ${name} log`, () => {
    let log: EventLog;
    beforeEach(async () => {
      log = await create();
    });
    afterEach(async () => {
      await log.close();
    });

    /** Requests a run and takes its lease. */
    const begin = async (options: Parameters<typeof createRunDrafts>[0] = {}) => {
      const run = createRunDrafts(options);
      await log.append([run.requested()]);
      return { run, lease: await log.lease(run.identity.runId) };
    };

    it("numbers the events of a session from 1 without gaps and gives them back as they were", async () => {
      const run = createRunDrafts();
      const requested = [run.requested()];
      expect(await log.append(requested)).toEqual(numbered(requested));
      const lease = await log.lease("run_a");
      const drafts = [run.started(lease.epoch), run.asked(1), run.answered(1, "hello")];
      expect(await log.append(drafts, lease)).toEqual(numbered(drafts, 2));
      expect(await log.read(SESSION)).toEqual(numbered([...requested, ...drafts]));
    });

    it("tells who drives a run, from its lease to its end", async () => {
      const run = createRunDrafts();
      await log.append([run.requested()]);
      expect(await log.holder("run_a")).toBeUndefined();
      const lease = await log.lease("run_a");
      await log.append([run.started(lease.epoch)], lease);
      expect(await log.holder("run_a")).toMatchObject({ host: hostname(), pid: process.pid, isSelf: true });
      await log.append([run.settled()], lease);
      expect(await log.holder("run_a")).toBeUndefined();
      expect(await log.holder("run_unknown")).toBeUndefined();
    });

    it("lets a log take again what it holds itself", async () => {
      await begin();
      expect(await log.lease("run_a", { onlyIfFree: true })).toEqual({ runId: "run_a", epoch: 2 });
    });

    it("says that nobody drives what was revoked", async () => {
      await begin();
      await log.revoke(SESSION);
      expect(await log.holder("run_a")).toBeUndefined();
    });

    it("counts every session for itself", async () => {
      const a = await begin();
      const b = await begin({ sessionId: "ses_b", runId: "run_b" });
      await log.append([a.run.started(1)], a.lease);
      await log.append([b.run.started(1)], b.lease);
      expect((await log.read("ses_a")).map((event) => [event.runId, event.seq])).toEqual([
        ["run_a", 1],
        ["run_a", 2],
      ]);
      expect((await log.read("ses_b")).map((event) => [event.runId, event.seq])).toEqual([
        ["run_b", 1],
        ["run_b", 2],
      ]);
    });

    it("appends nothing for no drafts", async () => {
      expect(await log.append([])).toEqual([]);
      expect(await log.read(SESSION)).toEqual([]);
    });

    it("keeps every type of recorded event exactly", async () => {
      const { run, lease } = await begin();
      const drafts: EventDraft[] = [
        run.started(lease.epoch, true),
        run.asked(1),
        run.draft({
          type: "model.failed",
          step: 1,
          model: "test/model",
          error: { code: "model_overloaded", message: "busy" },
          next: "test/other",
        }),
        run.asked(1),
        run.answered(1, [
          { type: "reasoning", text: "hm", opaque: { signature: "x", nested: [1, null, true, { a: -0.5 }] } },
          { type: "text", text: "I write." },
          { type: "tool-call", callId: "c1", tool: "write", arguments: '{"path":"a","path":"b"' },
        ]),
        run.draft({
          type: "approval.requested",
          approvalId: "apr_1",
          act: { callId: "c1", tool: "write", effect: "write", input: { path: "a" }, paths: ["/workspace/a"], hosts: [] },
          hash: "h",
        }),
        run.draft({ type: "approval.answered", approvalId: "apr_1", allowed: false, scope: "once", reason: "no" }),
        run.draft({ type: "message.received", from: "human", content: [{ type: "text", text: "and be quick" }] }),
        run.toolStarted("c1", { tool: "write", effect: "write", repeatable: false }),
        run.toolSettled("c1", "denied", {
          outcome: "denied",
          error: { code: "act_denied", message: "no", hint: "ask" },
          artifact: { artifactId: "art_1", chars: 10, lines: 1 },
          files: { modified: ["a"], created: ["b"] },
        }),
        run.draft({
          type: "context.fitted",
          cleared: ["c1"],
          summary: {
            from: 1,
            to: 2,
            text: "before",
            model: "test/m",
            usage: { input: 1, output: 2, cached: 0, reasoning: 0 },
            costUsd: null,
          },
          beforeTokens: 10,
          afterTokens: 5,
          limitTokens: 8,
        }),
        run.draft({ type: "limit.reached", limit: "iterations", used: 20, max: 20 }),
        run.settled({ status: "partial", bailoutReason: "max_iterations", findings: [{ path: "a", line: 1 }], warnings: ["w"] }),
      ];
      await log.append(drafts, lease);
      expect(await log.read(SESSION, 1)).toEqual(numbered(drafts, 2));
    });

    it("reads after a number, whatever the number is", async () => {
      const { run, lease } = await begin();
      await log.append([run.started(1), run.asked(1), run.answered(1, "x")], lease);
      const after = async (seq: number) => (await log.read(SESSION, seq)).map((event) => event.seq);
      expect(await after(0)).toEqual([1, 2, 3, 4]);
      expect(await after(2)).toEqual([3, 4]);
      expect(await after(4)).toEqual([]);
      expect(await after(5)).toEqual([]);
      expect(await after(Number.MAX_SAFE_INTEGER)).toEqual([]);
      expect(await after(2 ** 63)).toEqual([]);
      expect(await after(Number.POSITIVE_INFINITY)).toEqual([]);
      expect(await after(-1)).toEqual([1, 2, 3, 4]);
      expect(await after(-(2 ** 63))).toEqual([1, 2, 3, 4]);
      expect(await after(Number.NaN)).toEqual([1, 2, 3, 4]);
      expect(await log.read("ses_unknown")).toEqual([]);
    });

    it("reads no more than a limit after a number", async () => {
      const { run, lease } = await begin();
      await log.append([run.started(1), run.asked(1), run.answered(1, "x")], lease);
      const page = async (seq: number, limit: number) => (await log.read(SESSION, seq, limit)).map((event) => event.seq);
      expect(await page(0, 1)).toEqual([1]);
      expect(await page(0, 3)).toEqual([1, 2, 3]);
      expect(await page(2, 1)).toEqual([3]);
      expect(await page(3, 10)).toEqual([4]);
      expect(await page(4, 10)).toEqual([]);
    });

    it("gives a list that later appends do not change", async () => {
      const { run, lease } = await begin();
      const before = await log.read(SESSION);
      await log.append([run.started(1)], lease);
      expect(before).toHaveLength(1);
    });

    it("knows the session of a run that was requested and of no other", async () => {
      await begin();
      expect(await log.sessionOf("run_a")).toBe("ses_a");
      expect(await log.sessionOf("run_b")).toBeUndefined();
    });

    describe("admitting", () => {
      it("refuses the whole append when one draft of it may not be written", async () => {
        const { run, lease } = await begin();
        const other = createRunDrafts({ runId: "run_b" });
        expect(await codeOf(() => log.append([run.started(1), other.started(1)], lease))).toBe("internal");
        expect(await codeOf(() => log.append([run.started(1), run.requested()], lease))).toBe("run_exists");
        const elsewhere = createRunDrafts({ sessionId: "ses_b", runId: "run_c" });
        expect(await codeOf(() => log.append([run.started(1), elsewhere.requested()], lease))).toBe("internal");
        expect(await log.read(SESSION)).toHaveLength(1);
        expect(await log.read("ses_b")).toEqual([]);
        expect(await log.sessionOf("run_c")).toBeUndefined();
        const drafts = [run.started(1), run.asked(1)];
        expect((await log.append(drafts, lease)).map((event) => event.seq)).toEqual([2, 3]);
      });

      it("requests a run once, in one append or in two", async () => {
        const run = createRunDrafts();
        expect(await codeOf(() => log.append([run.requested(), run.requested()]))).toBe("run_exists");
        expect(await log.read(SESSION)).toEqual([]);
        await log.append([run.requested()]);
        expect(await codeOf(() => log.append([run.requested()]))).toBe("run_exists");
        const elsewhere = createRunDrafts({ sessionId: "ses_b" });
        expect(await codeOf(() => log.append([elsewhere.requested()]))).toBe("run_exists");
        expect(await log.read(SESSION)).toHaveLength(1);
        expect(await log.read("ses_b")).toEqual([]);
      });

      it("writes nothing but requests and inputs without a lease", async () => {
        const { run } = await begin();
        expect(await codeOf(() => log.append([run.started(1)]))).toBe("internal");
        expect(await codeOf(() => log.append([run.settled()]))).toBe("internal");
        expect(await log.read(SESSION)).toHaveLength(1);
      });

      it("lets the driver of a run request a child in the same append", async () => {
        const { run, lease } = await begin();
        const child = createRunDrafts({ runId: "run_child", parentRunId: "run_a", depth: 1, agent: "reviewer" });
        await log.append([run.toolStarted("c1"), child.requested("review", { parentCallId: "c1" })], lease);
        expect(await log.sessionOf("run_child")).toBe("ses_a");
        const childLease = await log.lease("run_child");
        await log.append([child.started(childLease.epoch)], childLease);
        expect((await log.read(SESSION)).map((event) => event.runId)).toEqual(["run_a", "run_a", "run_child", "run_child"]);
      });

      it("does not let the lease of one run write for another", async () => {
        const { lease } = await begin();
        const b = await begin({ runId: "run_b" });
        expect(await codeOf(() => log.append([b.run.started(1)], lease))).toBe("internal");
        expect(await log.read(SESSION)).toHaveLength(2);
      });

      it("does not let a run write into another session", async () => {
        const { lease } = await begin();
        const b = createRunDrafts({ sessionId: "ses_b" });
        expect(await codeOf(() => log.append([b.started(1)], lease))).toBe("internal");
        expect(await log.read("ses_b")).toEqual([]);
      });
    });

    describe("leasing", () => {
      it("is refused for a run that was never requested", async () => {
        expect(await codeOf(() => log.lease("run_x"))).toBe("run_unknown");
        expect(
          await codeOf(() => log.append([createRunDrafts({ runId: "run_x" }).started(1)], { runId: "run_x", epoch: 0 })),
        ).toBe("run_unknown");
      });

      it("raises the epoch each time and makes the earlier lease worthless", async () => {
        const { run, lease: first } = await begin();
        await log.append([run.started(first.epoch)], first);
        const second = await log.lease("run_a");
        expect(second.epoch).toBeGreaterThan(first.epoch);
        expect(await codeOf(() => log.append([run.asked(1)], first))).toBe("lease_lost");
        expect(await log.read(SESSION)).toHaveLength(2);
        await log.append([run.started(second.epoch, true)], second);
        expect(await codeOf(() => log.append([run.asked(1)], first))).toBe("lease_lost");
        expect((await log.read(SESSION)).map((event) => event.seq)).toEqual([1, 2, 3]);
      });

      it("does not let a lost lease request a child", async () => {
        const { lease } = await begin();
        await log.lease("run_a");
        const child = createRunDrafts({ runId: "run_child", parentRunId: "run_a", depth: 1 });
        expect(await codeOf(() => log.append([child.requested()], lease))).toBe("lease_lost");
        expect(await log.sessionOf("run_child")).toBeUndefined();
      });

      it("cannot be forged by guessing a later epoch", async () => {
        const { run, lease } = await begin();
        expect(await codeOf(() => log.append([run.asked(1)], { ...lease, epoch: lease.epoch + 1 }))).toBe("lease_lost");
        expect(await codeOf(() => log.append([run.asked(1)], { ...lease, epoch: 0 }))).toBe("lease_lost");
        expect(await codeOf(() => log.append([run.asked(1)], { ...lease, epoch: Number.NaN }))).toBe("lease_lost");
        expect(await log.read(SESSION)).toHaveLength(1);
      });

      it("is void for every run of a session after revoking, and for no other session", async () => {
        const a = await begin();
        const b = await begin({ runId: "run_b" });
        const elsewhere = await begin({ sessionId: "ses_c", runId: "run_c" });
        await log.revoke(SESSION);
        expect(await codeOf(() => log.append([a.run.started(1)], a.lease))).toBe("lease_lost");
        expect(await codeOf(() => log.append([b.run.started(1)], b.lease))).toBe("lease_lost");
        expect(await log.read(SESSION)).toHaveLength(2);
        expect(await log.append([elsewhere.run.started(1)], elsewhere.lease)).toHaveLength(1);
        const again = await log.lease("run_a");
        expect(await log.append([a.run.started(again.epoch)], again)).toHaveLength(1);
      });

      it("survives revoking a session nobody knows", async () => {
        await log.revoke("ses_unknown");
        expect(await log.read("ses_unknown")).toEqual([]);
      });
    });

    describe("watching", () => {
      it("wakes after each append to the session, with the events there to be read", async () => {
        const { run, lease } = await begin();
        const seen: Promise<readonly RecordedEvent[]>[] = [];
        const stop = log.watch(SESSION, () => seen.push(Promise.resolve(log.read(SESSION))));
        await log.append([run.started(1), run.asked(1)], lease);
        await log.append([run.answered(1, "x")], lease);
        expect((await Promise.all(seen)).map((events) => events.length)).toEqual([3, 4]);
        stop();
        await log.append([run.asked(2)], lease);
        expect(seen).toHaveLength(2);
      });

      it("does not wake for another session, a refused append or nothing", async () => {
        const { run, lease } = await begin();
        let woken = 0;
        log.watch(SESSION, () => (woken += 1));
        await begin({ sessionId: "ses_b", runId: "run_b" });
        await log.append([], lease);
        await codeOf(() => log.append([run.started(1)]));
        expect(woken).toBe(0);
      });

      it("may begin before the session does, more than once, and end more than once", async () => {
        let woken = 0;
        const wake = () => (woken += 1);
        const first = log.watch(SESSION, wake);
        const second = log.watch(SESSION, wake);
        const { run, lease } = await begin();
        expect(woken).toBe(2);
        first();
        first();
        await log.append([run.started(1)], lease);
        expect(woken).toBe(3);
        second();
      });

      it("may end while it is being woken", async () => {
        const woken: string[] = [];
        const stop = log.watch(SESSION, () => {
          woken.push("a");
          stop();
        });
        log.watch(SESSION, () => woken.push("b"));
        const { run, lease } = await begin();
        await log.append([run.started(1)], lease);
        expect(woken).toEqual(["a", "b", "b"]);
      });

      it("is done for many sessions at once, as they are at the time", async () => {
        const sessions = new Set<SessionId>(["ses_b"]);
        const woken: SessionId[] = [];
        const stop = log.watchAny(sessions, (sessionId) => woken.push(sessionId));
        const a = await begin();
        expect(woken).toEqual([]);
        sessions.add(SESSION);
        await log.append([a.run.started(1)], a.lease);
        const b = await begin({ sessionId: "ses_b", runId: "run_b" });
        expect(new Set(woken)).toEqual(new Set([SESSION, "ses_b"]));
        sessions.delete("ses_b");
        const before = woken.length;
        await log.append([b.run.started(1)], b.lease);
        expect(woken.length).toBe(before);
        stop();
        await log.append([a.run.asked(1)], a.lease);
        expect(woken.length).toBe(before);
      });
    });

    describe("artifacts", () => {
      it("are kept whole, with their size", async () => {
        await begin();
        const text = "line\n".repeat(50_000);
        const ref = await log.writeArtifact(SESSION, text);
        expect(ref).toMatchObject({ chars: 250_000, lines: 50_000 });
        expect(ref.artifactId).toMatch(/^art_[a-z0-9]+$/);
        expect(await log.readArtifact(SESSION, ref.artifactId)).toBe(text);
      });

      it("belong to one session", async () => {
        await begin();
        await begin({ sessionId: "ses_b", runId: "run_b" });
        const ref = await log.writeArtifact(SESSION, "mine");
        expect(await log.readArtifact("ses_b", ref.artifactId)).toBeUndefined();
        expect(await log.readArtifact("ses_unknown", ref.artifactId)).toBeUndefined();
        expect(await log.readArtifact(SESSION, "art_unknown")).toBeUndefined();
        const twin = await log.writeArtifact("ses_b", "mine");
        expect(await log.readArtifact("ses_b", twin.artifactId)).toBe("mine");
      });

      it("may be bytes, which are no text", async () => {
        await begin();
        const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
        const ref = await log.writeArtifact(SESSION, bytes, "image/png");
        expect(ref).toMatchObject({ chars: 0, lines: 0, bytes: 70_000, mediaType: "image/png" });
        bytes.fill(0);
        const read = await log.readArtifactBytes(SESSION, ref.artifactId);
        expect(read?.mediaType).toBe("image/png");
        expect(Buffer.from(read?.bytes ?? []).equals(Uint8Array.from({ length: 70_000 }, (_, at) => at % 256))).toBe(true);
        expect(await log.readArtifact(SESSION, ref.artifactId)).toBeUndefined();
        const empty = await log.writeArtifact(SESSION, new Uint8Array());
        expect(await log.readArtifactBytes(SESSION, empty.artifactId)).toEqual({ bytes: new Uint8Array(), mediaType: null });
      });

      it("of texts can be read as bytes", async () => {
        await begin();
        const ref = await log.writeArtifact(SESSION, "grün", "text/plain");
        const read = await log.readArtifactBytes(SESSION, ref.artifactId);
        expect(read?.mediaType).toBe("text/plain");
        expect(new TextDecoder().decode(read?.bytes)).toBe("grün");
        expect(await log.readArtifactBytes(SESSION, "art_unknown")).toBeUndefined();
      });

      it("of the same text are one, of different texts are two", async () => {
        await begin();
        const refs = await Promise.all(
          ["a", "a", "b", "a\ud83d", "a\ude00", "a\ufffd"].map(async (text) => log.writeArtifact(SESSION, text)),
        );
        expect(new Set(refs.map((ref) => ref.artifactId)).size).toBe(5);
      });

      it.each(HOSTILE_STRINGS)("survive %s", async (_name, text) => {
        await begin();
        const ref = await log.writeArtifact(SESSION, text);
        expect(ref.chars).toBe(text.length);
        expect(await log.readArtifact(SESSION, ref.artifactId)).toBe(text);
      });

      it.each([
        ["", 0],
        ["a", 1],
        ["a\n", 1],
        ["a\nb", 2],
        ["\n\n", 2],
      ])("%j counts %i lines", async (text, lines) => {
        await begin();
        expect((await log.writeArtifact(SESSION, text)).lines).toBe(lines);
      });
    });

    describe("hostile data", () => {
      it.each(HOSTILE_STRINGS)("%s is stored in every field and read back exactly", async (_name, text) => {
        const sessionId: SessionId = `ses_${text}`;
        const runId: RunId = `run_${text}`;
        const run = createRunDrafts({ sessionId, runId, agent: text });
        const drafts = [run.requested(text)];
        await log.append(drafts);
        const lease = await log.lease(runId);
        const more = [
          run.answered(1, [
            { type: "text", text },
            { type: "tool-call", callId: text, tool: text, arguments: text },
          ]),
          run.toolStarted(text, { tool: text, input: JSON.parse(JSON.stringify({ [text]: [text], "": null })) }),
          run.toolSettled(text, text, { error: { code: "tool_failed", message: text } }),
          run.settled({ summary: text, details: text, filesModified: [text] }),
        ];
        await log.append(more, lease);
        expect(await log.read(sessionId)).toEqual(numbered([...drafts, ...more]));
        expect(await log.sessionOf(runId)).toBe(sessionId);
        expect(await log.sessionOf(`run_${text}x`)).toBeUndefined();
        await log.revoke(sessionId);
        expect(await codeOf(() => log.append([run.asked(2)], lease))).toBe("lease_lost");
      });

      it("names that differ in a lone surrogate alone are different names", async () => {
        await begin({ sessionId: "ses_\ud83d", runId: "run_\ud83d" });
        await begin({ sessionId: "ses_\ude00", runId: "run_\ude00" });
        await begin({ sessionId: "ses_\ufffd", runId: "run_\ufffd" });
        expect(await log.sessionOf("run_\ud83d")).toBe("ses_\ud83d");
        expect(await log.sessionOf("run_\ude00")).toBe("ses_\ude00");
        expect(await log.sessionOf("run_\ufffd")).toBe("ses_\ufffd");
        expect(await log.read("ses_\ud83d")).toHaveLength(1);
      });

      it("keeps names and texts of a megabyte", async () => {
        const long = "n".repeat(1_000_000);
        const run = createRunDrafts({ sessionId: `ses_${long}`, runId: `run_${long}`, agent: long });
        const drafts = [run.requested(long)];
        await log.append(drafts);
        const lease = await log.lease(`run_${long}`);
        const more = [run.toolStarted(long, { tool: long, input: { [long]: long } }), run.toolSettled(long, long)];
        await log.append(more, lease);
        expect(await log.read(`ses_${long}`)).toEqual(numbered([...drafts, ...more]));
      });

      it("keeps odd numbers, keys and nesting of a tool's input", async () => {
        const { run, lease } = await begin();
        let deep: unknown = "end";
        for (let depth = 0; depth < 500; depth += 1) deep = [deep];
        const input = JSON.parse(
          `{"__proto__":{"polluted":true},"constructor":1,"9007199254740993":"9007199254740993","big":9007199254740991,"small":5e-324,"minus":-1.5,"deep":${JSON.stringify(deep)}}`,
        );
        await log.append([run.toolStarted("c", { input })], lease);
        const [event] = await log.read(SESSION, 1);
        expect(JSON.stringify((event as { input?: unknown }).input)).toBe(JSON.stringify(input));
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      });
    });

    it("keeps concurrent appends whole and without gaps", async () => {
      const runs = await Promise.all(
        Array.from({ length: 8 }, async (_, at) => begin({ runId: `run_${at}`, parentRunId: "run_a", depth: 1 })),
      );
      await Promise.all(
        runs.flatMap(({ run, lease }) =>
          Array.from({ length: 10 }, async (_, step) =>
            log.append([run.asked(step), run.answered(step, "x"), run.toolStarted(`c${step}`)], lease),
          ),
        ),
      );
      const events = await log.read(SESSION);
      expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 8 + 240 }, (_, at) => at + 1));
      for (let at = 8; at < events.length; at += 3) {
        const [asked, answered, started] = events.slice(at, at + 3);
        expect(new Set([asked?.runId, answered?.runId, started?.runId]).size).toBe(1);
        expect([asked?.type, answered?.type, started?.type]).toEqual(["model.requested", "model.answered", "tool.started"]);
        expect((asked as { step?: number }).step).toBe((answered as { step?: number }).step);
      }
    });

    it("lets one of many that race for a run keep it", async () => {
      const { run } = await begin();
      const leases = await Promise.all(Array.from({ length: 10 }, async () => log.lease("run_a")));
      expect(new Set(leases.map((lease) => lease.epoch)).size).toBe(10);
      const codes = await Promise.all(leases.map(async (lease) => codeOf(() => log.append([run.started(lease.epoch)], lease))));
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      expect(codes.filter((code) => code === "lease_lost")).toHaveLength(9);
      expect(await log.read(SESSION)).toHaveLength(2);
    });

    describeInputs(() => log);
    describeLookups(() => log);
    describeQueue(() => log);

    it("may be closed twice", async () => {
      await log.close();
      await log.close();
    });
  });
};
