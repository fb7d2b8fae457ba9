import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMemoryLog } from "@retinue/store";
import { createSqliteLog } from "@retinue/store/sqlite";
import { createEmbeddedEngine } from "./embedded-engine.ts";
import { describeEngine } from "./testing/engine-contract.ts";

describeEngine("on a record in memory", {
  createEngine: createEmbeddedEngine,
  createRecord: async () => {
    const log = createMemoryLog();
    return { open: async () => ({ ...log, close: () => undefined }), close: async () => log.close() };
  },
});

describeEngine("on SQLite", {
  createEngine: createEmbeddedEngine,
  createRecord: async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "retinue-engine-"));
    return {
      open: async () => createSqliteLog({ path: path.join(folder, "retinue.db") }),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
