// @module-tag long
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf } from "../testing/code-of.ts";
import type { MuteProxy } from "../testing/mute-proxy.ts";
import { startMuteProxy } from "../testing/mute-proxy.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import type { TestPostgres } from "../testing/start-postgres.ts";
import { startPostgres } from "../testing/start-postgres.ts";
import type { PostgresLog, PostgresLogOptions } from "./postgres-log.ts";
import { createPostgresLog } from "./postgres-log.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

let proxy: MuteProxy;
const logs: PostgresLog[] = [];
beforeEach(async () => {
  proxy = await startMuteProxy(postgres.url);
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map(async (log) => log.close()));
  await proxy.close();
});

let count = 0;
const newSchema = (): string => `mute_${(count += 1)}`;
const open = async (options: Partial<PostgresLogOptions> = {}): Promise<PostgresLog> => {
  const log = await createPostgresLog({ url: proxy.url, schema: newSchema(), answerMs: 500, patienceMs: 0, ...options });
  logs.push(log);
  return log;
};

const TIMEOUT = { timeout: 60_000 };

describe("a server that takes everything and answers nothing", () => {
  it("fails an append and a read with a code, and all is well again on connections that answer", TIMEOUT, async () => {
    const log = await open();
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    // As many connections as the pool has.
    await Promise.all(Array.from({ length: 20 }, async () => log.read("ses_a")));
    proxy.mute();
    expect(await codeOf(() => log.append([run.started(1)], lease))).toBe("store_failed");
    expect(await codeOf(() => log.read("ses_a"))).toBe("store_failed");
    expect(await codeOf(() => log.readSide.verify())).toBe("store_failed");
    proxy.unmute();
    await log.append([run.started(1)], lease);
    expect(await log.read("ses_a")).toHaveLength(2);
    expect((await log.readSide.verify()).damage).toEqual([]);
  });

  it("is waited for as long as the store is patient, and nothing is written twice", TIMEOUT, async () => {
    const log = await open({ patienceMs: 50_000 });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    proxy.mute();
    const before = proxy.connections();
    const appended = Promise.all([1, 2, 3].map(async (step) => log.append([run.asked(step)], lease)));
    // It gave up a connection that does not answer and tried another.
    while (proxy.connections() < before + 2) await new Promise((resolve) => setTimeout(resolve, 10));
    proxy.unmute();
    await appended;
    expect((await log.read("ses_a")).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect((await log.readSide.verify()).damage).toEqual([]);
  });

  it("does not keep a store from being closed", { ...TIMEOUT, tags: ["long"] }, async () => {
    const log = await open({ answerMs: 600_000, patienceMs: 600_000 });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    proxy.mute();
    const appended = codeOf(() => log.append([run.started(1)], lease));
    await log.close();
    expect(await appended).toMatch(/^store_/);
  });

  it("cannot be opened, and says so", TIMEOUT, async () => {
    proxy.mute();
    expect(await codeOf(open)).toBe("store_failed");
  });

  it("has its listener replaced again and again, and who watches is woken", { ...TIMEOUT, tags: ["long"] }, async () => {
    const schema = newSchema();
    const log = await open({ schema, patienceMs: 50_000 });
    const other = await open({ schema, url: postgres.url });
    const run = createRunDrafts();
    await other.append([run.requested()]);
    const lease = await other.lease("run_a");
    for (let round = 1; round <= 5; round += 1) {
      proxy.mute();
      // While it is mute, other connections are tried in vain.
      const before = proxy.connections();
      if (round % 2 === 0) while (proxy.connections() < before + 2) await new Promise((resolve) => setTimeout(resolve, 10));
      proxy.unmute();
      const isThere = async () => (await log.read("ses_a")).length === 1 + round;
      await other.append([run.asked(round)], lease);
      for (;;) {
        const woken = Promise.withResolvers<void>();
        const stop = log.watch("ses_a", woken.resolve);
        const there = await isThere();
        if (there) {
          stop();
          break;
        }
        await woken.promise;
        stop();
      }
    }
    // The last connection hears what is announced, and not only that it was made.
    const made = proxy.connections();
    const woken = Promise.withResolvers<void>();
    log.watch("ses_a", woken.resolve);
    await other.append([run.asked(99)], lease);
    await woken.promise;
    expect(proxy.connections()).toBeGreaterThanOrEqual(made);
  });
});
