import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createOutput, createSideOutput } from "./output.ts";

/** Takes so many writes and fails from then on. */
const failing = (code: string, after: number): { stream: Writable; written: string[] } => {
  const written: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (written.length >= after) return done(Object.assign(new Error(code), { code }));
      written.push(chunk.toString());
      return done();
    },
  });
  return { stream, written };
};

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("an output", () => {
  test("whose reader went away is closed, and writing to it does nothing", async () => {
    const { stream, written } = failing("EPIPE", 1);
    const output = createOutput(stream);
    await output.write("one");
    await output.write("two");
    await nextTurn();
    expect(output.closed.aborted).toBe(true);
    await output.write("three");
    await output.flush();
    expect(written).toEqual(["one"]);
  });

  test("that fails otherwise says so once", async () => {
    const output = createOutput(failing("ENOSPC", 0).stream);
    const outcomes: unknown[] = [];
    for (const act of [() => output.write("one"), nextTurn, () => output.write("two"), output.flush])
      await act().catch((thrown: unknown) => outcomes.push(thrown));
    expect(outcomes).toEqual([expect.objectContaining({ code: "output_failed" })]);
  });

  test("beside fails silently", async () => {
    const output = createSideOutput(failing("ENOSPC", 0).stream);
    await output.write("one");
    await nextTurn();
    await expect(output.write("two")).resolves.toBeUndefined();
    await expect(output.flush()).resolves.toBeUndefined();
  });

  test("that is full is waited for, until it is read or its reader goes away", async () => {
    const stream = new PassThrough({ highWaterMark: 2 });
    const output = createOutput(stream);
    let isDone = false;
    const written = output.write("long").then(() => void (isDone = true));
    await nextTurn();
    expect(isDone).toBe(false);
    stream.read();
    await written;

    const stuck = output.write("long");
    stream.destroy(Object.assign(new Error("EPIPE"), { code: "EPIPE" }));
    await stuck;
    expect(output.closed.aborted).toBe(true);
  });
});
