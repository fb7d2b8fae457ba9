import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { recordSession } from "../testing/recorded-session.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import type { KeptRoom } from "../read-side.ts";
import { openDatabase } from "./open-database.ts";
import { createLogOn, createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

describe("a store that was pruned", () => {
  it("is smaller, and what is left is as it was", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    for (let at = 0; at < 12; at += 1)
      await recordSession(log, { sessionId: `ses_${at}`, output: `needle ${at} `.repeat(20_000) });
    await log.readSide.search("needle");
    // Closing brings everything into the file.
    await log.close();
    const before = statSync(path).size;
    const again = createSqliteLog({ path });
    const left = await again.read("ses_11");
    expect(await again.readSide.retain({ keep: 1 })).toHaveLength(11);
    expect(statSync(path).size).toBeLessThan(before / 4);
    expect(await again.read("ses_11")).toEqual(left);
    const next = createRunDrafts({ sessionId: "ses_11", runId: "run_next" });
    await again.append([next.requested()]);
    expect((await again.readSide.search("needle")).items.map(({ sessionId }) => sessionId)).toEqual(["ses_11"]);
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
    expect(statSync(path).size).toBeLessThan(before / 4);
  });

  it("is left as large as it is where little was taken away", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log, { sessionId: "ses_1" });
    for (let at = 2; at < 5; at += 1) await recordSession(log, { sessionId: `ses_${at}`, output: "x ".repeat(300_000) });
    await log.close();
    const before = statSync(path).size;
    const again = createSqliteLog({ path });
    expect(await again.readSide.retain({ keep: 3 })).toEqual(["ses_1"]);
    expect(statSync(path).size).toBe(before);
    await again.close();
  });
});

describe("a store from before files gave room back in steps", () => {
  const isStepwise = (path: string): boolean => {
    const db = new DatabaseSync(path);
    const mode = db.prepare("PRAGMA auto_vacuum").get()?.["auto_vacuum"];
    db.close();
    return mode === 2;
  };
  const recordOlder = async (): Promise<string> => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    for (let at = 0; at < 6; at += 1)
      await recordSession(log, { sessionId: `ses_${at}`, output: `needle ${at} `.repeat(20_000) });
    await log.close();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA auto_vacuum = NONE; VACUUM");
    db.close();
    return path;
  };

  it("is written anew once, and gives room back in steps from then on", async () => {
    const path = await recordOlder();
    expect(isStepwise(path)).toBe(false);
    const before = statSync(path).size;
    const log = createSqliteLog({ path });
    expect(await log.readSide.retain({ keep: 1 })).toHaveLength(5);
    await log.close();
    expect(statSync(path).size).toBeLessThan(before / 2);
    expect(isStepwise(path)).toBe(true);
  });

  it("keeps the room where there is too little to write it anew, says how much it needs, and uses the room for what comes", async () => {
    const path = await recordOlder();
    const before = statSync(path).size;
    const kept: KeptRoom[] = [];
    const db = openDatabase({ path, synchronous: "NORMAL" });
    const log = createLogOn({ db, path, busyMs: 1_000, freeBytes: () => 300_000 });
    expect(await log.readSide.retain({ keep: 1 }, { kept: (room) => void kept.push(room) })).toHaveLength(5);
    expect(kept).toEqual([{ bytes: expect.any(Number), needed: expect.any(Number) }]);
    expect(kept[0]?.bytes).toBeGreaterThan(before / 2);
    expect(kept[0]?.needed).toBeGreaterThan(before - (kept[0]?.bytes ?? 0));
    await recordSession(log, { sessionId: "ses_new", output: "needle of it ".repeat(20_000) });
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
    expect(statSync(path).size).toBe(before);
  });
});
