import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { hasSmallDisks } from "../testing/small-disk.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { toStoreError } from "./sqlite-errors.ts";

const folder = createTestFolder();
const MODULE = new URL("sqlite-log.ts", import.meta.url).pathname;

it("a store is made and read while the temporary folder is full", async () => {
  const path = folder.file();
  const disk = `${path}.tmp`;
  const script = `${path}.mts`;
  mkdirSync(disk);
  writeFileSync(
    script,
    `import { createSqliteLog } from ${JSON.stringify(MODULE)};
const log = createSqliteLog({ path: ${JSON.stringify(path)} });
console.log((await log.readSide.listSessions()).items.length);
await log.close();`,
  );
  // Where nothing can be mounted, the folder is one that SQLite cannot write at all.
  const before = hasSmallDisks()
    ? `mount -t tmpfs -o size=64k tmpfs '${disk}' && head -c 65536 /dev/zero > '${disk}/x' &&`
    : `chmod 500 '${disk}' &&`;
  const line = `${before} SQLITE_TMPDIR='${disk}' TMPDIR='${disk}' '${process.execPath}' --disable-warning=ExperimentalWarning '${script}'`;
  const [program, args] = hasSmallDisks() ? (["unshare", ["--mount", "sh", "-c"]] as const) : (["sh", ["-c"]] as const);
  const { stdout } = await promisify(execFile)(program, [...args, line]);
  expect(stdout.trim()).toBe("0");
});

it("a full temporary folder is told as that where the store's own disk has room", () => {
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  const rooms = (store: number, temporary: number) => ({ store: () => store, temporary: () => temporary });
  expect(toStoreError(full, "/a/b.db", rooms(1e9, 0))).toMatchObject({ code: "temporary_folder_unusable" });
  expect(toStoreError(full, "/a/b.db", rooms(0, 0))).toMatchObject({ code: "store_full" });
  expect(toStoreError(full, "/a/b.db", rooms(0, 1e9))).toMatchObject({ code: "store_full" });
});
