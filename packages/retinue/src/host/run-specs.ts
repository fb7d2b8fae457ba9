/** What main runs of a workspace may be and do: specs for new ones, and what one that is resumed may have at most. */
import type { Engine } from "@retinue/engine";
import type { Grant, Limits, RunSpec } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { GrantedNow } from "@retinue/runtime";
import { createSpec, resolveToolName, stricter, withinBoth } from "@retinue/runtime";
import { describeFigures } from "../figures.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import type { Shared } from "./shared.ts";
import type { RunOptions } from "./workspace.ts";

export type RunSpecs = {
  /** What a run at depth 0 is frozen to; `above` is the run whose conversation was handed to it, and whose rights and budget it stays within. A model that nobody configured is told before the run is admitted. */
  readonly specOf: (agent: AgentDefinition, run: RunOptions, above?: RunSpec) => Promise<RunSpec>;
  readonly grantedNow: (run: Pick<RunOptions, "approve" | "limits">) => Omit<GrantedNow, "isImported">;
};

export const createRunSpecs = (
  { store, isOnTape }: Shared,
  { folder, settings, tools, agents, applied, maxDepth, model, permissions, base, resolve }: LoadedWorkspace,
  { placeWorktree }: Pick<Engine, "placeWorktree">,
): RunSpecs => {
  const summaryModel = settings.models["cheap"] === undefined ? undefined : "cheap";

  /** Told on request only, and never on tape: what is asked would differ from one recording to the next. */
  const figuresFor = async ({ delegates }: AgentDefinition): Promise<string | undefined> =>
    settings.agent.statsInPrompt && !isOnTape
      ? describeFigures(await store.readSide.stats({ by: "agent" }), delegates)
      : undefined;

  const grantOf = (run: Pick<RunOptions, "approve">): Grant => ({
    tools: [...tools.keys()],
    writes: [],
    hosts: [],
    ...(permissions.rules.length === 0 ? {} : { rules: permissions.rules }),
    ...(base === "" ? {} : { base }),
    approve: run.approve ?? settings.approve,
    maxDepth,
  });

  return {
    specOf: async (agent, run, above) => {
      const place = (run.isolation ?? agent.isolation) === "worktree" ? await placeWorktree(folder) : undefined;
      // A person's call stands above the settings, and those above the agent's file.
      const limits = { ...agent.limits, ...settings.limits, ...applied.get(agent.name)?.set.limits, ...run.limits };
      const spec = createSpec({
        agent: { ...agent, limits, ...(run.model === undefined ? {} : { model: run.model }) },
        agents,
        grant: above === undefined ? grantOf(run) : withinBoth(grantOf(run), above.grant),
        model,
        workspace: place?.workspace ?? folder,
        worktree: place?.worktree,
        depth: 0,
        request: {
          limits: stricter({ ...settings.ceilings, ...settings.limits, ...run.limits }, budgetOf(above)),
          tools: run.tools?.map(resolveToolName),
        },
        summaryModel,
        figures: await figuresFor(agent),
      });
      await resolve(spec.model);
      return run.compact === true ? { ...spec, compact: true } : spec;
    },
    grantedNow: (run) => ({
      grant: grantOf(run),
      limits: stricter({ ...settings.ceilings, ...settings.limits }, run.limits ?? {}),
      agents,
      workspace: folder,
    }),
  };
};

/** What a run may use together with everything below it. */
const budgetOf = (above: RunSpec | undefined): Limits => {
  if (above === undefined) return {};
  const { tokens, costUsd, durationMs } = above.limits;
  return stricter(above.treeLimits, { tokens, costUsd, durationMs });
};
