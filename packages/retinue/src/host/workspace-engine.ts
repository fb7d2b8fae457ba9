/** The engine of one workspace: it has the workspace's tools, agents, secrets and rules, and writes to the host's record. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Engine } from "@retinue/engine";
import { createEmbeddedEngine } from "@retinue/engine";
import type { Guardrails } from "@retinue/protocol";
import type { PlanSettings, SandboxObstacle } from "@retinue/runtime";
import { combineHooks, createJudge, waitOutage } from "@retinue/runtime";
import { createGitWorktrees, digestFile, digestTree, isUnsandboxedAllowed, probeSandbox } from "@retinue/confine";
import type { EventLog } from "@retinue/store";
import { readStanding, runShellLine, toCodeIndexes } from "@retinue/tools";
import { codeOptions, toNetworkOptions } from "../assemble-tools.ts";
import type { ClaudeHooks } from "../hooks/claude-hooks.ts";
import { createClaudeHooks } from "../hooks/claude-hooks.ts";
import { createCommandHooks } from "../hooks/command-hooks.ts";
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

export type EngineParts = {
  readonly log: EventLog;
  readonly options: WorkspaceOptions;
  /** Hooks of Claude Code's settings. */
  readonly claudeHooks: ClaudeHooks;
};

export const toClaudeHooks = ({ folder, root, env, settings, agents, readOnly, permissions }: LoadedWorkspace): ClaudeHooks =>
  createClaudeHooks(permissions.hooks, {
    workspace: folder,
    root,
    env,
    network: toNetworkOptions(settings),
    unprotected: settings.unprotected,
    bound: readOnly,
    isAgent: (tool) => agents.has(tool),
  });

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
    readOnly,
    permissions: { preapproved },
    preapproving,
    model,
    resolve,
    versions,
  }: LoadedWorkspace,
  { log, options, claudeHooks }: EngineParts,
): Engine => {
  const { unprotected, allowUnsandboxed } = settings;
  const network = toNetworkOptions(settings);
  const commandHooks = createCommandHooks(settings.hooks, { workspace: folder, env, network, unprotected, bound: readOnly });
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
      judge: createJudge({
        digest: digestFile,
        digestTree,
        sandboxObstacle,
        allowUnsandboxed,
        unprotected,
        bound,
        isImported: instructions.isImported,
        preapproved,
        skills: preapproving,
      }),
      shell: (command, spec, signal, act) =>
        runShellLine({
          command,
          workspace: spec.workspace,
          scope: spec.grant,
          signal,
          unprotected,
          bound: readOnly,
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
        bound: readOnly,
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
      [commandHooks.hooks, claudeHooks.hooks, options.hooks, instructions.hooksFor(agents)].filter(
        (hooks) => hooks !== undefined,
      ),
    ),
    guardrails: withGuardrail(options.guardrails, claudeHooks.guardrail),
    observer: commandHooks.observer,
    source,
    onProblem,
  });
  return { ...engine, close: () => closeAll([engine.close, commandHooks.settled]) };
};

const withGuardrail = (given: Guardrails | undefined, input: ClaudeHooks["guardrail"]): Guardrails | undefined =>
  input ? { ...given, input: [...(given?.input ?? []), input] } : given;

export const toPlanSettings = ({ plan, agent }: Pick<Settings, "plan" | "agent">): PlanSettings => ({
  ...plan,
  maxConcurrent: plan.maxConcurrent ?? agent.maxConcurrent,
});

/** What stands against a sandbox for commands now. */
const sandboxObstacle = async (): Promise<SandboxObstacle | undefined> => {
  const sandbox = await probeSandbox();
  return sandbox.backend === "none" ? sandbox : undefined;
};
