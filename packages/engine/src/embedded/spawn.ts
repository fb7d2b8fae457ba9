/** Runs that code, and not a model, starts below another: by the host, by a tool of a user's own, or to verify a result. */
import type { CallId, RunResult, RunSpec } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ChildRun } from "@retinue/runtime";
import { createSpec, openWorkingDirectory, requireTools, withFilesIn } from "@retinue/runtime";
import type { Spawned } from "../contract.ts";
import type { ActiveRun } from "./active-run.ts";
import { spawnCallId } from "./active-run.ts";
import { placeBelow, startChild } from "./children.ts";
import { currentCall } from "./current-run.ts";
import type { Ground } from "./ground.ts";
import { openDirectory } from "./open-directory.ts";

/** The call that the run is the body of, where it is found again by that; and how its last message must end. */
type Found = { readonly callId?: CallId; readonly ending?: RunSpec["ending"] };

export const spawnBelow = async (
  ground: Ground,
  parent: ActiveRun,
  spawned: Spawned & Found,
  signal: AbortSignal,
): Promise<RunResult> => {
  const { agent: defined, task, limits, tools, isolation = defined.isolation, model, approve, callId: given, ending } = spawned;
  const agent = model === undefined ? defined : { ...defined, model };
  const { spec, identity } = parent.state;
  if (identity.depth + 1 > spec.grant.maxDepth)
    throw new RetinueError(
      "depth_exceeded",
      `This run is at depth ${identity.depth}, and ${spec.grant.maxDepth} is the deepest.`,
    );
  const callId = given ?? spawnCallId(parent, currentCall(), agent.name, task);
  const place = isolation === "worktree" ? await placeBelow(ground, parent, callId) : undefined;
  const directory = await openWorkingDirectory({
    agent,
    isolation,
    named: spawned.workingDirectory,
    open: (named) => openDirectory(ground.ports, named, spec.workspace),
  });
  const specWith = (asked: readonly string[] | undefined): RunSpec =>
    createSpec({
      agent,
      agents: ground.options.agents,
      grant: spec.grant,
      model: ground.options.model,
      workspace: place?.workspace ?? spec.workspace,
      directory,
      worktree: place?.worktree,
      depth: identity.depth + 1,
      assignment: { parentAgent: identity.agent, task },
      treeModel: spec.treeModel,
      summaryModel: spec.summaryModel,
      request: { limits, tools: asked, approve },
      ending,
    });
  const own = specWith(tools);
  // Parts of a plan are asked for words alone.
  if (given === undefined) requireTools(agent, tools, { left: own.tools, all: () => specWith(undefined).tools });
  const child: ChildRun = { callId, agent: agent.name, task, background: false, spec: own };
  const result = await startChild(ground, parent, child, AbortSignal.any([signal, parent.stop.signal]));
  if ("inBackground" in result) throw new RetinueError("internal", "a run in the foreground went to the background");
  return withFilesIn(directory, result);
};
