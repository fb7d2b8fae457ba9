/**
 * A process that prunes a store. Told on the command line: path, how many sessions are kept, and after how many commits of the pruning it
 * kills itself (0: never). Says as one line of JSON what came of it, and how large the write-ahead file was at most after a commit.
 */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createSqliteLog } from "../../sqlite/sqlite-log.ts";

const [path = "", keep = "", killAfter = "0"] = process.argv.slice(2);
let commits = 0;
let mostWalBytes = 0;
let isPruning = false;
const prepare = Reflect.get(DatabaseSync.prototype, "prepare");
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql) {
  const statement = prepare.call(this, sql);
  if (sql !== "COMMIT") return statement;
  const run = statement.run.bind(statement);
  statement.run = () => {
    const outcome = run();
    if (!isPruning) return outcome;
    commits += 1;
    mostWalBytes = Math.max(mostWalBytes, statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    if (commits === Number(killAfter)) process.kill(process.pid, "SIGKILL");
    return outcome;
  };
  return statement;
};

const told = await (async () => {
  try {
    const log = createSqliteLog({ path, mayUseSpare: true });
    try {
      const listed = (await log.readSide.listSessions({ limit: 100 })).items.length;
      isPruning = true;
      const gone = await log.readSide.retain({ keep: Number(keep) });
      isPruning = false;
      return { listed, gone: gone.length, damage: (await log.readSide.verify()).damage };
    } finally {
      await log.close();
    }
  } catch (error) {
    return { code: (error as { code?: string }).code, message: String(error) };
  }
})();
process.stdout.write(`${JSON.stringify({ ...told, commits, mostWalBytes, bytes: statSync(path).size })}\n`);
