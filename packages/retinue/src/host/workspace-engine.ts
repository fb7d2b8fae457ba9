/** The engine of one workspace: it has the workspace's tools, agents, secrets and rules, and writes to the host's record. */
import path from "node:path";
import type { Engine } from "@retinue/engine";
import { createEmbeddedEngine } from "@retinue/engine";
import type { Guardrails } from "@retinue/protocol";
import type { Outage, OutageDecision, PlanSettings, SandboxObstacle } from "@retinue/runtime";
import { combineHooks, createJudge, waitOutage } from "@retinue/runtime";
import {
  createGitWorktrees,
  createSecretCheck,
  digestFile,
  digestTree,
  holdsRoles,
  findTreeChanges,
  isPrivate,
  isUnsandboxedAllowed,
  probeSandbox,
  readContextFile,
  readScript,
} from "@retinue/confine";
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

/** More than a delegation puts into a prompt. */
const MOST_CONTEXT_BYTES = 64 * 1024;

export type EngineParts = {
  readonly log: EventLog;
  readonly options: WorkspaceOptions;
  /** Hooks of Claude Code's settings. */
  readonly claudeHooks: ClaudeHooks;
};

export const toClaudeHooks = ({ folder, root, env, settings, registry, readOnly, permissions }: LoadedWorkspace): ClaudeHooks =>
  createClaudeHooks(permissions.hooks, {
    workspace: folder,
    root,
    env,
    network: toNetworkOptions(settings),
    openings: settings.sandbox,
    unprotected: settings.unprotected,
    bound: readOnly,
    isAgent: (tool) => registry.agents().has(tool),
  });

export const createWorkspaceEngine = (
  { home, floor, approver, source, onProblem }: Shared,
  {
    folder,
    env,
    settings,
    tools,
    registry,
    instructions,
    secrets,
    bound,
    readOnly,
    permissions: { preapproved },
    model,
    resolve,
    versions,
  }: LoadedWorkspace,
  { log, options, claudeHooks }: EngineParts,
): Engine => {
  const { unprotected, allowUnsandboxed } = settings;
  const isSecret = createSecretCheck(unprotected);
  const network = toNetworkOptions(settings);
  const commandHooks = createCommandHooks(settings.hooks, {
    workspace: folder,
    env,
    network,
    openings: settings.sandbox,
    unprotected,
    bound: readOnly,
  });
  const engine = createEmbeddedEngine({
    log,
    floor,
    createId,
    ports: {
      model: resolve,
      tool: (name) => tools.get(name),
      clock: systemClock,
      outage: toldOutage(waitOutage(settings.retry.unreachableMs), options.onOutage),
      realPath,
      judge: createJudge({
        digest: digestFile,
        digestTree,
        findTreeChanges,
        readScript,
        sandboxObstacle,
        allowUnsandboxed,
        unprotected,
        bound,
        isImported: instructions.isImported,
        isPrivate,
        holdsRoles,
        preapproved,
        skills: registry,
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
          openings: settings.sandbox,
        }),
      openDirectory: createOpenDirectory({ unprotected }),
      readFile: async (named, from) =>
        (await readContextFile({ workspace: from, named, isSecret, mostBytes: MOST_CONTEXT_BYTES })).text,
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
    get agents() {
      return registry.agents();
    },
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
      [commandHooks.hooks, claudeHooks.hooks, options.hooks, instructions.hooksFor(registry.agents)].filter(
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

/** Tells of an outage when it begins. */
const toldOutage =
  (decide: (outage: Outage) => OutageDecision, onOutage: WorkspaceOptions["onOutage"]) =>
  (outage: Outage): OutageDecision => {
    const decision = decide(outage);
    if (outage.tries === 1 && decision.type === "wait") onOutage?.(outage, decision.leftMs);
    return decision;
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
