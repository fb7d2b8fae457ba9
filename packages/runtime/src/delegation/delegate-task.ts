/**
 * The body of every delegation: refuses what may not be started, words the task, narrows the rights, and hands the child's result back as a
 * value, whatever became of it.
 */
import { toHandedText } from "../context/neutralise.ts";
import type { CallId, FileChanges, RunId, RunResult, RunSpec, TestCounts } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { misspeltName, nearestNames } from "@retinue/protocol/names";
import { readArtifactPath } from "../context/artifact-path.ts";
import type { Artifacts } from "../context/artifacts.ts";
import { settledMessages } from "../record/fold.ts";
import type { RunState } from "../record/run-state.ts";
import { resolveToolName } from "../policy/tool-names.ts";
import { findAgentNamed } from "./agent-name.ts";
import type { Delegation, DelegationOptions } from "./delegation-request.ts";
import { delegationKey, keyOfDelegation } from "./delegation-key.ts";
import { handBack, toReportForm } from "./hand-back.ts";
import { toRefusal } from "./refusal.ts";
import { requireTools } from "./require-tools.ts";
import { createSpec, stricter } from "./spec.ts";
import { LeftOpen } from "../loop/parked.ts";
import type { PartAnswer } from "../loop/parts.ts";
import type { Spent, ToolContext, ToolOutput } from "../loop/tool.ts";
import { wordTask } from "./word-task.ts";
import { openWorkingDirectory, withFilesIn } from "./working-directory.ts";
import type { WorktreePlace } from "./worktrees.ts";

/** How often the same delegation may be made while nothing changes. */
const MOST_REPEATS = 2;

export const delegateTask = async (
  options: DelegationOptions,
  delegation: Delegation,
  context: ToolContext,
): Promise<ToolOutput> => {
  try {
    return await delegate(options, delegation, context);
  } catch (thrown) {
    if (!(thrown instanceof RetinueError) || thrown instanceof LeftOpen || context.signal.aborted) throw thrown;
    const form = toReportForm(delegation, options.agents.get(delegation.agent));
    return toRefusal(toErrorValue(thrown), options.state.identity.depth, form.type);
  }
};

const delegate = async (options: DelegationOptions, delegation: Delegation, context: ToolContext): Promise<ToolOutput> => {
  const { state, agents } = options;
  const { depth } = state.identity;
  const agent = findDelegate(options, delegation.agent);
  refuseLoop(options, agent, delegation, context);
  const isTransfer = delegation.transfer === true;
  if (isTransfer) refuseTransfer(options, delegation);
  const assignment = {
    parentAgent: state.identity.agent,
    task: delegation.task,
    successCriteria: delegation.success_criteria,
    isTransfer,
  };
  const mode = isTransfer ? "full" : (delegation.context_mode ?? agent.contextMode);
  const directory = await openWorkingDirectory({
    agent,
    isolation: agent.isolation,
    named: delegation.working_directory,
    open: options.openDirectory,
  });
  const specIn = (place: WorktreePlace | undefined, tools: readonly string[] | undefined): RunSpec =>
    createSpec({
      agent,
      agents,
      grant: state.spec.grant,
      model: options.model,
      workspace: place?.workspace ?? state.spec.workspace,
      directory,
      worktree: place?.worktree,
      depth: depth + 1,
      assignment,
      contextMode: mode,
      treeModel: state.spec.treeModel,
      summaryModel: state.spec.summaryModel,
      request: { tools, limits: delegation.limits && stricter(delegation.limits, {}), timeLeftMs: context.timeLeftMs() },
    });
  const tools = delegation.tools?.map(resolveToolName);
  if (tools)
    requireTools(agent, delegation.tools, {
      left: specIn(undefined, tools).tools,
      all: () => specIn(undefined, undefined).tools,
    });

  const place = agent.isolation === "worktree" ? await options.isolate(context.callId) : undefined;
  const summary = mode === "summary" ? await summarise(options, context) : null;
  const files = mode === "selective" ? await readFiles(delegation.context_files ?? [], options.readFile, context.artifacts) : [];
  const started = await options.start(
    {
      callId: context.callId,
      agent: agent.name,
      task: wordTask(delegation, summary, files),
      spec: specIn(place, tools),
      background: delegation.background ?? false,
      ...(mode === "full" ? { history: settledMessages(state) } : {}),
    },
    context.signal,
  );
  if ("inBackground" in started)
    return {
      content: [
        {
          type: "text",
          text: `${agent.name} is at work in the background as ${started.inBackground}; its result will be handed to you.`,
        },
      ],
    };
  const result = withFilesIn(directory, started);
  if (isTransfer && result.status === "completed") return toTransfer(result, options.childRunId(context.callId), agent.name);
  const handed = await handBack(result, { options, agent, delegation, context });
  return {
    ...addUp(handed.spent),
    content: [{ type: "text", text: toHandedText(handed.report) }],
    ...(handed.artifact === undefined ? {} : { artifact: handed.artifact }),
    files: toFileChanges(result),
    ...testsOf(result),
    isError: result.status === "failed" || result.status === "cancelled" || result.status === "timeout",
  };
};

/**
 * The parent's state in a few lines. It is a recorded call of ours: the child may work for hours, and a delegation that is made again meanwhile, or refused
 * after all, has been paid for.
 */
const summarise = async ({ summarise: ask }: DelegationOptions, { callId, conduct, signal }: ToolContext): Promise<string> => {
  const work = async (): Promise<PartAnswer> => {
    try {
      const { text, spent } = await ask(signal);
      return { outcome: "ok", content: [{ type: "text", text }], spent };
    } catch (thrown) {
      if (!(thrown instanceof RetinueError) || thrown instanceof LeftOpen || signal.aborted) throw thrown;
      return { outcome: "error", content: [], error: toErrorValue(thrown) };
    }
  };
  const part = { callId: `${callId}.summary`, tool: "summary", input: {} };
  const { content, error } = await (conduct ? conduct.once(part, "summary", work) : work());
  if (error) throw new RetinueError(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint });
  return content.map((said) => (said.type === "text" ? said.text : "")).join("");
};

/** There is one conversation, and one who goes on with it. */
const refuseTransfer = ({ state }: DelegationOptions, { background }: Delegation): void => {
  if (background === true)
    throw new RetinueError("usage", "A conversation cannot be handed over in the background: nobody would go on with it here.");
  if ((state.turn?.calls.size ?? 1) > 1)
    throw new RetinueError("usage", "A conversation is handed over by one call, alone in its answer.", {
      hint: "Make the other calls first, or hand the conversation over without them.",
    });
};

/** The child's answer is the answer; the parent has nothing left to say. */
const toTransfer = (result: RunResult, runId: RunId, agent: string): ToolOutput => ({
  content: [{ type: "text", text: `${agent} went on with the conversation and has answered.` }],
  files: toFileChanges(result),
  ...testsOf(result),
  transferred: { runId: result.transferredTo?.runId ?? runId, agent: result.transferredTo?.agent ?? agent, text: result.details },
});

const addUp = (all: readonly Spent[]): { readonly spent?: Spent } => {
  const [first, ...others] = all;
  if (!first) return {};
  return {
    spent: others.reduce(
      (sum, { usage, costUsd }) => ({
        usage: {
          input: sum.usage.input + usage.input,
          output: sum.usage.output + usage.output,
          cached: sum.usage.cached + usage.cached,
          reasoning: sum.usage.reasoning + usage.reasoning,
        },
        costUsd: sum.costUsd === null || costUsd === null ? null : sum.costUsd + costUsd,
      }),
      first,
    ),
  };
};

const findDelegate = ({ state, agents }: DelegationOptions, name: string): AgentDefinition => {
  const available = state.spec.delegates.flatMap((one) => agents.get(one) ?? []);
  const agent = findAgentNamed(name, available) ?? findMisspeltAgent(name, available);
  if (!agent) {
    const names = available.map((one) => one.name);
    const near = nearestNames(name, names).join(", ");
    throw new RetinueError(
      "agent_unknown",
      `There is no agent "${name}" that this run may start.${near === "" ? "" : ` The nearest are: ${near}.`} It may start: ${names.join(", ") || "nobody"}.`,
    );
  }
  const { depth } = state.identity;
  const { maxDepth } = state.spec.grant;
  if (depth + 1 > maxDepth)
    throw new RetinueError("depth_exceeded", `This run is at depth ${depth}, and ${maxDepth} is the deepest.`);
  return agent;
};

/** "excutor" and "Executor Agent" are the executor, where no other agent is as near. */
const findMisspeltAgent = (name: string, available: readonly AgentDefinition[]): AgentDefinition | undefined => {
  const words = name.trim().replace(/[\s_-]*(?:sub-?)?agent$/i, "");
  const named = words === "" ? undefined : findAgentNamed(words, available);
  const misspelt = misspeltName(
    words,
    available.map((one) => one.name),
  );
  return named ?? available.find((one) => one.name === misspelt);
};

/** The same task on its way down again, or the same delegation again though nothing changed since. */
const refuseLoop = (
  { state, chain }: DelegationOptions,
  { name }: AgentDefinition,
  { task }: Delegation,
  { callId }: ToolContext,
): void => {
  const key = delegationKey(name, task);
  if (chain.some((above) => delegationKey(above.agent, above.task) === key))
    throw new RetinueError("delegation_loop", `"${name}" is already at work on this task above.`);
  if (earlierDelegations(state, callId) >= MOST_REPEATS)
    throw new RetinueError(
      "delegation_loop",
      `"${name}" was given this task ${MOST_REPEATS} times already, and nothing has changed since.`,
    );
};

/** How often the delegation that a call makes was made before, since something changed. */
const earlierDelegations = ({ spec, turn, delegations }: RunState, callId: CallId): number => {
  const started = turn?.started.get(callId);
  const key = started && keyOfDelegation(spec, started);
  return key === undefined ? 0 : Math.max(0, delegations.get(key)?.indexOf(callId) ?? 0);
};

/** What changed in the parent's workspace: of a child in a worktree of its own, just what was merged. */
const toFileChanges = ({ merge, filesModified, filesCreated }: RunResult): FileChanges =>
  merge ? { modified: merge.modified, created: merge.created } : { modified: filesModified, created: filesCreated };

/** Tests that were run anywhere below count here, too. */
const testsOf = ({ testsRun, testsPassed, latestTests }: RunResult): { readonly tests?: TestCounts } =>
  testsRun > 0
    ? { tests: { run: testsRun, passed: testsPassed, ...(latestTests === undefined ? {} : { latest: latestTests }) } }
    : {};

const FILE_CHARS = 16_000;

const readFiles = (
  files: readonly string[],
  readFile: (file: string) => Promise<string>,
  artifacts: Artifacts,
): Promise<string[]> =>
  Promise.all(
    files.map(async (file) => {
      const text = (await readArtifactPath(file, artifacts)) ?? (await readFile(file));
      return `### ${file}\n\n${text.length > FILE_CHARS ? `${text.slice(0, FILE_CHARS)}\n[… cut at ${FILE_CHARS} characters; read the rest with read]` : text}`;
    }),
  );
