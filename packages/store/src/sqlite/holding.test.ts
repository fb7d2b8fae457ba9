import { describeHolding } from "../testing/holding-contract.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

describeHolding("SQLite", () => {
  const path = folder.file();
  return (options) => createSqliteLog({ ...options, path });
});
