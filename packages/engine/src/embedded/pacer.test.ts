/** So many at a time, first come first served; whoever gives up or fails leaves no place taken. */
import { expect, test } from "vitest";
import { createPacer } from "./pacer.ts";

type Work = { readonly done: Promise<unknown>; readonly end: () => void; readonly fail: (error: Error) => void };

/** Works that end when they are told to, and the names of those that have begun, in order. */
const createWorks = (most: number) => {
  const pace = createPacer(most);
  const begun: string[] = [];
  const begin = (name: string, signal: AbortSignal = new AbortController().signal): Work => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const done = pace(() => {
      begun.push(name);
      return promise;
    }, signal);
    done.catch(() => undefined);
    return { done, end: () => resolve(name), fail: reject };
  };
  return { begun, begin };
};

/** Until everything that can go on has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("two work at a time, and the others begin in the order in which they came", async () => {
  const { begun, begin } = createWorks(2);
  const [a, b, c, d] = [begin("a"), begin("b"), begin("c"), begin("d")];
  await settled();
  expect(begun).toEqual(["a", "b"]);
  b.end();
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
  a.end();
  await settled();
  expect(begun).toEqual(["a", "b", "c", "d"]);
  c.end();
  d.end();
  expect(await Promise.all([a.done, b.done, c.done, d.done])).toEqual(["a", "b", "c", "d"]);
});

test("a place that was handed on is one place still", async () => {
  const { begun, begin } = createWorks(1);
  const [a, b] = [begin("a"), begin("b")];
  a.end();
  await settled();
  const c = begin("c");
  await settled();
  expect(begun).toEqual(["a", "b"]);
  b.end();
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
  c.end();
  await settled();
  begin("d");
  begin("e");
  await settled();
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("one that fails gives its place to the next", async () => {
  const { begun, begin } = createWorks(1);
  const [a, b] = [begin("a"), begin("b")];
  a.fail(new Error("broken"));
  await expect(a.done).rejects.toThrow("broken");
  await settled();
  expect(begun).toEqual(["a", "b"]);
  b.fail(new Error("broken too"));
  await expect(b.done).rejects.toThrow("broken too");
  begin("c");
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
});

test("one that gives up while it waits never begins, and takes no place", async () => {
  const { begun, begin } = createWorks(1);
  const leaving = new AbortController();
  const a = begin("a");
  const b = begin("b", leaving.signal);
  begin("c");
  leaving.abort(new Error("no longer wanted"));
  await expect(b.done).rejects.toThrow("no longer wanted");
  a.end();
  await settled();
  expect(begun).toEqual(["a", "c"]);
});

test("one that gave up before it came does not wait at all", async () => {
  const { begun, begin } = createWorks(1);
  const a = begin("a");
  await expect(begin("b", AbortSignal.abort(new Error("gone"))).done).rejects.toThrow("gone");
  a.end();
  await settled();
  begin("c");
  await settled();
  expect(begun).toEqual(["a", "c"]);
});

test("one that has begun keeps its place when it is told to stop, and takes nobody else out of the queue", async () => {
  const { begun, begin } = createWorks(1);
  const late = new AbortController();
  const a = begin("a");
  const b = begin("b", late.signal);
  const c = begin("c");
  begin("d");
  a.end();
  await settled();
  late.abort(new Error("stop"));
  b.end();
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
  expect(await b.done).toBe("b");
  c.end();
  await settled();
  expect(begun).toEqual(["a", "b", "c", "d"]);
});
