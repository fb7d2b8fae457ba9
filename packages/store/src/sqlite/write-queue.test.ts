import { describe, expect, it } from "vitest";
import { createTestFolder } from "../testing/test-folder.ts";
import { openDatabase } from "./open-database.ts";
import { createWriteQueue } from "./write-queue.ts";

const folder = createTestFolder();

const NORMAL = 1;
const FULL = 2;

const open = (synchronous: "NORMAL" | "FULL") => {
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
  });
  const level = (): unknown => db.prepare("PRAGMA synchronous").get()?.["synchronous"];
  return { db, queue, level };
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
});
