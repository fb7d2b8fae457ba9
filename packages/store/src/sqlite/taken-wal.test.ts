import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { BEAT_EVERY_MS } from "../holder.ts";
import { thisProcess } from "../process-identity.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import type { SqliteLog } from "./sqlite-log.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

afterEach(() => void vi.useRealTimers());

/** A process that was killed long ago. */
const KILLED = { ...thisProcess(), pid: 2 ** 22 + 1, started: "1" };

const newFolder = (): string => {
  const path = folder.file();
  mkdirSync(path);
  return path;
};

/** A store that is open, with a run that is driven for longer than a heartbeat, and what it wrote last. */
const openWithRun = async (): Promise<{ readonly path: string; readonly log: SqliteLog }> => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const path = join(newFolder(), "store.db");
  const log = createSqliteLog({ path, self: KILLED });
  const drafts = createRunDrafts({ sessionId: "ses_1", runId: "run_1" });
  await log.append([drafts.requested("go")]);
  const lease = await log.lease("run_1");
  vi.advanceTimersByTime(BEAT_EVERY_MS);
  await new Promise(setImmediate);
  await log.append([drafts.started(lease.epoch), drafts.asked(1)], lease);
  return { path, log };
};

/** What a process that was killed leaves, or somebody copies. */
const copy = (from: string, ends: readonly string[]): string => {
  const to = join(newFolder(), "store.db");
  for (const end of ends) copyFileSync(`${from}${end}`, `${to}${end}`);
  return to;
};

const warningsOf = async (path: string): Promise<readonly string[]> => {
  const log = createSqliteLog({ path });
  try {
    const { damage, warnings = [] } = await log.readSide.verify();
    expect(damage).toEqual([]);
    return warnings;
  } finally {
    await log.close();
  }
};

describe("a store that a process had open", () => {
  test("is told as perhaps incomplete where its write-ahead file is not there, each time it is verified", async () => {
    const { path, log } = await openWithRun();
    const copied = copy(path, [""]);
    await log.close();
    const said = [
      expect.stringMatching(/^Process \d+ on .+ did not close the store, and its write-ahead file store\.db-wal is gone\./),
    ];
    expect(await warningsOf(copied)).toEqual(said);
    expect(await warningsOf(copied)).toEqual(said);
  });

  test("is whole where its write-ahead file is there, also after others have opened and closed it", async () => {
    const { path, log } = await openWithRun();
    const copied = copy(path, ["", "-wal"]);
    await log.close();
    expect(await warningsOf(copied)).toEqual([]);
    expect(existsSync(`${copied}-wal`)).toBe(false);
    expect(await warningsOf(copied)).toEqual([]);
  });

  test("is whole where it was closed", async () => {
    const { path, log } = await openWithRun();
    await log.close();
    expect(await warningsOf(path)).toEqual([]);
  });

  test.each(["ends by itself", "calls process.exit", "throws"])(
    "is whole where the process that had it open %s without closing it",
    async (how) => {
      const path = join(newFolder(), "store.db");
      const last = { "ends by itself": "", "calls process.exit": "process.exit(0)", throws: "throw new Error('as told')" }[how];
      const at = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
      const script = `
        import { createSqliteLog } from ${at("./sqlite-log.ts")};
        import { createRunDrafts } from ${at("../testing/session-drafts.ts")};
        const log = createSqliteLog({ path: ${JSON.stringify(path)} });
        const drafts = createRunDrafts({ sessionId: "ses_1", runId: "run_1" });
        await log.append([drafts.requested("go")]);
        const lease = await log.lease("run_1");
        await log.append([drafts.started(lease.epoch), drafts.asked(1)], lease);
        ${last}`;
      try {
        execFileSync(process.execPath, ["--input-type=module", "-e", script], { stdio: "pipe" });
      } catch (error) {
        if (how !== "throws") throw error;
      }
      expect(await warningsOf(path)).toEqual([]);
    },
  );
});
