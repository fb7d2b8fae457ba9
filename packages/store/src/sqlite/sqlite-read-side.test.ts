import { describeReadSide } from "../testing/read-side-contract.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

describeReadSide("SQLite", () => createSqliteLog({ path: folder.file() }));
