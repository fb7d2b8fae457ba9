import type { ScriptedTurn } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/runtime";
import { expect, test } from "vitest";
import { childRunId } from "./index.ts";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";

const agents = [testAgent("a", { delegates: ["b"], grant: "session" }), testAgent("b", { tools: ["echo"] })];

test.each(["the process that drives it", "another process"])(
  "what is said to a run that is handing its conversation over is heard by whoever has it, from %s",
  async (from) => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const script = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b" || request.system.includes("You are b.")) {
        asked.resolve();
        return answered < 2
          ? { toolCalls: [{ tool: "echo", input: { text: `${answered}` }, callId: `e${answered}` }], before: () => gate.promise }
          : { text: "b has answered." };
      }
      return { toolCalls: [delegateTo("b", "it", { transfer: true })] };
    };
    const driving = createTestEngine({ agents, script });
    const { sessionId, runId, result } = await driving.start("go");
    await asked.promise;
    const other = createTestEngine({ agents, script, log: driving.log });
    await (from === "another process" ? other : driving).engine.send(runId, "Be quick.");
    gate.resolve();
    expect(await result).toMatchObject({ status: "completed" });
    const said = driving.log.read(sessionId).filter(({ type }) => type === "message.received");
    expect(said.map((event) => event.runId)).toEqual([childRunId(runId, "to-b-it")]);
  },
);
