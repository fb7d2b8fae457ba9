/** Several processes on one store, as tests: what a living one drives is refused to others, what a dead one drove is free. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { EventLog } from "../contract.ts";
import type { HolderOptions } from "../holder.ts";
import type { ProcessIdentity } from "../process-identity.ts";
import { thisProcess } from "../process-identity.ts";
import type { ReadSide } from "../read-side.ts";
import { createRunDrafts } from "./session-drafts.ts";

type Awaitable<T> = T | Promise<T>;
type Log = EventLog & { readonly readSide: ReadSide };

/** Opens logs on one new store, as if in processes of their own. */
export type OpenShared = () => Awaitable<(options?: HolderOptions) => Awaitable<Log>>;

const ELSEWHERE: ProcessIdentity = { host: "elsewhere", space: "elsewhere", pid: 4711, started: "1" };

/** A process of this machine, and its end. */
const startProcess = async (): Promise<{ readonly identity: ProcessIdentity; readonly kill: () => Promise<void> }> => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const started =
    process.platform === "linux" ? (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19] ?? "") : "";
  return {
    identity: { ...thisProcess(), pid, started },
    kill: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
};

export const describeHolding = (name: string, openShared: OpenShared): void => {
  /** One log has a run at work; another looks on. */
  const begin = async (self?: ProcessIdentity, silenceMs?: number) => {
    const open = await openShared();
    const working = await open(self === undefined ? {} : { self });
    const other = await open(silenceMs === undefined ? {} : { silenceMs });
    const run = createRunDrafts();
    await working.append([run.requested()]);
    const lease = await working.lease("run_a");
    await working.append([run.started(lease.epoch)], lease);
    const close = async (): Promise<void> => {
      await working.close();
      await other.close();
    };
    return { working, other, run, lease, close };
  };

  describe(`runs held by several processes on one ${name} store`, () => {
    it("are refused to others, who are told by whom and since when, and go on undisturbed", async () => {
      const { working, other, run, lease, close } = await begin();
      const holder = await other.holder("run_a");
      expect(holder).toEqual({ ...(await working.holder("run_a")), isSelf: false });
      await expect((async () => other.lease("run_a", { onlyIfFree: true }))()).rejects.toMatchObject({
        code: "session_running",
        message: `ses_a is at work in process ${process.pid} on ${thisProcess().host} since ${holder?.since}.`,
      });
      expect((await other.readSide.holders(["ses_a"])).get("ses_a")).toEqual(holder);
      await expect((async () => working.append([run.asked(1)], lease))()).resolves.toHaveLength(1);
      await close();
    });

    it("are taken over by force, and then held by who took them", async () => {
      const { working, other, run, lease, close } = await begin();
      expect(await other.lease("run_a")).toEqual({ runId: "run_a", epoch: 2 });
      await expect((async () => working.append([run.asked(1)], lease))()).rejects.toMatchObject({ code: "lease_lost" });
      expect(await other.holder("run_a")).toMatchObject({ isSelf: true });
      await expect((async () => working.lease("run_a", { onlyIfFree: true }))()).rejects.toMatchObject({
        code: "session_running",
      });
      await close();
    });

    it("are free once they have settled, and when their log was closed", async () => {
      const settled = await begin();
      await settled.working.append([settled.run.settled()], settled.lease);
      expect(await settled.other.holder("run_a")).toBeUndefined();
      expect(await settled.other.lease("run_a", { onlyIfFree: true })).toMatchObject({ epoch: 2 });
      await settled.close();
      const closed = await begin();
      await closed.working.close();
      expect(await closed.other.holder("run_a")).toBeUndefined();
      expect(await closed.other.lease("run_a", { onlyIfFree: true })).toMatchObject({ epoch: 2 });
      await closed.close();
    });

    it("are free at once when their process on this machine is dead, also if its number is in use again", async () => {
      const { identity, kill } = await startProcess();
      const { other, close } = await begin(identity);
      expect(await other.holder("run_a")).toMatchObject({ pid: identity.pid, isSelf: false });
      await kill();
      expect(await other.holder("run_a")).toBeUndefined();
      expect(await other.readSide.holders(["ses_a"])).toEqual(new Map());
      expect(await other.lease("run_a", { onlyIfFree: true })).toMatchObject({ epoch: 2 });
      await close();
      if (process.platform !== "linux") return;
      const again = await begin({ ...thisProcess(), started: "0" });
      expect(await again.other.holder("run_a")).toBeUndefined();
      await again.close();
    });

    it("stay held by a process elsewhere as long as it is heard of", async () => {
      const heard = await begin(ELSEWHERE);
      expect(await heard.other.holder("run_a")).toMatchObject({ host: "elsewhere", pid: 4711 });
      await expect((async () => heard.other.lease("run_a", { onlyIfFree: true }))()).rejects.toMatchObject({
        code: "session_running",
      });
      await heard.close();
      const silent = await begin(ELSEWHERE, -60_000);
      expect(await silent.other.holder("run_a")).toBeUndefined();
      expect(await silent.other.lease("run_a", { onlyIfFree: true })).toMatchObject({ epoch: 2 });
      await silent.close();
    });

    it("keep their session from being deleted, unless it is forced, until their process has gone", async () => {
      const { working, other, run, lease, close } = await begin();
      const child = createRunDrafts({ runId: "run_child", parentRunId: "run_a", depth: 1 });
      await working.append([child.requested()], lease);
      await working.lease("run_child");
      await expect((async () => other.readSide.deleteSession("ses_a"))()).rejects.toMatchObject({ code: "session_running" });
      // Of the main run nobody has hold any more; the one below it is still at work.
      await working.append([run.settled()], lease);
      await expect((async () => other.readSide.deleteSession("ses_a"))()).rejects.toMatchObject({ code: "session_running" });
      expect(await other.read("ses_a")).toHaveLength(4);
      await working.close();
      expect(await other.readSide.deleteSession("ses_a")).toBe(true);
      await close();
      const forced = await begin();
      expect(await forced.other.readSide.deleteSession("ses_a", { force: true })).toBe(true);
      await expect((async () => forced.working.append([forced.run.asked(1)], forced.lease))()).rejects.toMatchObject({
        code: "run_unknown",
      });
      await forced.close();
    });

    it("are given to one alone of those who ask at the same time", async () => {
      const open = await openShared();
      const logs = await Promise.all([open(), open(), open(), open()]);
      const run = createRunDrafts();
      await logs[0]?.append([run.requested()]);
      const outcomes = await Promise.allSettled(logs.map(async (log) => log.lease("run_a", { onlyIfFree: true })));
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const log of logs) await log.close();
    });
  });
};
