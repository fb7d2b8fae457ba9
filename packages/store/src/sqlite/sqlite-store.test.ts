import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { EventDraft } from "@retinue/protocol";
import { describe, expect, it, vi } from "vitest";
import { TO_SQLITE_5 } from "../testing/earlier-schema.ts";
import { recordSession } from "../testing/recorded-session.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { openDatabase } from "./open-database.ts";
import { MIGRATIONS } from "./schema.ts";
import { createLogOn, createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

const codeOf = async (act: () => unknown): Promise<string | undefined> => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe("a session in a file", () => {
  it("is there again after closing, and goes on under a new lease with the rows it would have had", async () => {
    const path = folder.file();
    const run = createRunDrafts();
    const script: EventDraft[] = [
      run.started(1),
      run.asked(1),
      run.answered(1, [
        { type: "tool-call", callId: "c1", tool: "read", arguments: "{}" },
        { type: "tool-call", callId: "c2", tool: "read", arguments: "{}" },
      ]),
      run.toolStarted("c1"),
      run.toolStarted("c2"),
      run.toolSettled("c1", "one"),
      run.toolSettled("c2", "two"),
      run.asked(2),
      run.answered(2, "done"),
      run.settled(),
    ];
    let log = createSqliteLog({ path });
    await log.append([run.requested()]);
    for (const draft of script) {
      await log.close();
      log = createSqliteLog({ path });
      const lease = await log.lease("run_a");
      await log.append([draft], lease);
      expect((await log.readSide.verify()).damage).toEqual([]);
    }
    expect((await log.read("ses_a")).map((event) => event.type)).toEqual(["run.requested", ...script.map((draft) => draft.type)]);
    const rows = (await log.readSide.messages("ses_a")).items;
    expect(rows.map((row) => [row.request_type, row.status])).toEqual([
      ["prompt", "completed"],
      ["continuation", "completed"],
      ["tool_call", "completed"],
      ["tool_call", "completed"],
      ["continuation", "completed"],
    ]);
    await log.close();
  });

  it("shows a model call that lasts, and the prompt of its role, to whoever reads the file with SQL alone", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    await log.append([run.started(lease.epoch), run.asked(1)], lease);
    const db = new DatabaseSync(path, { readOnly: true });
    const read = () => db.prepare("SELECT request_type, status FROM messages ORDER BY id").all().map(Object.values);
    await vi.waitFor(
      () =>
        expect(read()).toEqual([
          ["prompt", "running"],
          ["continuation", "running"],
        ]),
      30_000,
    );
    const prompts = db
      .prepare("SELECT p.prompt FROM messages m JOIN system_prompts p USING (session_id, system_prompt_id)")
      .all();
    expect(prompts.map(Object.values)).toEqual([["You look around."]]);
    await log.append([run.answered(1, "done"), run.settled()], lease);
    expect(read()).toEqual([
      ["prompt", "completed"],
      ["continuation", "completed"],
    ]);
    db.close();
    await log.close();
  });

  it("gives a call that lasts its row while other runs never pause", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    const [slow, busy] = ["a", "b"].map((name) => createRunDrafts({ runId: `run_${name}` }));
    if (!slow || !busy) throw new Error("There are two.");
    await log.append([slow.requested(), busy.requested()]);
    const lease = await log.lease("run_a");
    await log.append([slow.started(lease.epoch), slow.asked(1)], lease);
    const other = await log.lease("run_b");
    await log.append([busy.started(other.epoch)], other);
    const db = new DatabaseSync(path, { readOnly: true });
    const find = db.prepare("SELECT run_id FROM messages WHERE request_type = 'continuation' AND status = 'running'");
    const deadline = Date.now() + 30_000;
    for (let n = 0; find.get() === undefined && Date.now() < deadline; n += 1)
      await log.append([busy.toolStarted(`c${n}`), busy.toolSettled(`c${n}`, "ok")], other);
    expect(find.all().map(Object.values)).toEqual([["run_a"]]);
    db.close();
    await log.close();
  });

  it("is refused by name when the store was closed", async () => {
    const log = createSqliteLog({ path: folder.file() });
    await log.close();
    const run = createRunDrafts();
    expect(await codeOf(() => log.append([run.requested()]))).toBe("store_unreadable");
    expect(await codeOf(() => log.read("ses_a"))).toBe("store_unreadable");
    expect(await codeOf(() => log.readSide.listSessions())).toBe("store_unreadable");
    expect(await codeOf(() => log.readSide.search("x"))).toBe("store_unreadable");
  });

  it("loses nothing that was asked for before closing", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    const appended = log.append([createRunDrafts().requested()]);
    await log.close();
    expect(await appended).toHaveLength(1);
    const again = createSqliteLog({ path });
    expect(await again.read("ses_a")).toHaveLength(1);
    await again.close();
  });
});

describe("a file of an earlier version", () => {
  it("is brought up to date: a call's duration is its own, and nothing is damaged", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log);
    const messages = (await log.readSide.messages("ses_a")).items;
    await log.close();
    const db = new DatabaseSync(path);
    db.exec(`${TO_SQLITE_5}
      UPDATE messages SET duration_ms = 77 WHERE request_type IN ('continuation', 'tool_call') AND duration_ms IS NOT NULL;
      PRAGMA user_version = 2`);
    db.close();
    const again = createSqliteLog({ path });
    expect((await again.readSide.messages("ses_a")).items).toEqual(messages);
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });

  it("of the first version takes leases and gives figures", async () => {
    const path = folder.file();
    openDatabase({ path, synchronous: "NORMAL", migrations: MIGRATIONS.slice(0, 1) }).close();
    const log = createSqliteLog({ path });
    await recordSession(log);
    expect((await log.readSide.stats({ by: "agent" })).map(({ key, runs }) => [key, runs])).toEqual([
      ["main", 1],
      ["reviewer", 1],
    ]);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });
});

describe("the figures of a session", () => {
  const countedIn = (path: string): unknown => {
    const db = new DatabaseSync(path);
    const row = db.prepare("SELECT count(*) AS sessions, (SELECT sum(runs) FROM figures) AS runs FROM counted").get();
    db.close();
    return { ...row };
  };

  it("are counted when it has settled, at the latest when its log is closed, and gone with it", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log);
    await log.close();
    expect(countedIn(path)).toEqual({ sessions: 1, runs: 2 });
    const again = createSqliteLog({ path });
    await again.readSide.deleteSession("ses_a");
    expect(countedIn(path)).toEqual({ sessions: 0, runs: null });
    expect(await again.readSide.stats({ by: "agent" })).toEqual([]);
    await again.close();
  });

  it("are counted again when it goes on, also through another handle", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    const other = createSqliteLog({ path });
    await recordSession(log);
    const runs = async () => (await other.readSide.stats({ by: "agent" })).map((row) => [row.key, row.runs]);
    expect(await runs()).toEqual([
      ["main", 1],
      ["reviewer", 1],
    ]);
    await log.append([createRunDrafts({ runId: "run_next" }).requested()]);
    expect(await runs()).toEqual([
      ["main", 2],
      ["reviewer", 1],
    ]);
    await log.close();
    await other.close();
  });
});

describe("verifying", () => {
  it("says how far it is, and what is written meanwhile neither waits nor disturbs it", async () => {
    const log = createSqliteLog({ path: folder.file() });
    for (const sessionId of ["ses_1", "ses_2"] as const) await recordSession(log, { sessionId });
    await log.readSide.search("bug");
    const told = new Set<string>();
    let appended: unknown;
    const verified = await log.readSide.verify(undefined, ({ of, done, all }) => {
      told.add(`${of} ${done}/${all}`);
      appended ??= log.append([createRunDrafts({ sessionId: "ses_3", runId: "run_3" }).requested()]);
    });
    expect(verified).toEqual({ sessions: 2, events: 56, damage: [] });
    expect([...told]).toEqual(["file 0/0", "sessions 0/2", "sessions 1/2", "search index 2/2"]);
    expect(await appended).toHaveLength(1);
    expect(await log.readSide.verify()).toEqual({ sessions: 3, events: 57, damage: [] });
    await log.close();
  });
});

describe("two handles on one file", () => {
  const openTwo = () => {
    const path = folder.file();
    return [createSqliteLog({ path }), createSqliteLog({ path })] as const;
  };

  it("share one sequence and one set of leases", async () => {
    const [a, b] = openTwo();
    const run = createRunDrafts();
    await a.append([run.requested()]);
    const first = await a.lease("run_a");
    await a.append([run.started(first.epoch)], first);
    const second = await b.lease("run_a");
    expect(second.epoch).toBe(first.epoch + 1);
    expect(await codeOf(() => a.append([run.asked(1)], first))).toBe("lease_lost");
    await b.append([run.started(second.epoch, true), run.asked(1)], second);
    expect(await a.read("ses_a")).toEqual(await b.read("ses_a"));
    await a.revoke("ses_a");
    expect(await codeOf(() => b.append([run.answered(1, "x")], second))).toBe("lease_lost");
    const third = await a.lease("run_a");
    await a.append([run.answered(1, "x"), run.settled()], third);
    expect((await b.readSide.verify()).damage).toEqual([]);
    await a.close();
    await b.close();
  });

  it("keep the tree right when a parent and its child are driven through different ones", async () => {
    const [a, b] = openTwo();
    const main = createRunDrafts();
    const child = createRunDrafts({ runId: "run_b", parentRunId: "run_a", depth: 1, agent: "reviewer" });
    await a.append([main.requested()]);
    const lease = await a.lease("run_a");
    await a.append(
      [main.asked(1), main.answered(1, [{ type: "tool-call", callId: "c", tool: "delegate", arguments: "{}" }])],
      lease,
    );
    await a.append([main.toolStarted("c", { tool: "delegate" }), child.requested("x", { parentCallId: "c" })], lease);
    const childLease = await b.lease("run_b");
    await b.append([child.started(1), child.asked(1)], childLease);
    await a.append([main.draft({ type: "limit.reached", limit: "tokens", used: 2, max: 1 })], lease);
    await b.append([child.answered(1, "x"), child.settled()], childLease);
    await a.append([main.toolSettled("c", "x", { tool: "delegate" }), main.settled()], lease);
    expect((await a.readSide.verify()).damage).toEqual([]);
    expect((await b.readSide.tree("ses_a"))[0]?.children).toHaveLength(1);
    await a.close();
    await b.close();
  });

  it("wake who watches through the other", async () => {
    const [a, b] = openTwo();
    const run = createRunDrafts();
    await a.append([run.requested()]);
    const lease = await a.lease("run_a");
    const woken = new Promise<number>((resolve) => {
      const stop = b.watch("ses_a", () => {
        stop();
        resolve((b.read("ses_a") as readonly unknown[]).length);
      });
    });
    await a.append([run.started(1)], lease);
    expect(await woken).toBe(2);
    await a.close();
    await b.close();
  });

  it("find what the other appended by search", async () => {
    const [a, b] = openTwo();
    await recordSession(a, { sessionId: "ses_1", output: "needle" });
    expect((await b.readSide.search("needle")).items).toHaveLength(1);
    await recordSession(b, { sessionId: "ses_2", output: "needle" });
    expect((await a.readSide.search("needle")).items).toHaveLength(2);
    expect((await a.readSide.verify()).damage).toEqual([]);
    await a.close();
    await b.close();
  });
});

describe("when the file cannot be written", () => {
  const fill = async () => {
    const path = folder.file();
    const db = openDatabase({ path, synchronous: "NORMAL" });
    const log = createLogOn({ db, path, busyMs: 60_000 });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    const pages = Number(Object.values(db.prepare("PRAGMA page_count").get() ?? {})[0]);
    return { path, db, log, run, lease, pages };
  };

  it("says that there is no space, keeps what was recorded, and goes on when there is", async () => {
    const { db, log, run, lease, pages } = await fill();
    db.exec(`PRAGMA max_page_count = ${pages + 8}`);
    let kept = 1;
    let code: string | undefined;
    while (code === undefined) {
      code = await codeOf(() => log.append([run.asked(kept), run.answered(kept, "x".repeat(3000))], lease));
      if (code === undefined) kept += 2;
    }
    expect(code).toBe("store_full");
    expect(kept).toBeGreaterThan(1);
    expect(await log.read("ses_a")).toHaveLength(kept);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await expect((async () => log.append([run.asked(99), run.answered(99, "x".repeat(3000))], lease))()).rejects.toMatchObject({
      code: "store_full",
      message: expect.stringContaining("Session ses_a") as string,
      hint: expect.stringContaining("retinue sessions resume ses_a") as string,
    });
    db.exec("PRAGMA max_page_count = 1000000");
    const events = await log.append([run.asked(100), run.answered(100, "there is space")], lease);
    expect(events.map((event) => event.seq)).toEqual([kept + 1, kept + 2]);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });

  it("waits for another writer without holding up the process", async () => {
    const { path, log, run, lease } = await fill();
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let settled = false;
    const appended = Promise.resolve(log.append([run.started(1)], lease)).finally(() => (settled = true));
    for (let tick = 0; tick < 20; tick += 1) await delay(5);
    expect(settled).toBe(false);
    other.exec("ROLLBACK");
    expect(await appended).toHaveLength(1);
    other.close();
    await log.close();
  });

  it("says that it is busy when the other does not end, and has written nothing", async () => {
    const { path, log: idle } = await fill();
    await idle.close();
    const log = createSqliteLog({ path, busyMs: 20 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const second = createRunDrafts({ runId: "run_b" });
    expect(await codeOf(() => log.append([second.requested()]))).toBe("store_busy");
    other.exec("ROLLBACK");
    other.close();
    expect(await log.read("ses_a")).toHaveLength(1);
    expect(await log.append([second.requested()])).toHaveLength(1);
    await log.close();
  });
});

describe("what is committed together", () => {
  it("succeeds and fails each for itself", async () => {
    const log = createSqliteLog({ path: folder.file() });
    const runs = [1, 2, 3].map((at) => createRunDrafts({ sessionId: `ses_${at}`, runId: `run_${at}` }));
    const [a, b, c] = runs as [(typeof runs)[0], (typeof runs)[0], (typeof runs)[0]];
    // No log can store this: it is what a bug of ours would send.
    const broken = { ...b.requested(), spec: undefined } as unknown as EventDraft;
    const outcomes = await Promise.allSettled([
      log.append([a.requested()]),
      log.append([broken]),
      log.append([a.requested()]),
      log.append([c.requested()]),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(await log.read("ses_1")).toHaveLength(1);
    expect(await log.read("ses_2")).toEqual([]);
    expect(await log.read("ses_3")).toHaveLength(1);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });
});

describe("a deleted session", () => {
  it("leaves no byte of what was said in any file", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    const words = Array.from({ length: 40 }, (_, at) => `canary${at}q`);
    await recordSession(log, { sessionId: "ses_kept", output: "remains remains" });
    await recordSession(log, {
      sessionId: "ses_gone",
      task: "canarytask",
      output: `${words.join(" ")} ${"canarylong ".repeat(3000)}`,
    });
    const run = createRunDrafts({ sessionId: "ses_gone", runId: "run_more" });
    await log.append([run.requested("canarymore")]);
    const lease = await log.lease("run_more");
    for (let step = 1; step <= 60; step += 1) {
      await log.append([run.asked(step)], lease);
      await log.append([run.answered(step, `canary${step}z ${"x".repeat(step * 50)}`)], lease);
      if (step % 10 === 0) await log.readSide.search(`canary${step}z`);
    }
    await log.append([run.settled({ summary: "canarysummary" })], lease);
    const holds = () => ["", "-wal"].some((end) => readFileSync(`${path}${end}`).includes("canary"));
    expect(holds()).toBe(true);
    expect(await log.readSide.deleteSession("ses_gone")).toBe(true);
    expect(holds()).toBe(false);
    expect(readFileSync(path).includes("remains")).toBe(true);
    await log.close();
  });
});
