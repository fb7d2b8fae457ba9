import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { hangUpWith } from "./hang-up.ts";
import type { SignalName } from "./interrupts.ts";

const watch = (isTTY: boolean, exitCode?: number) => {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const raised: SignalName[] = [];
  const unwatch = hangUpWith(stdin, { raise: (name) => void raised.push(name), exitCode: () => exitCode });
  stdin.resume();
  return { stdin, raised, unwatch };
};

const ended = (stdin: PassThrough): Promise<unknown> => {
  const end = new Promise((resolve) => stdin.once("end", resolve));
  stdin.end();
  return end;
};

test("a terminal that is gone counts as SIGHUP", async () => {
  const { stdin, raised } = watch(true);
  await ended(stdin);
  expect(raised).toEqual(["SIGHUP"]);
});

test("a terminal that cannot be read from any more does, too", async () => {
  const { stdin, raised } = watch(true);
  const failed = new Promise((resolve) => stdin.once("error", resolve));
  stdin.destroy(new Error("EIO"));
  await failed;
  expect(raised).toEqual(["SIGHUP"]);
});

test("the end of a pipe, one after a signal, and one that nobody watches any more, do not", async () => {
  const pipe = watch(false);
  const stopping = watch(true, 130);
  const released = watch(true);
  released.unwatch();
  for (const { stdin, raised } of [pipe, stopping, released]) {
    await ended(stdin);
    expect(raised).toEqual([]);
  }
});
