/** Nothing happens in the world before the log knows of it, and nothing is told as done before it is recorded, on a log that takes its time. */
import { createScriptedModel } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { runTest } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

/** A tool that notes which events were recorded when it was called. */
const createWitness = (effect: "read" | "write") => {
  const recorded: RetinueEvent["type"][] = [];
  const seen: (readonly RetinueEvent["type"][])[] = [];
  const witness = defineTool({
    name: "witness",
    description: "Looks at the record.",
    input: z.object({}),
    effect,
    execute: () => {
      seen.push([...recorded]);
      return "seen";
    },
  });
  return { witness, seen, onEvent: (event: RetinueEvent) => void recorded.push(event.type) };
};

const callsWitness = () =>
  createScriptedModel([{ toolCalls: [{ tool: "witness", input: {}, callId: "c1" }] }, { text: "Done." }]);

test("an act is recorded as begun before it is begun", async () => {
  const { witness, seen, onEvent } = createWitness("write");
  await runTest({ models: [callsWitness()], tools: [witness], slowLog: true, onEvent });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain("tool.started");
});

test("an act that was asked about is recorded as begun before it is begun", async () => {
  const { witness, seen, onEvent } = createWitness("write");
  const approve = () => Promise.resolve({ allowed: true });
  await runTest({ models: [callsWitness()], tools: [witness], approveMode: "ask", approve, slowLog: true, onEvent });
  expect(seen).toHaveLength(1);
  expect(seen[0]?.slice(-2)).toEqual(["approval.answered", "tool.started"]);
});

test("a model is asked when the request is recorded", async () => {
  const recorded: string[] = [];
  let known: readonly string[] = [];
  const model = createScriptedModel([{ expect: () => void (known = [...recorded]), text: "Done." }]);
  await runTest({ models: [model], slowLog: true, onEvent: ({ type }) => void recorded.push(type) });
  expect(known).toEqual(["run.started", "model.requested"]);
});

test("a run that has ended, or has parked, is recorded as such when that is told", async () => {
  const ended = await runTest({ models: [createScriptedModel([{ text: "Done." }])], slowLog: true });
  expect(ended.log.at(-1)?.type).toBe("run.settled");
  const { witness } = createWitness("write");
  const parked = await runTest({ models: [callsWitness()], tools: [witness], approveMode: "ask", park: true, slowLog: true });
  expect([parked.driven.type, parked.log.at(-1)?.type]).toEqual(["parked", "run.parked"]);
});

test("what stands after a call that cancelled the run is not begun", async () => {
  const stop = new AbortController();
  let later = 0;
  const stopper = defineTool({
    name: "stopper",
    description: "Cancels the run.",
    input: z.object({}),
    effect: "write",
    execute: () => {
      stop.abort();
      return "stopped";
    },
  });
  const after = defineTool({
    name: "after",
    description: "Comes too late.",
    input: z.object({}),
    effect: "write",
    execute: () => {
      later += 1;
      return "done";
    },
  });
  const model = createScriptedModel([
    {
      toolCalls: [
        { tool: "stopper", input: {}, callId: "c1" },
        { tool: "after", input: {}, callId: "c2" },
      ],
    },
  ]);
  const { result } = await runTest({ models: [model], tools: [stopper, after], signal: stop.signal });
  expect([result.status, later]).toEqual(["cancelled", 0]);
});

test("a call that a human refused is spent nowhere", async () => {
  const { witness, seen } = createWitness("write");
  const approve = () => Promise.resolve({ allowed: false });
  const { result } = await runTest({ models: [callsWitness()], tools: [witness], approveMode: "ask", approve });
  expect(seen).toEqual([]);
  expect([result.toolCalls, result.total?.toolCalls]).toEqual([0, 0]);
});
