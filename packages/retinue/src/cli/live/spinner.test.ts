import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSideOutput } from "../output.ts";
import { withSpinner } from "./spinner.ts";

const createStream = (isTTY: boolean): { readonly stream: Writable & { isTTY?: boolean }; readonly text: () => string } => {
  let text = "";
  const stream: Writable & { isTTY?: boolean } = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  stream.isTTY = isTTY;
  return { stream, text: () => text };
};

/** Works until something is seen, or until it is clear that nothing will be. */
const spin = async (isTTY: boolean, env: NodeJS.ProcessEnv): Promise<string> => {
  const { stream, text } = createStream(isTTY);
  const seen = await withSpinner("reading documents", { stderr: createSideOutput(stream), env }, async () => {
    for (let waited = 0; waited < 40 && !text().includes("reading documents"); waited += 1) await sleep(50);
    return "done";
  });
  expect(seen).toBe("done");
  return text();
};

test("turns on a terminal while the work lasts, and leaves no trace", async () => {
  const text = await spin(true, {});
  expect(text).toContain("⠋ reading documents");
  expect(text.endsWith("\r\u001B[K")).toBe(true);
});

test("is silent where nobody would see it turn", async () => {
  expect(await spin(false, {})).toBe("");
  expect(await spin(true, { TERM: "dumb" })).toBe("");
});

test("goes away where the work fails", async () => {
  const { stream, text } = createStream(true);
  const failing = withSpinner("reading", { stderr: createSideOutput(stream), env: {} }, async () => {
    while (!text().includes("reading")) await sleep(20);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(text().endsWith("\r\u001B[K")).toBe(true);
});
