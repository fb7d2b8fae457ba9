import type { RecordedEvent, RetinueEvent } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { createFollower } from "./follower.ts";

const recorded = (seq: number): RecordedEvent => ({
  sessionId: "ses_1",
  runId: "run_1",
  parentRunId: null,
  depth: 0,
  agent: "main",
  at: "",
  seq,
  type: "run.started",
  epoch: 1,
  resumed: false,
});
const live = (seq: number): RetinueEvent => ({ ...recorded(seq), type: "tool.progress", callId: "c", text: "" });

const seqs = async (events: AsyncIterable<RetinueEvent>): Promise<string[]> => {
  const all: string[] = [];
  for await (const event of events) all.push(`${event.seq}${event.type === "tool.progress" ? "~" : ""}`);
  return all;
};

describe("a follower", () => {
  test("shows recorded events in their order, in whatever order they arrive, each once", async () => {
    const follower = createFollower(0, () => []);
    for (const event of [recorded(2), recorded(1), live(1), recorded(4), recorded(3), recorded(3), recorded(5)])
      follower.push(event);
    follower.end();
    expect(await seqs(follower.events())).toEqual(["1", "2", "1~", "3", "4", "5"]);
  });

  test("reads from the log what never arrives", async () => {
    const log = [1, 2, 3].map(recorded);
    const follower = createFollower(0, (seq) => log.slice(seq));
    follower.push(recorded(1));
    follower.push(recorded(3));
    follower.end();
    expect(await seqs(follower.events())).toEqual(["1", "2", "3"]);
  });

  test("that falls behind goes on from the log, without loss or repeat", async () => {
    const log = Array.from({ length: 10_000 }, (_, index) => recorded(index + 1));
    const follower = createFollower(0, (seq) => log.slice(seq));
    for (const event of log) {
      follower.push(event);
      follower.push(live(event.seq));
    }
    follower.end();
    const shown = await seqs(follower.events());
    expect(shown.filter((one) => !one.endsWith("~"))).toEqual(log.map(({ seq }) => String(seq)));
  });

  test.each(["told of by the log", "pushed"])("misses nothing that is %s while it reads", async (how) => {
    const log = [recorded(1)];
    const follower = createFollower(0, async (seq) => {
      const read = log.slice(seq);
      // What is appended now is not in what was read.
      if (log.length === 1) {
        log.push(recorded(2), recorded(3));
        if (how === "pushed") for (const event of log.slice(1)) follower.push(event);
        else follower.readAgain();
      }
      await Promise.resolve();
      return read;
    });
    follower.readAgain();
    const events = follower.events();
    const shown: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const next = await Promise.race([events.next(), new Promise<undefined>((resolve) => setTimeout(resolve, 200, undefined))]);
      if (next?.done === false) shown.push(next.value.seq);
    }
    expect(shown).toEqual([1, 2, 3]);
  });
});
