/**
 * The default engine: runs live in this process, as long as they have work to do. What waits is in the log, and so is everything that is said to a run,
 * so that any process can answer, and any process can drive the run on.
 */
import { RetinueError } from "@retinue/protocol";
import { LeftOpen, refuseSlowPatterns } from "@retinue/runtime";
import type { Engine, EngineOptions } from "./contract.ts";
import { createAcceptPorts } from "./embedded/acceptance.ts";
import { childRunId } from "./embedded/active-run.ts";
import { findBackground, stopBelow, wakeBackground } from "./embedded/children.ts";
import { forgetExpiries } from "./embedded/expiries.ts";
import { createGround, leaveTree } from "./embedded/ground.ts";
import { createInputs } from "./embedded/inputs.ts";
import { createQueue } from "./embedded/queued-turns.ts";
import { toolsOf } from "./embedded/run-tools.ts";
import { spawnBelow } from "./embedded/spawn.ts";
import { createRunStarter } from "./embedded/start-run.ts";
import { followSession } from "./follow-session.ts";

export { childRunId };

export const createEmbeddedEngine = (options: EngineOptions): Engine => {
  for (const { input, output } of options.agents.values())
    for (const schema of [input, output]) if (schema) refuseSlowPatterns(schema);
  const ground = createGround(options, {
    toolsOf,
    acceptPorts: createAcceptPorts,
    findBackground,
    wakeBackground,
    stopBelow,
  });
  const inputs = createInputs(ground);
  const { start, resume, heldBy, letGo } = createRunStarter(ground, inputs);
  const { active, worktreeRuns, log } = ground;
  const leaveFloor = ground.floor.join(active, ground.sessions);
  return {
    start,
    resume,
    heldBy,
    ...inputs,
    ...createQueue(ground),
    spawnBelow: async (parentId, spawned, signal) => {
      const parent = active.get(parentId);
      if (!parent) throw new RetinueError("run_unknown", `No run ${parentId} is at work here.`);
      return spawnBelow(ground, parent, spawned, signal);
    },
    placeWorktree: (workspace) => worktreeRuns.place(workspace, options.createId(), new AbortController().signal),
    toolsFor: (state) => toolsOf(ground, state),
    approvals: async (sessionId) => log.approvals(sessionId === undefined ? {} : { sessionId }),
    follow: (sessionId, how) => followSession({ log, floor: ground.floor }, sessionId, how),
    purse: (runId) => active.get(runId)?.purse,
    close: async () => {
      letGo(new LeftOpen("Retinue was closed while the run waited."));
      const roots = [...active.values()].filter(({ parent }) => parent === null);
      for (const { tree } of roots) leaveTree(ground, tree, new LeftOpen("Retinue was closed while the run was at work."));
      await Promise.allSettled(roots.map(({ driven }) => driven));
      for (const runId of ground.expiries.keys()) forgetExpiries(ground, runId);
      await ground.sessionShelves.close();
      leaveFloor();
    },
  };
};
