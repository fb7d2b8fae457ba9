// @module-tag long
import { createPostgresLog } from "@retinue/store/postgres";
import { startPostgres } from "@retinue/store/testing/postgres";
import { afterAll } from "vitest";
import { createEmbeddedEngine } from "./embedded-engine.ts";
import { describeEngine } from "./testing/engine-contract.ts";

const server = await startPostgres();
afterAll(() => server.stop());

let records = 0;

describeEngine("on PostgreSQL", {
  createEngine: createEmbeddedEngine,
  createRecord: async () => {
    const schema = `engine_${++records}`;
    return { open: async () => createPostgresLog({ url: server.url, schema }), close: async () => undefined };
  },
});
