import { Writable } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSideOutput } from "../output.ts";
import { withSpinner, type SpinnerOptions, type TellProgress } from "./spinner.ts";

const createStream = (
  isTTY: boolean,
): { readonly stream: Writable & { isTTY?: boolean; columns?: number }; readonly text: () => string } => {
  let text = "";
  const stream: Writable & { isTTY?: boolean; columns?: number } = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  stream.isTTY = isTTY;
  return { stream, text: () => text };
};

afterEach(() => void vi.useRealTimers());

type Spun = Partial<SpinnerOptions> & { readonly isTTY: boolean; readonly ms: number; readonly columns?: number };

/** Works for this long, by a clock that the test moves. */
const spin = async (
  { isTTY, ms, columns = 80, ...more }: Spun,
  work?: (tell: TellProgress) => Promise<void>,
): Promise<string> => {
  vi.useFakeTimers();
  const { stream, text } = createStream(isTTY);
  stream.columns = columns;
  const done = Promise.withResolvers<void>();
  const spinning = withSpinner("reading documents", { stderr: createSideOutput(stream), env: {}, ...more }, async (tell) => {
    await (work ? work(tell) : done.promise);
    return "done";
  });
  await vi.advanceTimersByTimeAsync(ms);
  done.resolve();
  expect(await spinning).toBe("done");
  return text();
};

describe("on a terminal", () => {
  test("a sign turns while the work lasts, and leaves no trace", async () => {
    const text = await spin({ isTTY: true, ms: 1000 });
    expect(new Set(text.match(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] reading documents/gu)).size).toBeGreaterThan(5);
    expect(text.endsWith("\r\u001B[K")).toBe(true);
    expect(text).not.toContain("\n");
  });

  test("what is done soon shows nothing; what would hold up the process shows a sign before", async () => {
    expect(await spin({ isTTY: true, ms: 200 })).toBe("");
    expect(await spin({ isTTY: true, ms: 0, atOnce: true })).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] reading documents/u);
  });

  test("how far it is takes the place of what it is, in one row however long it is", async () => {
    const text = await spin({ isTTY: true, ms: 5000, columns: 24 }, async (tell) => {
      for (let done = 1; done <= 9; done += 1) {
        tell(`reading documents: ${done} of 9, and more words`);
        await new Promise((resolve) => void setTimeout(resolve, 500));
      }
    });
    expect(text).toContain("reading documents: 3");
    for (const row of text.split("\r\u001B[K")) expect(row.length).toBeLessThan(24);
  });

  test("goes away where the work fails", async () => {
    const { stream, text } = createStream(true);
    const failing = withSpinner("reading", { stderr: createSideOutput(stream), env: {}, atOnce: true }, async () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(text().endsWith("\r\u001B[K")).toBe(true);
  });
});

describe("without a terminal that can redraw", () => {
  test.each([
    ["in a pipe", { isTTY: false }],
    ["on a dumb terminal", { isTTY: true, env: { TERM: "dumb" } }],
    ["in plain mode", { isTTY: true, env: { RETINUE_PLAIN: "1" } }],
  ])("%s long work tells lines now and then, short work none", async (_where, options) => {
    expect(await spin({ ...options, ms: 4000 })).toBe("");
    expect(await spin({ ...options, ms: 12_000 })).toBe("retinue: reading documents\n".repeat(2));
  });
});

test("with JSON or quiet nothing is told", async () => {
  expect(await spin({ isTTY: true, ms: 20_000, isSilent: true, atOnce: true })).toBe("");
  expect(await spin({ isTTY: false, ms: 20_000, isSilent: true })).toBe("");
});
