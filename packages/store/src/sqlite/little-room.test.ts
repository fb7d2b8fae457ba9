import { execFile } from "node:child_process";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { SessionId } from "@retinue/protocol";
import { beforeAll, describe, expect, it } from "vitest";
import { recordLongTalk } from "../testing/long-talks.ts";
import { hasSmallDisks, runOnSmallDisk } from "../testing/small-disk.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { openAlone } from "./open-database.ts";
import { createLogOn, createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();
const PRUNER = new URL("../testing/processes/pruner.ts", import.meta.url).pathname;
const NODE_OPTIONS = ["--disable-warning=ExperimentalWarning"];

type Told = {
  readonly code?: string;
  readonly listed?: number;
  readonly gone?: number;
  readonly damage?: readonly unknown[];
  readonly commits: number;
  readonly mostWalBytes: number;
  readonly bytes: number;
};

/** Sessions that have ended, and a last one that has not; all is in the file, nothing beside it. */
const record = async (path: string, ended: number): Promise<void> => {
  const log = createSqliteLog({ path });
  for (let at = 0; at < ended; at += 1) await recordLongTalk(log, { sessionId: `ses_${at}` });
  await log.append([createRunDrafts({ sessionId: "ses_running", runId: "run_running" }).requested("needle")]);
  await log.readSide.search("needle");
  await log.close();
};

const partsOf = (path: string): readonly string[] =>
  ["", "-spare"].map((end) => `${path}${end}`).filter((file) => existsSync(file));

const copyStore = (from: string): string => {
  const to = folder.file();
  for (const file of partsOf(from)) copyFileSync(file, file.replace(from, to));
  return to;
};

const prune = async (path: string, keep: number, killAfter = 0): Promise<Told | "killed"> => {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...NODE_OPTIONS,
      PRUNER,
      path,
      String(keep),
      String(killAfter),
    ]);
    return JSON.parse(stdout) as Told;
  } catch (error) {
    if ((error as { signal?: string }).signal === "SIGKILL") return "killed";
    throw error;
  }
};

/** As where no byte is left: the file is had alone, and nothing may be written beside it. */
const pruneAlone = async (path: string): Promise<Told> => {
  const db = openAlone({ path, synchronous: "NORMAL" });
  expect(existsSync(`${path}-shm`)).toBe(false);
  const log = createLogOn({ db, path, busyMs: 1_000, isAlone: true, freeBytes: () => 0 });
  const listed = (await log.readSide.listSessions({ limit: 100 })).items.length;
  const gone = await log.readSide.retain({ keep: 10 });
  const { damage } = await log.readSide.verify();
  await log.close();
  return { listed, gone: gone.length, damage, commits: 0, mostWalBytes: 0, bytes: statSync(path).size };
};

const pruneWhole = async (path: string, keep: number): Promise<Told> => {
  const told = await prune(path, keep);
  if (told === "killed") throw new Error("The pruning was killed.");
  return told;
};

/** The write-ahead file of a pruning on a disk with plenty of room; it is far shorter where there is little. */
const MAX_WAL_BYTES = 4_000_000;

describe("a nearly full disk", () => {
  const path = folder.file();
  const isSmall = hasSmallDisks();
  beforeAll(() => record(path, 40));

  /** Where nothing can be mounted, the same is said by what the pruning takes beside the file. */
  const pruneWith = async (freeBytes: number): Promise<Told> => {
    const command = `'${process.execPath}' ${NODE_OPTIONS.join(" ")} '${PRUNER}' "$DISK/${basename(path)}" 10`;
    if (isSmall) return JSON.parse(await runOnSmallDisk({ files: partsOf(path), freeBytes, command })) as Told;
    const told = await pruneWhole(copyStore(path), 10);
    expect(told.mostWalBytes).toBeLessThan(MAX_WAL_BYTES);
    return told;
  };
  const expectPruned = async (freeBytes: number): Promise<void> => {
    const told = await pruneWith(freeBytes);
    expect(told).toMatchObject({ listed: 41, gone: 31, damage: [] });
    expect(told.bytes).toBeLessThan(statSync(path).size / 2);
  };

  it("is pruned when nothing is left of it, and the room is given back", () => expectPruned(0));

  const expectPrunedAlone = async (): Promise<void> => {
    const small = folder.file();
    await record(small, 12);
    expect(await pruneAlone(small)).toMatchObject({ listed: 13, gone: 3, damage: [] });
    expect(existsSync(`${small}-shm`)).toBe(false);
    // Whoever comes next shares it as before.
    const log = createSqliteLog({ path: small });
    expect((await log.readSide.listSessions({ limit: 100 })).items).toHaveLength(10);
    expect(existsSync(`${small}-shm`)).toBe(true);
    await log.close();
  };

  it("is listed and pruned when no byte and no spare file is left", async () => {
    // Where nothing can be mounted, the way out itself is tried.
    if (!isSmall) return expectPrunedAlone();
    const command = `'${process.execPath}' ${NODE_OPTIONS.join(" ")} '${PRUNER}' "$DISK/${basename(path)}" 10`;
    const told = JSON.parse(await runOnSmallDisk({ files: [path], freeBytes: 0, command })) as Told;
    expect(told).toMatchObject({ listed: 41, gone: 31, damage: [] });
    expect(told.bytes).toBeLessThan(statSync(path).size / 2);
  });

  it("is pruned by a process that has the file alone, without a file beside it", expectPrunedAlone);

  it("says that it is full where another process has the store open, and leaves it as it is", async () => {
    const copy = copyStore(path);
    const log = createSqliteLog({ path: copy });
    expect(() => openAlone({ path: copy, synchronous: "NORMAL" })).toThrow(expect.objectContaining({ code: "store_busy" }));
    expect((await log.readSide.listSessions({ limit: 100 })).items).toHaveLength(41);
    await log.close();
  });

  it.each([500_000, 100_000, 16_384])(
    "is pruned with %i bytes left, and the room is given back",
    { tags: ["long"] },
    expectPruned,
  );
});

describe("a session that is removed", () => {
  it("takes little room beside the file, however long the session is", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordLongTalk(log, { sessionId: "ses_1", steps: 400, wordsOfFile: 2_000, vocabulary: 300 });
    await log.readSide.search("word");
    await log.close();
    const before = statSync(path).size;
    expect(before).toBeGreaterThan(3 * MAX_WAL_BYTES);
    const told = await pruneWhole(path, 0);
    expect(told).toMatchObject({ gone: 1, damage: [] });
    expect(told.mostWalBytes).toBeLessThan(MAX_WAL_BYTES);
    expect(told.bytes).toBeLessThan(before / 10);
  });

  /** Kills the pruning of two of three sessions after a commit; says what is then there, and prunes again. */
  const expectWholeOrGone = async (path: string, cut: number, bytes: number): Promise<void> => {
    expect(await prune(path, 2, cut)).toBe("killed");
    const log = createSqliteLog({ path });
    const { readSide } = log;
    const listed = async () => (await readSide.listSessions()).items.map(({ sessionId }) => sessionId);
    const there = await listed();
    expect((await readSide.verify()).damage).toEqual([]);
    const found = (await readSide.search("word1", { limit: 200 })).items.map(({ sessionId }) => sessionId);
    for (const sessionId of ["ses_0", "ses_1", "ses_2"] satisfies SessionId[]) {
      const isWhole = there.includes(sessionId);
      expect(await log.read(sessionId)).toHaveLength(isWhole ? 43 : 0);
      expect((await readSide.stats({ by: "agent", sessionId })).length > 0).toBe(isWhole);
      expect(found.includes(sessionId)).toBe(isWhole);
    }
    expect((await readSide.stats({ by: "agent" }))[0]?.runs).toBe(there.length);
    await readSide.retain({ keep: 2 });
    expect(await listed()).toEqual(["ses_running", "ses_2"]);
    expect((await readSide.verify()).damage).toEqual([]);
    await log.close();
    expect(statSync(path).size).toBe(bytes);
  };

  describe("by a pruning that is killed", () => {
    const path = folder.file();
    let uncut: Told;
    beforeAll(async () => {
      await record(path, 3);
      uncut = await pruneWhole(copyStore(path), 2);
    });

    it("is gone for all who read when it is begun, and the next pruning ends the removal", async () => {
      await expectWholeOrGone(copyStore(path), 2, uncut.bytes);
    });

    it("is whole or gone after each commit", { tags: ["long"] }, async () => {
      expect(uncut.commits).toBeGreaterThan(4);
      for (let cut = 1; cut <= uncut.commits; cut += 1) await expectWholeOrGone(copyStore(path), cut, uncut.bytes);
    });

    it("can be recorded again under its id before the removal is ended", async () => {
      const copy = copyStore(path);
      const whole = createSqliteLog({ path });
      const exported = await whole.readSide.exportSession("ses_0");
      await whole.close();
      expect(await prune(copy, 2, 2)).toBe("killed");
      const log = createSqliteLog({ path: copy });
      expect(await log.readSide.session("ses_0")).toBeUndefined();
      await log.readSide.importSession(exported);
      expect(await log.read("ses_0")).toEqual(exported.events);
      expect((await log.readSide.verify()).damage).toEqual([]);
      await log.close();
    });
  });
});
