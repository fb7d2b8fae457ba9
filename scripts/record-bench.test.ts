import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fillDatabase, RARE_WORD } from "../bench/record-database.ts";
import { recordLongSession } from "../bench/record-session.ts";
import { createSqliteLog } from "@retinue/store/sqlite";

const folder = mkdtempSync(join(tmpdir(), "retinue-record-bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a session of 10,000 messages", () => {
  it("is read from its file, and replayed by the loop, event for event as it happened", { tags: ["long"] }, async () => {
    const long = await recordLongSession({ path: join(folder, "long.db"), messages: 10_000 });
    expect(long.messages).toBeGreaterThanOrEqual(10_000);
    expect(long.isSame).toBe(true);
  });
});

describe("the database that the record is measured on", () => {
  it("holds as many messages as were asked for, whole and indexed", async () => {
    const path = join(folder, "filled.db");
    await fillDatabase({ path, messages: 2000 });
    const log = createSqliteLog({ path });
    const { items } = await log.readSide.listSessions();
    const messages = items.reduce((sum, { messageCount }) => sum + messageCount, 0);
    expect(Math.abs(messages - 2000)).toBeLessThan(100);
    expect((await log.readSide.search(RARE_WORD)).items).toHaveLength(1);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });
});
