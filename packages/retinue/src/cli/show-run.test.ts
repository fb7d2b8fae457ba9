import type { RetinueEvent } from "@retinue/protocol";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { followText } from "./show-run.ts";
import { createSurroundings } from "./surroundings.ts";

const envelope = { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main", seq: 1, at: "" } as const;

const requested = (step: number): RetinueEvent => ({
  ...envelope,
  type: "model.requested",
  step,
  model: "m/x",
  estimatedTokens: 1,
  digest: { system: "s", tools: "t", messages: "m" },
  handIn: false,
});

const delta = (step: number, text: string): RetinueEvent => ({ ...envelope, type: "model.delta", step, kind: "text", text });

const started = (tool: string): RetinueEvent => ({
  ...envelope,
  type: "tool.started",
  callId: "c",
  tool,
  input: {},
  effect: "read",
  repeatable: true,
});

const EVENTS: readonly RetinueEvent[] = [
  requested(1),
  delta(1, "Looking"),
  started("ls"),
  started("grep"),
  requested(2),
  started("read"),
  delta(2, "Found "),
  delta(2, "it."),
];

/** What stands on the screen, or in the two pipes one after the other as they were written to. */
const follow = async (isTTY: boolean): Promise<string> => {
  let screen = "";
  const sink = (): Writable & { isTTY: boolean; columns: number } =>
    Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          screen += chunk.toString();
          done();
        },
      }),
      { isTTY, columns: 80 },
    );
  const run = { runId: envelope.runId, [Symbol.asyncIterator]: () => EVENTS.values() };
  await followText(
    run as unknown as Parameters<typeof followText>[0], // Events that are there already do as well.
    createSurroundings({ stdout: sink(), stderr: sink(), env: {} }),
  );
  return screen;
};

test("on a terminal what is told beside begins a line of its own, and leaves no empty ones", async () => {
  expect(await follow(true)).toBe("Looking\nmain: ls\nmain: grep\nmain: read\nFound it.\n");
});

test("in pipes the words are as they came", async () => {
  expect(await follow(false)).toBe("Lookingmain: ls\nmain: grep\n\nmain: read\nFound it.\n");
});
