import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf } from "../testing/code-of.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

const begin = async (path: string) => {
  const log = createSqliteLog({ path });
  const run = createRunDrafts();
  await log.append([run.requested()]);
  return { log, run, lease: await log.lease("run_a") };
};

describe("a store whose file is taken away while it is open", () => {
  it("says so at the next append when the file was deleted", async () => {
    const path = folder.file();
    const { log, run, lease } = await begin(path);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    expect(await codeOf(() => log.append([run.started(1)], lease))).toBe("store_gone");
    expect(await codeOf(() => log.lease("run_a"))).toBe("store_gone");
    expect(await codeOf(() => Promise.all([log.append([run.asked(1)], lease), log.append([run.asked(2)], lease)]))).toBe(
      "store_gone",
    );
    await log.close();
  });

  it("says so when its folder was deleted", async () => {
    const path = join(folder.file(), "store.db");
    mkdirSync(dirname(path));
    const { log, run, lease } = await begin(path);
    rmSync(dirname(path), { recursive: true });
    expect(await codeOf(() => log.append([run.started(1)], lease))).toBe("store_gone");
    await log.close();
  });

  it("writes nothing into another that stands in its place, and goes on when it is put back", async () => {
    const path = folder.file();
    const { log, run, lease } = await begin(path);
    const other = folder.file();
    await createSqliteLog({ path: other }).close();
    renameSync(path, `${path}.away`);
    renameSync(other, path);
    expect(await codeOf(() => log.append([run.started(1)], lease))).toBe("store_gone");
    renameSync(`${path}.away`, path);
    await log.append([run.started(1)], lease);
    expect(await log.read("ses_a")).toHaveLength(2);
    await log.close();
  });
});
