import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { runWithWorkers } from "./workers.ts";

type Item = { readonly name: string; readonly locks: readonly string[]; readonly ticks: number };

/** Works for some turns of the event loop, and notes who was at work beside whom. */
const watch = () => {
  const atWork = new Set<Item>();
  const together: (readonly Item[])[] = [];
  const begun: string[] = [];
  return {
    together,
    begun,
    work: async (item: Item): Promise<string> => {
      begun.push(item.name);
      atWork.add(item);
      together.push([...atWork]);
      for (let tick = 0; tick < item.ticks; tick += 1) await setImmediate();
      atWork.delete(item);
      return item.name;
    },
  };
};

const locksOf = ({ locks }: Item): readonly string[] => locks;

/** The same numbers at every run. */
const createRandom = (seed: number) => (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

describe("workers", () => {
  test("never hold a lock twice, never are too many, and do everything once, in the order of the list", async () => {
    const random = createRandom(7);
    const upTo = (most: number): number => Math.floor(random() * most);
    for (let round = 0; round < 100; round += 1) {
      const items: readonly Item[] = Array.from({ length: upTo(30) }, (_, at) => ({
        name: `${at}`,
        locks: ["database", "mailbox", "printer"].filter(() => random() < 0.3),
        ticks: upTo(5),
      }));
      const workers = 1 + upTo(6);
      const { work, together, begun } = watch();
      expect(await runWithWorkers(items, { workers, locksOf }, work)).toEqual(items.map(({ name }) => name));
      expect(begun.toSorted()).toEqual(items.map(({ name }) => name).toSorted());
      for (const some of together) {
        expect(some.length).toBeLessThanOrEqual(workers);
        const locks = some.flatMap((item) => item.locks);
        expect(new Set(locks).size).toBe(locks.length);
      }
    }
  });

  test("go on with what needs no lock while another waits for its own", async () => {
    const { work, begun } = watch();
    const items = [
      { name: "holds", locks: ["database"], ticks: 20 },
      { name: "waits", locks: ["database"], ticks: 1 },
      { name: "free", locks: [], ticks: 1 },
    ];
    await runWithWorkers(items, { workers: 2, locksOf }, work);
    expect(begun).toEqual(["holds", "free", "waits"]);
  });

  test("let go of the lock of what failed", async () => {
    const done: string[] = [];
    const work = async (name: string): Promise<void> => {
      if (name === "fails") throw new Error("it broke");
      done.push(name);
    };
    const all = runWithWorkers(["fails", "next"], { workers: 2, locksOf: () => ["database"] }, work);
    await expect(all).rejects.toThrow("it broke");
    await expect.poll(() => done).toEqual(["next"]);
  });
});
