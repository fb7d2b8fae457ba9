/** Lets four processes write to one database at the same time and looks whether one was turned away or anything is missing. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createSqliteLog } from "@retinue/store/sqlite";

export type WriteReport = {
  readonly processes: number;
  readonly commits: number;
  /** Codes of writes that were refused: `store_busy` for one. */
  readonly errors: readonly string[];
  readonly events: number;
  /** Events that were appended and are not there, or were not appended and are. */
  readonly missing: number;
  readonly damage: readonly string[];
  readonly seconds: number;
};

type Written = { readonly appended: number; readonly errors: readonly string[] };

/** Two to one session, two to their own. */
const SESSIONS = ["ses_shared", "ses_shared", "ses_3", "ses_4"] as const;
const WRITER = fileURLToPath(new URL("../../packages/store/src/testing/processes/append-writer.ts", import.meta.url));

/** At least so many commits, each of two events and waited for. */
export const writeTogether = async (commits: number, signal?: AbortSignal): Promise<WriteReport> => {
  const place = mkdtempSync(path.join(tmpdir(), "retinue-writers-"));
  try {
    const file = path.join(place, "retinue.db");
    const each = Math.ceil(commits / SESSIONS.length);
    const startedAt = performance.now();
    const written = await Promise.all(
      SESSIONS.map((session, at) => runWriter([file, session, String(at), String(each)], signal)),
    );
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const log = createSqliteLog({ path: file });
    const { events, damage } = await log.readSide.verify();
    await log.close();
    // Besides its steps each process requests its run and settles it.
    const appended = written.reduce((total, one) => total + one.appended, 0) + 2 * SESSIONS.length;
    return {
      processes: SESSIONS.length,
      commits: SESSIONS.length * (each + 3),
      errors: written.flatMap(({ errors }) => errors),
      events,
      missing: Math.abs(appended - events),
      damage: damage.map(({ what }) => what),
      seconds,
    };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const runWriter = async (args: readonly string[], signal: AbortSignal | undefined): Promise<Written> => {
  const node = ["--disable-warning=ExperimentalWarning", WRITER, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, node, {
    maxBuffer: 64 * 1024 * 1024,
    ...(signal === undefined ? {} : { signal }),
  });
  return JSON.parse(stdout) as Written;
};
