/** Opens a workspace of a host: what its folder brings, an engine for it, and the ways to run, resume, fork and speak to runs. */
import type { Engine, RunHandle } from "@retinue/engine";
import { compareDefinitions, createMergeOrder, currentRun, verifyReplay } from "@retinue/engine";
import type { RunResult, RunSpec, SessionId, UserPart } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition, ParseOutput } from "@retinue/protocol/agent-file";
import { createCleaner, ORCHESTRATOR, resolveToolName, toPlanGraph } from "@retinue/runtime";
import { createId } from "../create-id.ts";
import { fanOut } from "../fan-out.ts";
import type { Agent } from "../library/define-agent.ts";
import { createMessageRecording } from "../library/message-recording.ts";
import { toOutputSchema } from "../library/output-schema.ts";
import type { Run } from "../library/run.ts";
import { toRun, toTyped } from "../library/run.ts";
import { createNarrowedLog } from "../narrowed-log.ts";
import { createPlans } from "../plans.ts";
import { createRedactor } from "../secrets/create-redactor.ts";
import { createBegunModes } from "./begun-modes.ts";
import { closeAll } from "./close-all.ts";
import { loadWorkspace } from "./load-workspace.ts";
import type { OwnSessions } from "./own-sessions.ts";
import { createOwnSessions } from "./own-sessions.ts";
import { resumeRun } from "./resume-run.ts";
import { createRunSpecs } from "./run-specs.ts";
import type { Shared } from "./shared.ts";
import { createWorkspaceEngine, toClaudeHooks, toPlanSettings } from "./workspace-engine.ts";
import { createTurnUndo } from "./undo-turn.ts";
import { findUnsandboxed } from "./unsandboxed-notice.ts";
import type { RunOptions, Task, Workspace, WorkspaceOptions } from "./workspace.ts";

const MOST_TASK_BYTES = 8 * 1024 * 1024;

export type OpenOptions = WorkspaceOptions & { readonly onClose: (workspace: Workspace) => void };

export const openWorkspace = async (shared: Shared, given: string, { onClose, ...options }: OpenOptions): Promise<Workspace> => {
  const { store } = shared;
  const loaded = await loadWorkspace(shared, given, options);
  const { folder, settings, registry, resolve } = loaded;
  const { agentOf } = registry;
  const record = createNarrowedLog(store);
  const claudeHooks = toClaudeHooks(loaded);
  const engine = createWorkspaceEngine(shared, loaded, { log: record.log, options, claudeHooks });
  const specs = createRunSpecs(shared, loaded, engine);
  const own = createOwnSessions(store, folder);
  const modes = createBegunModes(shared.home);
  let closing: Promise<void> | undefined;
  const requireOpen = (): void => {
    if (closing) throw new RetinueError("closed", `The workspace ${folder} was closed.`);
  };

  /** A session that goes on with a task brings what was said in it, and no approval that nobody gave here. */
  const believeNoImport = async (sessionId: SessionId, run: RunOptions): Promise<void> => {
    await own.require(sessionId);
    if (own.isKnown(sessionId) || !(await own.isImported(sessionId))) return;
    await record.narrow(sessionId, { ...specs.grantedNow(run), isImported: true });
  };

  /** Whoever is asked for; else whoever the conversation was handed to, within the rights of whoever handed it over; else the main agent. */
  const speakerOf = async ({ agent, sessionId }: RunOptions): Promise<Speaker> => {
    if (agent === undefined && sessionId !== undefined) {
      await own.require(sessionId);
      const held = await engine.heldBy(sessionId);
      // Rights are told from the folder that they are for.
      if (held && held.from.workspace === folder && registry.agents().has(held.agent))
        return { agent: agentOf(held.agent), above: held.from };
    }
    return { agent: agentOf(nameOf(agent)) };
  };

  const start = async ({ agent: found, above }: Speaker, task: Task, run: RunOptions): Promise<RunHandle> => {
    requireOpen();
    checkTask(task);
    const { sessionId, mergeOrder, signal, queuedTurn, source } = run;
    if (sessionId !== undefined) await own.require(sessionId);
    const output = run.output && toOutputSchema(run.output);
    const agent = output ? { ...found, output: output.json } : found;
    const spec = await specs.specOf(agent, run, above);
    if (sessionId !== undefined) await believeNoImport(sessionId, run);
    const said: readonly UserPart[] = typeof task === "string" ? [{ type: "text", text: task }] : task;
    // Hooks that are told of the task are told its session, too.
    const newSessionId = run.newSessionId ?? (sessionId === undefined && claudeHooks.guardrail ? `ses_${createId()}` : undefined);
    const added = await claudeHooks.addTo(textOf(said), sessionId ?? newSessionId ?? "");
    const started = await engine.start({
      agent: agent.name,
      task: added === undefined ? said : [...said, { type: "text", text: added }],
      spec,
      ...(output?.parse === undefined ? {} : { parseOutput: output.parse }),
      ...(mergeOrder === undefined ? {} : { mergeOrder }),
      ...(queuedTurn === undefined ? {} : { queuedTurn }),
      ...(source === undefined ? {} : { source }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(newSessionId === undefined ? {} : { newSessionId }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (sessionId === undefined) own.beganHere(started.sessionId);
    await modes.keep(started, spec.grant.approve);
    return started;
  };

  const toWorkspaceRun = <Output>(handle: RunHandle, parse?: ParseOutput<Output>): Run<Output> =>
    toRun(handle, { follow: engine.follow, parse });

  const runTask: Workspace["run"] = async <Output>(task: Task, how: RunOptions<Output> = {}) => {
    const speaker = await speakerOf(how);
    const handle = await start(speaker, task, how);
    // The parser of an agent that was given as it was defined is that of its definition.
    return toWorkspaceRun(handle, how.output ? toOutputSchema(how.output).parse : parserOf<Output>(speaker.agent));
  };

  const spawn: Workspace["spawn"] = async <Output>(
    name: string | Agent<Output>,
    task: string,
    how: Parameters<Workspace["spawn"]>[2] = {},
  ) => {
    const agent = agentOf(nameOf(name));
    return toTyped(spawnUntyped(agent, task, how), parserOf<Output>(agent));
  };

  const spawnUntyped = async (
    agent: AgentDefinition,
    task: string,
    run: NonNullable<Parameters<Workspace["spawn"]>[2]>,
  ): Promise<RunResult> => {
    const parent = currentRun();
    if (!parent) return (await start({ agent }, task, run)).result;
    requireOpen();
    checkTask(task);
    if (!engine.purse(parent.runId) && shared.floor.isAtWork(parent.runId))
      throw new RetinueError("session_elsewhere", `Run ${parent.runId}, which called this, is one of another workspace.`, {
        hint: "No run can be below one of another workspace; begin one of its own with `run`.",
      });
    const { limits = {}, isolation, model, approve, workingDirectory } = run;
    if (model !== undefined) await resolve(model);
    return engine.spawnBelow(
      parent.runId,
      { agent, task, limits, tools: run.tools?.map(resolveToolName), isolation, model, approve, workingDirectory },
      run.signal ?? new AbortController().signal,
    );
  };

  const plans = createPlans({
    check: (plan, agent = "main") => void toPlanGraph(plan, { ...toPlanSettings(settings), agents: agentOf(agent).delegates }),
    run: (task, run) => start({ agent: agentOf(run.agent ?? "main") }, task, run),
    events: async (sessionId) => store.read(sessionId),
  });

  const recording = createMessageRecording({
    store,
    folder,
    clean: createCleaner(loaded.secrets.length === 0 ? undefined : createRedactor(loaded.secrets)),
    requireSession: own.require,
  });

  const workspace: Workspace = {
    ...plans,
    ...recording,
    folder,
    model: loaded.model,
    get agents() {
      return registry.agents();
    },
    registerAgent: registry.register,
    tools: loaded.tools,
    instructions: loaded.instructions.files.map(({ file }) => file),
    permissions: [...new Set([...loaded.permissions.rules, ...loaded.permissions.preapproved].map(({ from }) => from))],
    hookFiles: loaded.permissions.hookFiles,
    browsers: loaded.browsers,
    desktops: loaded.desktops,
    problems: loaded.problems,
    unsandboxed: await findUnsandboxed(settings),
    approve: settings.approve,
    untrusted: loaded.untrusted,
    sessions: store.readSide,
    live: toLive(engine, own, folder),
    run: runTask,
    spawn,
    fanOut: (tasks, { maxConcurrent = settings.agent.maxConcurrent, signal } = {}) => {
      const mergeOrder = createMergeOrder();
      return fanOut(tasks, maxConcurrent, ({ agent, task, ...rest }) =>
        spawn(agent, task, { ...rest, mergeOrder, ...(signal === undefined ? {} : { signal }) }),
      );
    },
    resume: async (id, how) => {
      requireOpen();
      const { run, ...mode } = await resumeRun({ store, record, engine, own, specs, modes, resolve }, id, how);
      modes.dropSettled(run);
      return Object.assign(toWorkspaceRun(run), mode);
    },
    fork: async (point, { task = "", prompt, ...run } = {}) => {
      requireOpen();
      const origin = (await store.read(point.sessionId)).find(
        ({ type, runId }) => type === "run.requested" && runId === point.runId,
      );
      if (!origin) throw new RetinueError("run_unknown", `There is no run ${point.runId} in ${point.sessionId}.`);
      const agent = agentOf(run.agent === undefined ? origin.agent : nameOf(run.agent));
      const spec = await specs.specOf(prompt === undefined ? agent : { ...agent, prompt }, run);
      return toWorkspaceRun(
        await engine.start({
          agent: agent.name,
          task: task === "" ? [] : [{ type: "text", text: task }],
          spec,
          forkedFrom: point,
          ...(run.source === undefined ? {} : { source: run.source }),
          ...(run.signal === undefined ? {} : { signal: run.signal }),
        }),
      );
    },
    readsImages: async (name = loaded.model) => (await resolve(name)).readsImages === true,
    undo: createTurnUndo({ versions: loaded.versions, folder, events: async (sessionId) => store.read(sessionId) }),
    events: async (sessionId, afterSeq) => store.read(sessionId, afterSeq),
    verify: async (sessionId) => {
      const events = await store.read(sessionId);
      const agents = new Map([[ORCHESTRATOR.name, ORCHESTRATOR], ...registry.agents()]);
      const definitions = compareDefinitions(events, { agents, tools: [...loaded.tools.keys()] });
      return { ...(await verifyReplay(events, engine.toolsFor)), definitions };
    },
    close: () => {
      onClose(workspace);
      return (closing ??= closeAll([engine.close, loaded.close]));
    },
  };
  return workspace;
};

/** What is said to a run is cleaned of the secrets of its own workspace, so that it is not said through another. */
const toLive = (engine: Engine, own: OwnSessions, folder: string): Workspace["live"] => ({
  cancel: async (runId, cancel) => {
    await own.requireRun(runId);
    return engine.cancel(runId, cancel);
  },
  send: async (runId, said, by) => {
    await own.requireRun(runId);
    return engine.send(runId, said, by);
  },
  withdraw: async (runId, messageId, by) => {
    await own.requireRun(runId);
    return engine.withdraw(runId, messageId, by);
  },
  answer: async (approvalId, answer, by) => {
    await own.requireApproval(approvalId);
    return engine.answer(approvalId, answer, by);
  },
  approvals: async (sessionId) => (await engine.approvals(sessionId)).filter(({ workspace }) => workspace === folder),
  follow: engine.follow,
  queueTurn: async (sessionId, task, by) => {
    await own.require(sessionId);
    return engine.queueTurn(sessionId, task, by);
  },
  withdrawTurn: async (sessionId, turnId, by) => {
    await own.require(sessionId);
    return engine.withdrawTurn(sessionId, turnId, by);
  },
  queuedTurns: async (sessionId) => (await engine.queuedTurns(sessionId)).filter(({ workspace }) => workspace === folder),
  nextTurn: async (sessionId) => {
    await own.require(sessionId);
    return engine.nextTurn(sessionId);
  },
});

type Speaker = { readonly agent: AgentDefinition; readonly above?: RunSpec };

const nameOf = (agent: string | AgentDefinition = "main"): string => (typeof agent === "string" ? agent : agent.name);

/** Whoever names an agent by its definition has the type of its results from there. */
const parserOf = <Output>({ parseOutput }: AgentDefinition): ParseOutput<Output> | undefined =>
  parseOutput as ParseOutput<Output> | undefined;

const textOf = (parts: readonly UserPart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

const checkTask = (task: Task): void => {
  const texts = typeof task === "string" ? [task] : task.map((part) => (part.type === "text" ? part.text : ""));
  const hasPicture = typeof task !== "string" && task.some(({ type }) => type === "image");
  if (!hasPicture && texts.every((text) => text.trim() === "")) throw new RetinueError("task_empty", "There is no task.");
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MOST_TASK_BYTES)
    throw new RetinueError("task_too_large", `The task has ${bytes} bytes; ${MOST_TASK_BYTES} is the most.`);
};
