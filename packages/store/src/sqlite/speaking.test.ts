import { describeSpeaking } from "../testing/speaking-contract.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

describeSpeaking("SQLite", () => {
  const path = folder.file();
  return { log: createSqliteLog({ path }), where: [path, ""] };
});
