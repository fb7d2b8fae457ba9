import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import type { SessionId } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

/** Runs one of the scripts in `testing/processes` to its end and gives what it said. */
const run = async (script: string, ...args: readonly string[]): Promise<unknown> => {
  const file = new URL(`../testing/processes/${script}.ts`, import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", file, ...args]);
  return JSON.parse(stdout);
};

const sum = (told: readonly unknown[], name: string): number =>
  told.reduce((total: number, one) => total + Number((one as Record<string, unknown>)[name]), 0);

describe("several processes on one file", () => {
  it(
    "append side by side, to one session and to their own, without a busy error, a gap or a loss",
    { tags: ["long"] },
    async () => {
      const path = folder.file();
      const steps = 100;
      const sessions: readonly SessionId[] = ["ses_shared", "ses_shared", "ses_3", "ses_4"];
      const told = await Promise.all(
        sessions.map(async (session, at) => run("append-writer", path, session, String(at), String(steps))),
      );
      expect(told).toEqual(sessions.map(() => ({ appended: 2 * steps, errors: [] })));
      const log = createSqliteLog({ path });
      const shared = await log.read("ses_shared");
      expect(shared.map((event) => event.seq)).toEqual(Array.from({ length: 2 * (2 * steps + 2) }, (_, at) => at + 1));
      expect(await log.read("ses_3")).toHaveLength(2 * steps + 2);
      expect(await log.readSide.verify()).toEqual({ sessions: 3, events: 4 * (2 * steps + 2), damage: [] });
      await log.close();
    },
  );

  it("make one store when all of them begin with none", { tags: ["long"] }, async () => {
    const path = folder.file();
    await Promise.all([0, 1, 2, 3].map(async (at) => run("append-writer", path, `ses_${at}`, String(at), "1")));
    const log = createSqliteLog({ path });
    expect(await log.readSide.verify()).toEqual({ sessions: 4, events: 16, damage: [] });
    await log.close();
  });

  it("steal a run from each other, and no effect is made twice", async () => {
    const path = folder.file();
    const effects = `${path}.effects`;
    writeFileSync(effects, "");
    const log = createSqliteLog({ path });
    await log.append([createRunDrafts().requested()]);
    const told = await Promise.all([1, 2].map(async () => run("lease-thief", path, effects, "ses_a", "run_a", "100")));
    expect(told).toMatchObject([{ stolen: 100 }, { stolen: 100 }]);
    expect(sum(told, "lost")).toBeGreaterThan(0);
    const made = readFileSync(effects, "utf8").trim().split("\n");
    expect(new Set(made).size).toBe(made.length);
    const events = await log.read("ses_a");
    const settled = events.filter((event) => event.type === "tool.settled").length;
    expect(settled).toBeLessThanOrEqual(made.length);
    expect(made.length).toBe(sum(told, "made"));
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });
});
