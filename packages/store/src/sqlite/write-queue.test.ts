import { describe, expect, it } from "vitest";
import { createTestFolder } from "../testing/test-folder.ts";
import { openDatabase } from "./open-database.ts";
import type { WriteQueueOptions } from "./write-queue.ts";
import { createWriteQueue } from "./write-queue.ts";

const folder = createTestFolder();

const NORMAL = 1;
const FULL = 2;

type Hooks = Pick<WriteQueueOptions, "began" | "settling" | "rolledBack" | "busyMs">;

const open = (synchronous: "NORMAL" | "FULL", hooks: Partial<Hooks> = {}) => {
  const path = folder.file();
  const db = openDatabase({ path, synchronous });
  const nothing = (): void => {};
  const queue = createWriteQueue({
    db,
    path,
    busyMs: 0,
    isDurable: synchronous === "FULL",
    began: nothing,
    settling: nothing,
    rolledBack: nothing,
    ...hooks,
  });
  const level = (): unknown => db.prepare("PRAGMA synchronous").get()?.["synchronous"];
  return { db, queue, level, path };
};

describe("the write queue", () => {
  it("brings to the disk the commits that are asked to be there, and no other", async () => {
    const { db, queue, level } = open("NORMAL");
    expect(await queue.write(level)).toBe(NORMAL);
    expect(await queue.write(level, { durable: true })).toBe(FULL);
    expect(await queue.write(level)).toBe(NORMAL);
    expect(await Promise.all([queue.write(level), queue.write(level, { durable: true }), queue.write(level)])).toEqual([
      FULL,
      FULL,
      FULL,
    ]);
    db.close();
  });

  it("brings everything to the disk in a store that is opened so", async () => {
    const { db, queue, level } = open("FULL");
    expect(await queue.write(level, { durable: true })).toBe(FULL);
    expect(await queue.write(level)).toBe(FULL);
    db.close();
  });

  it("keeps a durable write durable when another write beside it fails", async () => {
    const { db, queue, level } = open("NORMAL");
    const failing = queue.write(() => db.exec("INSERT INTO nowhere VALUES (1)"));
    const outcomes = await Promise.allSettled([failing, queue.write(level, { durable: true }), queue.write(level)]);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : "failed"))).toEqual([
      "failed",
      FULL,
      NORMAL,
    ]);
    db.close();
  });

  /** A table of texts, and what it holds. */
  const openNotes = (hooks: Partial<Hooks> = {}) => {
    const opened = open("NORMAL", hooks);
    opened.db.exec("CREATE TABLE notes (text TEXT NOT NULL)");
    const put = (text: string): string => {
      opened.db.prepare("INSERT INTO notes VALUES (?)").run(text);
      return text;
    };
    const notes = (): unknown[] =>
      opened.db
        .prepare("SELECT text FROM notes ORDER BY rowid")
        .all()
        .map((row) => row["text"]);
    return { ...opened, put, notes };
  };

  const broken = (): never => {
    throw new Error("broken");
  };

  const statesOf = async (writes: readonly Promise<unknown>[]): Promise<unknown[]> =>
    (await Promise.allSettled(writes)).map((one) => (one.status === "fulfilled" ? one.value : "refused"));

  it("answers nothing that was not committed, and tells nobody of it", async () => {
    const committed: string[] = [];
    const { db, queue, put, notes } = openNotes({ settling: broken });
    const hooks = { defers: true, committed: (text: string) => committed.push(text) };
    expect(await statesOf([queue.write(() => put("a"), hooks), queue.write(() => put("b"), hooks)])).toEqual([
      "refused",
      "refused",
    ]);
    expect({ committed, notes: notes() }).toEqual({ committed: [], notes: [] });
    db.close();
  });

  it("takes back what one that fails had written, says that it did, and goes on with the next", async () => {
    let rolledBack = 0;
    const { db, queue, put, notes } = openNotes({ rolledBack: () => (rolledBack += 1) });
    const half = (): never => {
      put("half");
      return broken();
    };
    await expect(queue.write(half)).rejects.toThrow("broken");
    expect({ rolledBack, isOpen: db.isTransaction }).toEqual({ rolledBack: 1, isOpen: false });
    expect(await statesOf([queue.write(() => put("a")), queue.write(half), queue.write(() => put("b"))])).toEqual([
      "a",
      "refused",
      "b",
    ]);
    // Once for all of them together, once for the one at fault.
    expect({ rolledBack, notes: notes() }).toEqual({ rolledBack: 3, notes: ["a", "b"] });
    db.close();
  });

  it("lets those fail that were asked for in the same line after one that failed, and no other", async () => {
    const { db, queue, put, notes } = openNotes();
    const writes = [
      queue.write(() => put("a1"), { line: "a" }),
      queue.write(broken, { line: "a" }),
      queue.write(() => put("b1"), { line: "b" }),
      queue.write(() => put("a2"), { line: "a" }),
      queue.write(() => put("c1")),
    ];
    expect(await statesOf(writes)).toEqual(["a1", "refused", "b1", "refused", "c1"]);
    expect(notes()).toEqual(["a1", "b1", "c1"]);
    expect(await queue.write(() => put("a3"), { line: "a" })).toBe("a3");
    db.close();
  });

  it("writes nothing for one that its check refuses, and keeps those beside it in one transaction", async () => {
    let began = 0;
    const { db, queue, put, notes } = openNotes({ began: () => (began += 1) });
    const writes = [queue.write(() => put("a")), queue.write(() => put("no"), { check: broken }), queue.write(() => put("b"))];
    expect(await statesOf(writes)).toEqual(["a", "refused", "b"]);
    expect({ began, notes: notes() }).toEqual({ began: 1, notes: ["a", "b"] });
    db.close();
  });

  it("writes what was left to the end before one that does not leave it, and before the commit", async () => {
    const order: string[] = [];
    const { db, queue } = openNotes({ settling: () => order.push("settle") });
    const deferred = queue.write(() => order.push("deferred"), { defers: true });
    const plain = queue.write(() => order.push("plain"));
    const last = queue.write(() => order.push("deferred"), { defers: true });
    await Promise.all([deferred, plain, last]);
    expect(order).toEqual(["deferred", "settle", "plain", "deferred", "settle"]);
    db.close();
  });

  it("waits for another process that writes, for so long and no longer", async () => {
    const { db, queue, put, notes, path } = openNotes({ busyMs: 20_000 });
    const other = openDatabase({ path, synchronous: "NORMAL" });
    other.exec("BEGIN IMMEDIATE");
    const written = queue.write(() => put("a"));
    setTimeout(() => other.exec("COMMIT"), 40);
    expect(await written).toBe("a");
    const impatient = open("NORMAL", { busyMs: 30 });
    const blocking = openDatabase({ path: impatient.path, synchronous: "NORMAL" });
    blocking.exec("BEGIN IMMEDIATE");
    await expect(impatient.queue.write(() => 1)).rejects.toMatchObject({ code: "store_busy" });
    expect(notes()).toEqual(["a"]);
    for (const one of [db, other, impatient.db, blocking]) one.close();
  });

  it("is drained when everything that was asked for is committed or refused", async () => {
    const { db, queue, put } = openNotes();
    const done: string[] = [];
    void queue.write(() => put("a")).then((text) => done.push(text));
    void queue.write(broken).catch(() => done.push("refused"));
    await queue.drain();
    expect(done).toEqual(["a", "refused"]);
    await queue.drain();
    const apart = queue.apart(() => db.isTransaction);
    expect(await apart).toBe(false);
    db.close();
  });
});
