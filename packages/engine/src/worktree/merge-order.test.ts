import { expect, test } from "vitest";
import { createMergeOrder } from "./merge-order.ts";

const NEVER = new AbortController().signal;

test("turns come in the order of joining, whoever asks first", async () => {
  const order = createMergeOrder();
  const [first, second, third] = [order.join(), order.join(), order.join()];
  const turns: string[] = [];
  const take = (name: string, place: typeof first): Promise<void> => place.turn(NEVER).then(() => void turns.push(name));
  const all = [take("third", third), take("second", second), take("first", first)];
  await all[2];
  expect(turns).toEqual(["first"]);
  first.leave();
  await all[1];
  expect(turns).toEqual(["first", "second"]);
  second.leave();
  second.leave();
  await all[0];
  expect(turns).toEqual(["first", "second", "third"]);
});

test("one that leaves without its turn holds nobody up, and does not let anybody pass those before it", async () => {
  const order = createMergeOrder();
  const [first, second, third] = [order.join(), order.join(), order.join()];
  second.leave();
  let isThird = false;
  const last = third.turn(NEVER).then(() => (isThird = true));
  await first.turn(NEVER);
  expect(isThird).toBe(false);
  first.leave();
  expect(await last).toBe(true);
});

test("whoever is stopped while waiting is told so", async () => {
  const order = createMergeOrder();
  order.join();
  const stop = new AbortController();
  const waiting = order.join().turn(stop.signal);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
});
