/** The engine of one workspace: it has the workspace's tools, agents, secrets and rules, and writes to the host's record. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Engine } from "@retinue/engine";
import { createEmbeddedEngine } from "@retinue/engine";
import type { PlanSettings, SandboxObstacle } from "@retinue/runtime";
import { combineHooks, createJudge, waitOutage } from "@retinue/runtime";
import { createGitWorktrees, digestFile, digestTree, isUnsandboxedAllowed, probeSandbox } from "@retinue/confine";
import type { EventLog } from "@retinue/store";
import { readStanding, runShellLine, toCodeIndexes } from "@retinue/tools";
import { codeOptions, toNetworkOptions } from "../assemble-tools.ts";
import { createCommandHooks } from "../command-hooks.ts";
import { createId } from "../create-id.ts";
import { createRedactor } from "../secrets/create-redactor.ts";
import { realPath, systemClock } from "../system-ports.ts";
import { withAskUser } from "./ask-user-approver.ts";
import { closeAll } from "./close-all.ts";
import type { Settings } from "../settings/settings.ts";
import { createOpenDirectory } from "./open-directory.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import type { Shared } from "./shared.ts";
import type { WorkspaceOptions } from "./workspace.ts";

export const createWorkspaceEngine = (
  { home, floor, approver, source, onProblem }: Shared,
  {
    folder,
    env,
    settings,
    tools,
    agents,
    instructions,
    secrets,
    bound,
    permissions: { preapproved },
    model,
    resolve,
    versions,
  }: LoadedWorkspace,
  { log, options }: { readonly log: EventLog; readonly options: WorkspaceOptions },
): Engine => {
  const { unprotected, allowUnsandboxed } = settings;
  const network = toNetworkOptions(settings);
  const commandHooks = createCommandHooks(settings.hooks, { workspace: folder, env, network, unprotected, bound });
  const engine = createEmbeddedEngine({
    log,
    floor,
    createId,
    ports: {
      model: resolve,
      tool: (name) => tools.get(name),
      clock: systemClock,
      outage: waitOutage(settings.retry.unreachableMs),
      realPath,
      judge: createJudge({ digest: digestFile, digestTree, sandboxObstacle, allowUnsandboxed, unprotected, bound, preapproved }),
      shell: (command, spec, signal, act) =>
        runShellLine({
          command,
          workspace: spec.workspace,
          scope: spec.grant,
          signal,
          unprotected,
          bound,
          allowUnsandboxed: isUnsandboxedAllowed(settings, act),
          network,
        }),
      openDirectory: createOpenDirectory({ unprotected }),
      readFile: (file, from) => readFile(path.resolve(from, file), "utf8"),
      worktrees: createGitWorktrees({
        folder: path.join(home, "worktrees"),
        // Nobody can be asked about these calls of git; so they need a sandbox, or a user who wants to be asked about nothing.
        allowUnsandboxed,
        allowsAbsent: settings.approve === "all",
        environment: env,
        unprotected,
        bound,
        // So that /undo takes back what a merge has changed.
        beforeMerge: async ({ runId, root, file, ...change }) => {
          const before = await readStanding(path.join(root, file));
          const sessionId = await log.sessionOf(runId);
          if (before !== undefined && sessionId !== undefined)
            await versions.keep({ run: { sessionId, runId }, workspace: root, file, before, ...change });
        },
        onRemove: (removed) => toCodeIndexes(codeOptions(home)).forget(removed),
      }),
      ...(secrets.length === 0 ? {} : { redactor: createRedactor(secrets) }),
    },
    agents,
    model,
    maxConcurrent: settings.agent.maxConcurrent,
    maxChildren: settings.agent.maxChildren,
    resultTokens: settings.agent.resultTokens,
    plan: toPlanSettings(settings),
    approver: withAskUser({
      askUser: options.askUser,
      approver: options.approver ?? approver,
      unattended: settings.approvals.unattended,
    }),
    unattended: settings.approvals.unattended,
    approvalExpiresMs: settings.approvals.expiresMs,
    hooks: combineHooks(
      [commandHooks.hooks, options.hooks, instructions.hooksFor(agents)].filter((hooks) => hooks !== undefined),
    ),
    guardrails: options.guardrails,
    observer: commandHooks.observer,
    source,
    onProblem,
  });
  return { ...engine, close: () => closeAll([engine.close, commandHooks.settled]) };
};

export const toPlanSettings = ({ plan, agent }: Pick<Settings, "plan" | "agent">): PlanSettings => ({
  ...plan,
  maxConcurrent: plan.maxConcurrent ?? agent.maxConcurrent,
});

/** What stands against a sandbox for commands now. */
const sandboxObstacle = async (): Promise<SandboxObstacle | undefined> => {
  const sandbox = await probeSandbox();
  return sandbox.backend === "none" ? sandbox : undefined;
};
