/** What main runs of a workspace may be and do: specs for new ones, and what one that is resumed may have at most. */
import { CALL_MODEL } from "@retinue/protocol";
import type { Engine } from "@retinue/engine";
import type { ApproveMode, Grant, Limits, RunSpec } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { GrantedNow } from "@retinue/runtime";
import {
  createSpec,
  DELEGATE,
  openWorkingDirectory,
  requireTools,
  resolveToolName,
  stricter,
  withinBoth,
  withReachableCalls,
} from "@retinue/runtime";
import { matchesAny } from "@retinue/protocol/names";
import { describeFigures } from "../figures.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import { createOpenDirectory } from "./open-directory.ts";
import type { Shared } from "./shared.ts";
import type { RunOptions } from "./workspace.ts";

export type RunSpecs = {
  /** What a run at depth 0 is frozen to; `above` is the run whose conversation was handed to it, and whose rights and budget it stays within. A model that nobody configured is told before the run is admitted. */
  readonly specOf: (agent: AgentDefinition, run: RunOptions, above?: RunSpec) => Promise<RunSpec>;
  /** The mode that somebody has set; undefined where only the default holds, which narrows no run that was begun here with another. */
  readonly approveSet: ApproveMode | undefined;
  readonly grantedNow: (run: Pick<RunOptions, "approve" | "limits">) => Omit<GrantedNow, "isImported">;
};

export const createRunSpecs = (
  { store, isOnTape }: Shared,
  { folder, settings, tools, registry, maxDepth, model, permissions, base, resolve }: LoadedWorkspace,
  { placeWorktree }: Pick<Engine, "placeWorktree">,
): RunSpecs => {
  const openDirectory = createOpenDirectory(settings);
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
      const isolation = run.isolation ?? agent.isolation;
      const directory = await openWorkingDirectory({
        agent,
        isolation,
        named: run.workingDirectory,
        open: (named) => openDirectory(named, folder),
      });
      const place = isolation === "worktree" ? await placeWorktree(folder) : undefined;
      // A person's call stands above the settings, and those above the agent's file.
      const set = { ...settings.limits, ...registry.applied().get(agent.name)?.set.limits, ...run.limits };
      const limits = withReachableCalls({ ...agent.limits, ...set }, set);
      const figures = await figuresFor(agent);
      const specWith = (asked: readonly string[] | undefined): RunSpec =>
        createSpec({
          agent: { ...agent, limits, ...(run.model === undefined ? {} : { model: run.model }) },
          agents: registry.agents(),
          grant: above === undefined ? grantOf(run) : withinBoth(grantOf(run), above.grant),
          model,
          workspace: place?.workspace ?? folder,
          directory,
          worktree: place?.worktree,
          depth: 0,
          request: {
            limits: stricter({ ...settings.ceilings, ...settings.limits, ...run.limits }, budgetOf(above)),
            tools: asked,
          },
          // A run below another keeps what was chosen for the tree. What only makes our own calls was chosen by nobody.
          treeModel: run.model === CALL_MODEL ? undefined : (run.model ?? above?.treeModel),
          summaryModel,
          figures,
        });
      const listed = run.tools?.map(resolveToolName);
      const spec = specWith(listed);
      if (!isLeftDelegating(spec, listed ?? []))
        requireTools(agent, listed, { left: spec.tools, all: () => specWith(undefined).tools });
      await resolve(spec.model);
      return run.compact === true ? { ...spec, compact: true } : spec;
    },
    approveSet: settings.isApproveDefault === true ? undefined : settings.approve,
    grantedNow: (run) => ({
      grant: grantOf(run),
      limits: stricter({ ...settings.ceilings, ...settings.limits }, run.limits ?? {}),
      agents: registry.agents(),
      workspace: folder,
    }),
  };
};

/** Whoever lists the tool for it, or an agent, wants the run to delegate. */
const isLeftDelegating = ({ delegates }: RunSpec, listed: readonly string[]): boolean =>
  delegates.length > 0 && [DELEGATE, ...delegates].some((name) => matchesAny(listed, name));

/** What a run may use together with everything below it. */
const budgetOf = (above: RunSpec | undefined): Limits => {
  if (above === undefined) return {};
  const { tokens, costUsd, durationMs } = above.limits;
  return stricter(above.treeLimits, { tokens, costUsd, durationMs });
};
