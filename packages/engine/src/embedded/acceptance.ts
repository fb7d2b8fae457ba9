/** What must accept a run's result, as the loop is given it: the host's shell as a tool that policy judges, and agents as runs below. */
import type { AcceptPorts, AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import type { ActiveRun } from "./active-run.ts";
import type { Ground } from "./ground.ts";
import { spawnBelow } from "./spawn.ts";

export const createAcceptPorts = (ground: Ground, run: ActiveRun): AcceptPorts => {
  if (!run.state.spec.accept) return {};
  const command = createCommandTool(ground, run);
  return {
    ...(command === undefined ? {} : { command }),
    verify: async ({ callId, agent: name, task }, signal) => {
      const agent = ground.options.agents.get(name);
      if (!agent) throw new RetinueError("agent_unknown", `There is no agent "${name}".`);
      return spawnBelow(ground, run, { agent, task, limits: {}, tools: undefined, callId }, signal);
    },
  };
};

/** Policy judges it as it judges the shell. */
const createCommandTool = ({ ports }: Ground, { state }: ActiveRun): AnyTool | undefined => {
  const { shell } = ports;
  const policy = ports.tool("shell");
  if (!shell || !policy) return undefined;
  return defineTool({
    name: policy.name,
    description: policy.description,
    input: z.object({ command: z.string() }),
    effect: policy.effect,
    repeatable: true,
    timeoutMs: Infinity,
    touches: ({ command }) => policy.touches({ command }),
    execute: async ({ command }, { signal, act }) => {
      const { ok, output } = await shell(command, state.spec, signal, act);
      return { content: [{ type: "text", text: output }], isError: !ok };
    },
  });
};
