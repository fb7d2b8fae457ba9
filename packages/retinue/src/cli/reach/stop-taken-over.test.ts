import { Readable, Writable } from "node:stream";
import { RetinueError } from "@retinue/protocol";
import { expect, test } from "vitest";
import { createSurroundings } from "../surroundings.ts";
import type { Ending } from "./stop-command.ts";
import { tellEnd } from "./stop-command.ts";

const found = { session: { sessionId: "ses_1" }, run: { runId: "run_1", agent: "main" } } as unknown as Ending["found"];

/** What is printed where driving the run on ends with this error. */
const printed = async (code: "session_running" | "lease_lost" | "store_full", json: boolean): Promise<string> => {
  let text = "";
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const surroundings = createSurroundings({ stdin: Readable.from([]), stdout, stderr: new Writable(), env: {} });
  const resume = (): Promise<never> => Promise.reject(new RetinueError(code, "Not here."));
  expect(await tellEnd({ found, json, resume }, surroundings)).toBe(0);
  return text;
};

test.each(["session_running", "lease_lost"] as const)(
  "a run that another process takes up while it is stopped (%s) is stopped by that one, and the command says so",
  async (code) => {
    expect(await printed(code, false)).toBe("run_1 (main) is being stopped by another process\n");
    expect(JSON.parse(await printed(code, true))).toEqual({
      sessionId: "ses_1",
      runId: "run_1",
      driver: "another process",
      result: null,
    });
  },
);

test("any other error of the one that stops it is told as it is", async () => {
  await expect(printed("store_full", false)).rejects.toMatchObject({ code: "store_full" });
});
