import { describeEventLog } from "../testing/log-contract.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

describeEventLog("SQLite", () => createSqliteLog({ path: folder.file() }));
