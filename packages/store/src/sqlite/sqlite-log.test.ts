import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { describeEventLog } from "../testing/log-contract.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = mkdtempSync(join(tmpdir(), "retinue-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
describeEventLog("SQLite", () => createSqliteLog({ path: join(folder, `${(count += 1)}.db`) }));
