/**
 * The default engine: runs live in this process. A request is committed before it is answered; whoever drives a run holds its lease, and
 * everything the loop writes carries the lease's epoch. Sub-agents are runs like any other: same loop, same log, a smaller grant, a purse
 * inside their parent's, and an id derived from the call that started them, so that a resumed parent finds its children.
 */
import type {
  Acceptance,
  ApprovalId,
  CallId,
  EventDraft,
  ForkPoint,
  Json,
  JsonObject,
  Limits,
  Message,
  RecordedBody,
  RetinueEvent,
  RunId,
  RunIdentity,
  RunResult,
  RunSpec,
  SessionId,
  UserPart,
} from "@retinue/protocol";
import { NO_USAGE, RetinueError, toErrorValue } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type {
  AnyTool,
  ApprovalAnswer,
  ApprovalRequest,
  ChildRun,
  Hooks,
  InBackground,
  LoopOptions,
  Ports,
  Purse,
  RunState,
  WorktreePlace,
  Worktrees,
} from "@retinue/runtime";
import {
  apply,
  createCleaner,
  createDelegationTools,
  createReport,
  createRunPurse,
  createSpec,
  createState,
  driveRun,
  fold,
  isNarrowed,
  judge,
  refuseSlowPatterns,
  settledMessages,
  spentBy,
  summariseMessages,
  toResult,
} from "@retinue/runtime";
import type { EventLog, Lease } from "@retinue/store";
import { heldError } from "@retinue/store";
import { findRefusal } from "./acceptance.ts";
import type { ActiveRun, Known, Session, Tree } from "./active-run.ts";
import { chainOf, childRunId, countChildren, isBelow, ordersOf, spawnCallId, stopBackground } from "./active-run.ts";
import { inRun } from "./current-run.ts";
import type { Follower } from "./follower.ts";
import { createFollower } from "./follower.ts";
import type { Approver } from "./inbox.ts";
import { createInbox } from "./inbox.ts";
import type { Mailbox } from "./mailbox.ts";
import { createMailbox } from "./mailbox.ts";
import { createPacer } from "./pacer.ts";
import { historyAt, latestRoot } from "./session-history.ts";
import { spentBelow } from "./spent-below.ts";
import { ASK_PARENT, createAskParentTool, createSteeringTools } from "./steering-tools.ts";
import type { MergeOrder } from "./worktree/merge-order.ts";
import { createMergeOrder } from "./worktree/merge-order.ts";
import { createWorktreeRuns } from "./worktree/worktree-runs.ts";

export { childRunId };

/** What the engine's host provides; the rest of a run's ports comes from the engine and the log. */
export type HostPorts = Pick<Ports, "model" | "clock" | "realPath" | "judge" | "redactor"> & {
  readonly tool: (name: string) => AnyTool | undefined;
  /** The text of a file inside a workspace, already judged. */
  readonly readFile: (file: string, workspace: string) => Promise<string>;
  /** Makes and merges worktrees; without it, runs that need one are refused. */
  readonly worktrees?: Worktrees;
  /** Runs a command line under a run's grant; absent where there is no shell. */
  readonly shell?: (
    command: string,
    spec: RunSpec,
    signal: AbortSignal,
  ) => Promise<{ readonly ok: boolean; readonly output: string }>;
};

export type EngineOptions = {
  readonly log: EventLog;
  readonly ports: HostPorts;
  readonly createId: () => string;
  /** Frozen: what is written to files later does not change who can be started. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Used by agents that name none. */
  readonly model: string;
  /** How many sub-agents of one run work at the same time. */
  readonly maxConcurrent: number;
  /** How many sub-agents one run may start in all. */
  readonly maxChildren: number;
  /** How many tokens of a sub-agent's answer enter its parent's context, where its definition does not say. */
  readonly resultTokens?: number | undefined;
  readonly approver?: Approver | undefined;
  /** Without an approver: `deny` answers no; `park` waits for `answer`. */
  readonly unattended: "deny" | "park";
  readonly approvalExpiresMs?: number | undefined;
  readonly hooks?: Hooks | undefined;
  /** Sees every event of every session, as it is published. */
  readonly observer?: ((event: RetinueEvent) => void) | undefined;
};

export type RunRequest = {
  readonly agent: string;
  readonly task: readonly UserPart[];
  readonly spec: RunSpec;
  /** The session to go on with; a new one where absent. */
  readonly sessionId?: SessionId;
  /** Where another run is left, in a session of its own. With it the task may be empty: then it goes on without a word. */
  readonly forkedFrom?: ForkPoint;
  /** Where the run works in a worktree: the runs among which it is merged in order. */
  readonly mergeOrder?: MergeOrder;
  readonly signal?: AbortSignal;
};

export type RunHandle = AsyncIterable<RetinueEvent> & {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  /** Never rejects for what became of the run, only when Retinue itself failed. */
  readonly result: Promise<RunResult>;
  readonly cancel: (reason?: string) => void;
};

export type Engine = {
  readonly start: (request: RunRequest) => Promise<RunHandle>;
  /** Starts a run below one that is at work in this process, as a delegation of it would, and waits for its result. */
  readonly spawnBelow: (parent: RunId, spawned: Spawned, signal: AbortSignal) => Promise<RunResult>;
  /** Where a worktree for a run on this workspace would stand. Asked for one after the other, in order. */
  readonly placeWorktree: (workspace: string) => Promise<WorktreePlace>;
  /** The tools that a run of this state has. */
  readonly toolsFor: (state: RunState) => ReadonlyMap<string, AnyTool>;
  /** Goes on with a run that was requested and not settled, and with everything below it. */
  readonly resume: (runId: RunId, options?: ResumeOptions) => Promise<RunHandle>;
  /** Stops one run and what is below it. False where no such run is at work here. */
  readonly cancel: (runId: RunId, reason?: string) => boolean;
  /** Says something to a run at work; it reads it before its next turn. */
  readonly send: (runId: RunId, text: string, from?: "human" | RunId) => boolean;
  readonly approvals: (sessionId?: SessionId) => readonly ApprovalRequest[];
  readonly answer: (approvalId: ApprovalId, answer: ApprovalAnswer) => boolean;
  /** What a run at work and everything below it have used and set aside; only to be looked at. */
  readonly purse: (runId: RunId) => Purse | undefined;
  /** Cancels what runs and waits for it. */
  readonly close: () => Promise<void>;
};

export type ResumeOptions = {
  /** Also from a living process that works on it, which can write nothing from then on. Otherwise that is `session_running`. */
  readonly takeOver?: boolean;
};

/** A run that code, and not a model, starts below another. */
export type Spawned = {
  readonly agent: AgentDefinition;
  readonly task: string;
  readonly limits: Limits;
  readonly tools: readonly string[] | undefined;
  /** In place of what the agent's file says. */
  readonly isolation?: AgentDefinition["isolation"] | undefined;
};

export const createEmbeddedEngine = (options: EngineOptions): Engine => {
  const { log, ports, agents, createId } = options;
  for (const { input, output } of agents.values()) for (const schema of [input, output]) if (schema) refuseSlowPatterns(schema);
  const { redactor } = ports;
  const clean = createCleaner(redactor);
  const canAsk = options.approver !== undefined || options.unattended === "park";
  const worktreeRuns = createWorktreeRuns(ports.worktrees, log);
  let swept: Promise<void> | null = null;
  const sessions = new Map<SessionId, Session>();
  const active = new Map<RunId, ActiveRun>();

  const sessionOf = (sessionId: SessionId): Session => {
    let session = sessions.get(sessionId);
    if (!session) {
      const { approver, approvalExpiresMs } = options;
      session = {
        inbox: createInbox({ approver, clock: ports.clock, expiresMs: approvalExpiresMs }),
        followers: new Set(),
        runs: 0,
      };
      sessions.set(sessionId, session);
    }
    return session;
  };

  type Drive = {
    readonly parent: ActiveRun | null;
    readonly known: Known;
    readonly resumed: boolean;
    /** It is not taken from a living process. */
    readonly onlyIfFree?: boolean;
    readonly order?: MergeOrder | undefined;
  };

  const drive = (state: RunState, { parent, known, resumed, onlyIfFree = false, order }: Drive): ActiveRun => {
    const { sessionId, runId } = state.identity;
    const session = sessionOf(sessionId);
    const run: ActiveRun = {
      state,
      session,
      parent,
      tree: parent?.tree ?? { fault: null },
      purse: createRunPurse(state.spec, parent?.purse ?? null, resumed ? spentBelow(state, known.states) : spentBy(state)),
      lease: null,
      pacer: null,
      mailbox: null,
      background: null,
      stop: new AbortController(),
      known,
      children: countChildren(runId, known),
      spawned: null,
      place: state.spec.worktree ? (order ?? createMergeOrder()).join() : null,
      orders: null,
      result: Promise.resolve() as never,
    };
    session.runs += 1;
    active.set(runId, run);
    run.result = inRun(state.identity, () => execute(run, resumed, onlyIfFree)).finally(() => {
      active.delete(runId);
      run.place?.leave();
      if (--session.runs === 0) sessions.delete(sessionId);
    });
    // Whoever does not wait for the result must not be ended by its rejection.
    run.result.catch(() => undefined);
    return run;
  };

  const publish = (session: Session, event: RetinueEvent): void => {
    options.observer?.(event);
    for (const follower of session.followers) follower.push(event);
  };

  /** When a write fails, the whole tree stops where its record ends; it can be resumed from there. */
  const write = <T>(tree: Tree, act: () => T | Promise<T>): T | Promise<T> => {
    const fail = (thrown: unknown): never => {
      tree.fault ??= { thrown };
      for (const run of active.values()) if (run.tree === tree) run.stop.abort(thrown);
      throw thrown;
    };
    if (tree.fault) throw tree.fault.thrown;
    try {
      const written = act();
      return written instanceof Promise ? written.catch(fail) : written;
    } catch (thrown) {
      return fail(thrown);
    }
  };

  /** Takes the run over. Whoever drove it until then may have added to its record since it was read. */
  const takeOver = async (run: ActiveRun, resumed: boolean, onlyIfFree: boolean): Promise<Lease> => {
    const { sessionId, runId } = run.state.identity;
    const lease = await write(run.tree, () => log.lease(runId, { onlyIfFree }));
    run.lease = lease;
    if (!resumed && lease.epoch === 1) return lease;
    const added = await log.read(sessionId, run.known.seq);
    if (added.every((event) => event.runId !== runId && active.has(event.runId))) return lease;
    const states = fold(await log.read(sessionId));
    run.state = states.get(runId) ?? run.state;
    run.known = { states, seq: added.at(-1)?.seq ?? run.known.seq };
    run.purse = createRunPurse(run.state.spec, run.parent?.purse ?? null, spentBelow(run.state, states));
    run.children = countChildren(runId, run.known);
    return lease;
  };

  const execute = async (run: ActiveRun, resumed: boolean, onlyIfFree: boolean): Promise<RunResult> => {
    if (run.state.result) return putAway(run, run.state.result);
    const lease = await takeOver(run, resumed, onlyIfFree);
    const { state, session, tree } = run;
    const { identity } = state;
    if (state.result) return putAway(run, state.result);
    // One that has started nothing has nothing to find, and need not read the session for it.
    if (resumed && run.children > 0) await findBackground(run);
    const emit: Ports["emit"] = (drafts) => write(tree, () => log.append(drafts, lease));
    const record = async (bodies: AsyncIterable<RecordedBody>): Promise<void> => {
      for await (const body of bodies)
        for (const event of await emit([{ ...identity, at: ports.clock.date(), ...clean(body) }])) {
          apply(state, event);
          publish(session, event);
        }
    };
    const { place } = run;
    if (place) {
      await (swept ??= worktreeRuns.sweep((id) => active.has(id)).catch(() => undefined));
      await record(worktreeRuns.prepare(state, run.stop.signal));
    }
    const loop: LoopOptions = {
      state,
      signal: run.stop.signal,
      purse: run.purse,
      epoch: lease.epoch,
      resumed,
      ports: {
        emit,
        model: ports.model,
        clock: ports.clock,
        realPath: ports.realPath,
        ...(ports.judge === undefined ? {} : { judge: ports.judge }),
        tools: toolsOf(state, run),
        artifacts: {
          write: async (text) => write(tree, () => log.writeArtifact(identity.sessionId, clean(text))),
          read: async (artifactId) => log.readArtifact(identity.sessionId, artifactId),
        },
        isAllowed: session.inbox.isAllowed,
        takeMessages: () => run.mailbox?.take() ?? NO_MESSAGES,
        waitForMessages: (signal) => run.mailbox?.wait(signal),
        stopBelow: () => stopBackground(run),
        ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
        ...(redactor === undefined ? {} : { redactor }),
        accept: (accept, _state, signal) => acceptRun(run, accept, signal),
        ...(place ? { bringBack: (status, signal) => worktreeRuns.bringBack(state, { status, place, signal }) } : {}),
        ...(canAsk ? { approve: session.inbox.ask } : {}),
      },
    };
    try {
      return await putAway(run, await driveRun(loop, (event) => publish(session, event)));
    } catch (thrown) {
      if (tree.fault) throw tree.fault.thrown;
      if (place)
        await record(worktreeRuns.bringBack(state, { status: "failed", place, signal: run.stop.signal })).catch(() => undefined);
      const result = clean(
        toResult(state, { status: "failed", bailoutReason: "error", error: toErrorValue(thrown) }, state.used.activeMs),
      );
      try {
        for (const event of await emit([{ ...identity, at: ports.clock.date(), type: "run.settled", result }]))
          publish(session, event);
      } catch {
        // What the caller gets is the first fault; that the record could not take it either adds nothing.
      }
      throw thrown;
    }
  };

  /** What is left to do when a run is over and the record knows it. */
  const putAway = async (run: ActiveRun, result: RunResult): Promise<RunResult> => {
    run.place?.leave();
    if (run.place) await worktreeRuns.clear(run.state);
    return result;
  };

  /** A child that is known has its place already. */
  const placeBelow = async (parent: ActiveRun, callId: CallId): Promise<WorktreePlace> => {
    const { identity, spec } = parent.state;
    const runId = childRunId(identity.runId, callId);
    const known = parent.known.states.get(runId)?.spec;
    if (known?.worktree) return { workspace: known.workspace, worktree: known.worktree };
    return worktreeRuns.place(spec.workspace, runId, parent.stop.signal);
  };

  /** `run` is absent where tools are only shown and never called, as in a replay. */
  const toolsOf = (state: RunState, run?: ActiveRun): ReadonlyMap<string, AnyTool> => {
    const start = (child: ChildRun, signal: AbortSignal): Promise<RunResult | InBackground> =>
      run ? startChild(run, child, signal) : Promise.reject(new RetinueError("internal", "a replay starts no run"));
    const chain = run ? chainOf(run) : [];
    const { runId } = state.identity;
    const own = state.spec.tools.flatMap((name) => ports.tool(name) ?? []);
    const delegation = createDelegationTools({
      state,
      agents,
      model: options.model,
      chain,
      readFile: (file) => ports.readFile(file, state.spec.workspace),
      isolate: (callId) =>
        run ? placeBelow(run, callId) : Promise.reject(new RetinueError("internal", "a replay starts no run")),
      start,
      summarise: async (signal) => {
        const model = await ports.model(state.spec.summaryModel ?? state.spec.model);
        const most = state.spec.limits.contextTokens ?? model.contextWindow ?? SUMMARY_LIMIT;
        const summary = await summariseMessages(model, state.messages, most, signal);
        return {
          text: summary?.text ?? state.lastText,
          spent: { usage: summary?.usage ?? NO_USAGE, costUsd: summary ? summary.costUsd : 0 },
        };
      },
      condense: async (text, signal) => {
        const model = await ports.model(state.spec.summaryModel ?? state.spec.model);
        const answer: Message = { role: "user", content: [{ type: "text", text }] };
        const summary = await summariseMessages(model, [answer], model.contextWindow ?? SUMMARY_LIMIT, signal);
        return summary ? { text: summary.text, spent: { usage: summary.usage, costUsd: summary.costUsd } } : undefined;
      },
      resultTokens: options.resultTokens,
    });
    const steering =
      delegation.length === 0
        ? []
        : createSteeringTools({
            isBelow: (id) => isBelow(active.get(id), runId),
            stop: (id, reason) => void cancel(id, reason),
            send: (id, message) => void send(id, message, runId),
          });
    const asking =
      run?.parent && state.spec.tools.includes(ASK_PARENT) ? [createAskParentTool(run.parent.state, ports.model)] : [];
    return new Map([...own, ...delegation, ...steering, ...asking].map((tool) => [tool.name, tool]));
  };

  const acceptRun = (run: ActiveRun, accept: Acceptance, signal: AbortSignal): Promise<string | null> =>
    findRefusal(
      accept,
      {
        state: run.state,
        realPath: ports.realPath,
        judge: ports.judge ?? judge,
        shell: ports.shell && ((command, until) => ports.shell!(command, run.state.spec, until)),
        shellTool: ports.tool("shell"),
        ask: canAsk ? run.session.inbox.ask : undefined,
        verify: async (name, task, until) => {
          const agent = agents.get(name);
          if (!agent) throw new RetinueError("agent_unknown", `There is no agent "${name}".`);
          return spawnBelow(run, { agent, task, limits: {}, tools: undefined }, until);
        },
      },
      signal,
    );

  const startChild = async (parent: ActiveRun, child: ChildRun, signal: AbortSignal): Promise<RunResult | InBackground> => {
    const runId = childRunId(parent.state.identity.runId, child.callId);
    const known = parent.known.states.get(runId);
    if (known?.result) return known.result;
    // Whoever made the spec, and also where a record says what it was.
    if (!isNarrowed(parent.state.spec.grant, known?.spec ?? child.spec))
      throw new RetinueError("grant_exceeded", `${child.agent} was to hold more than the run above it may hand on.`);
    if (!known && parent.children >= options.maxChildren)
      throw new RetinueError(
        "too_many_children",
        `This run has started ${parent.children} sub-agents, and ${options.maxChildren} is the most.`,
      );
    if (!known) parent.children += 1;
    const pace = (parent.pacer ??= createPacer(options.maxConcurrent));
    if (!child.background) return pace(() => runChild(parent, child, { runId, state: known, resumed: true }, signal), signal);
    const stop = new AbortController();
    const until = AbortSignal.any([parent.stop.signal, stop.signal]);
    // Admitted before it is told that it is at work, so that a resumed parent finds it though it had to wait for its turn.
    const admitted = { runId, state: known ?? (await admit(parent, child, runId)), resumed: known !== undefined };
    const run = (): Promise<RunResult> => runChild(parent, child, admitted, until);
    // Stopped while it waited for its turn, it is driven to its end at once.
    const work = pace(run, until).catch((thrown: unknown) => (until.aborted ? run() : Promise.reject(thrown)));
    const one = { stop, work };
    const background = (parent.background ??= new Set());
    background.add(one);
    const forget = (): void => void background.delete(one);
    work.then(forget, forget);
    const { runId: parentId } = parent.state.identity;
    const mailbox = (parent.mailbox ??= createMailbox());
    mailbox.expect(
      work.then(
        async (result) => mailbox.put(runId, [await toLetter(parent, runId, result)]),
        (thrown: unknown) =>
          mailbox.put(runId, [
            { type: "text", text: `[${child.agent}, ${runId}, failed] ${toErrorValue(thrown).message} (parent ${parentId})` },
          ]),
      ),
    );
    return { inBackground: runId };
  };

  /** Of the runs that an earlier process started in the background, goes on with those that have not settled, and tells of the others. */
  const findBackground = async (parent: ActiveRun): Promise<void> => {
    const { sessionId, runId } = parent.state.identity;
    const events = (await log.read(sessionId)).filter((event) => event.runId === runId);
    const settled = new Set(events.flatMap((event) => (event.type === "tool.settled" ? [event.callId] : [])));
    const heardOf = new Set(events.flatMap((event) => (event.type === "message.received" ? [event.from] : [])));
    for (const event of events) {
      if (event.type !== "tool.started" || !settled.has(event.callId) || !isInBackground(event.input)) continue;
      const { callId } = event;
      const id = childRunId(runId, callId);
      const known = parent.known.states.get(id);
      if (!known || heardOf.has(id)) continue;
      const { agent } = known.identity;
      if (known.result) (parent.mailbox ??= createMailbox()).put(id, [await toLetter(parent, id, known.result)]);
      else await startChild(parent, { callId, agent, task: "", spec: known.spec, background: true }, parent.stop.signal);
    }
  };

  /** How a run hears of what it started in the background. */
  const toLetter = async (parent: ActiveRun, runId: RunId, result: RunResult): Promise<UserPart> => {
    const { sessionId } = parent.state.identity;
    const agent = agents.get(result.agent ?? "");
    const { report } = await createReport(result, {
      mostTokens: agent?.resultTokens ?? options.resultTokens,
      artifacts: {
        write: async (text) => write(parent.tree, () => log.writeArtifact(sessionId, clean(text))),
        read: async (artifactId) => log.readArtifact(sessionId, artifactId),
      },
    });
    return { type: "text", text: `[result of ${result.agent ?? "a sub-agent"}, ${runId}]\n${JSON.stringify(report)}` };
  };

  const admit = async (parent: ActiveRun, child: ChildRun, runId: RunId): Promise<RunState> => {
    const { sessionId, runId: parentRunId, depth } = parent.state.identity;
    const draft = request(
      { sessionId, runId, parentRunId, depth: depth + 1, agent: child.agent },
      [{ type: "text", text: child.task }],
      child.spec,
      {
        parentCallId: child.callId,
        ...(child.history === undefined ? {} : { history: child.history }),
      },
    );
    const { tree, lease } = parent;
    const admitted = await write(tree, () => log.append([draft], lease ?? undefined));
    for (const event of admitted) publish(parent.session, event);
    return createState(draft);
  };

  /** Admits the child, or finds it again, and runs it. A failing child gives a result; it never throws into its parent. */
  const runChild = async (
    parent: ActiveRun,
    child: ChildRun,
    { runId, state, resumed }: { readonly runId: RunId; readonly state: RunState | undefined; readonly resumed: boolean },
    signal: AbortSignal,
  ): Promise<RunResult> => {
    const order = child.spec.worktree && ordersOf(parent)[child.background ? "background" : "foreground"];
    const run = state
      ? drive(state, { parent, known: parent.known, resumed, order })
      : drive(await admit(parent, child, runId), { parent, known: parent.known, resumed: false, order });
    const onAbort = (): void => run.stop.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await run.result;
    } catch (thrown) {
      return toResult(
        run.state,
        { status: "failed", bailoutReason: "error", error: toErrorValue(thrown) },
        run.state.used.activeMs,
      );
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  };

  type Requested = EventDraft & { readonly type: "run.requested" };

  const request = (
    identity: RunIdentity,
    task: readonly UserPart[],
    spec: RunSpec,
    more: Partial<Pick<Requested, "parentCallId" | "continues" | "forkedFrom" | "history">>,
  ): Requested => ({
    ...identity,
    at: ports.clock.date(),
    type: "run.requested",
    task: clean(task),
    // The folder is where it is, whatever its name.
    spec: { ...clean(spec), workspace: spec.workspace, ...(spec.worktree === undefined ? {} : { worktree: spec.worktree }) },
    ...clean(more),
  });

  const spawnBelow = async (
    parent: ActiveRun,
    { agent, task, limits, tools, isolation = agent.isolation }: Spawned,
    signal: AbortSignal,
  ): Promise<RunResult> => {
    const { spec, identity } = parent.state;
    if (identity.depth + 1 > spec.grant.maxDepth)
      throw new RetinueError(
        "depth_exceeded",
        `This run is at depth ${identity.depth}, and ${spec.grant.maxDepth} is the deepest.`,
      );
    const callId = spawnCallId(parent, agent.name, task);
    const place = isolation === "worktree" ? await placeBelow(parent, callId) : undefined;
    const child: ChildRun = {
      callId,
      agent: agent.name,
      task,
      background: false,
      spec: createSpec({
        agent,
        agents,
        grant: spec.grant,
        model: options.model,
        workspace: place?.workspace ?? spec.workspace,
        worktree: place?.worktree,
        depth: identity.depth + 1,
        assignment: { parentAgent: identity.agent, task },
        summaryModel: spec.summaryModel,
        request: { limits, tools },
      }),
    };
    const result = await startChild(parent, child, AbortSignal.any([signal, parent.stop.signal]));
    if ("inBackground" in result) throw new RetinueError("internal", "a run in the foreground went to the background");
    return result;
  };

  const toHandle = (run: ActiveRun, follower: Follower, outer?: AbortSignal): RunHandle => {
    const { sessionId, runId } = run.state.identity;
    const { session, stop } = run;
    session.followers.add(follower);
    const onOuterAbort = (): void => stop.abort(outer?.reason);
    if (outer?.aborted) onOuterAbort();
    else outer?.addEventListener("abort", onOuterAbort, { once: true });
    const result = run.result.finally(() => {
      outer?.removeEventListener("abort", onOuterAbort);
      session.followers.delete(follower);
      follower.end();
    });
    result.catch(() => undefined);
    return {
      sessionId,
      runId,
      result,
      cancel: (reason) => void cancel(runId, reason),
      [Symbol.asyncIterator]: () => follower.events(),
    };
  };

  const send: Engine["send"] = (runId, text, from = "human") => {
    const run = active.get(runId);
    if (!run) return false;
    (run.mailbox ??= createMailbox()).put(from, [{ type: "text", text }]);
    return true;
  };

  /** Throws `session_running` where a living process works on the run: another one, or this engine itself. */
  const refuseHeld = async ({ identity: { runId, sessionId }, result }: RunState, isHere: () => boolean): Promise<void> => {
    if (result) return;
    const holder = await log.holder(runId);
    if (holder && (!holder.isSelf || isHere())) throw heldError(sessionId, holder);
  };

  const cancel: Engine["cancel"] = (runId, reason = "The run was cancelled.") => {
    const run = active.get(runId);
    run?.stop.abort(new RetinueError("cancelled", reason));
    return run !== undefined;
  };

  return {
    start: async ({ agent, task, spec, sessionId: given, forkedFrom, mergeOrder, signal }) => {
      const sessionId: SessionId = given ?? `ses_${createId()}`;
      const earlier = given === undefined ? [] : await log.read(given);
      const previous = given === undefined ? null : latestRoot(earlier, given);
      // In this process a session may be given its next turn before the one before is done.
      if (previous) await refuseHeld(previous, () => false);
      const draft = request({ sessionId, runId: `run_${createId()}`, parentRunId: null, depth: 0, agent }, task, spec, {
        ...(previous === null ? {} : { continues: previous.identity.runId }),
        ...(forkedFrom === undefined ? {} : { forkedFrom, history: historyAt(await log.read(forkedFrom.sessionId), forkedFrom) }),
      });
      const [admitted] = await log.append([draft]);
      if (!admitted) throw new RetinueError("internal", "the log appended nothing");
      const follower = createFollower(admitted.seq - 1, (seq) => log.read(sessionId, seq));
      follower.push(admitted);
      options.observer?.(admitted);
      sessionOf(sessionId).inbox.restore(earlier);
      return toHandle(
        drive(createState(draft, previous ? settledMessages(previous) : []), {
          parent: null,
          known: { states: new Map(), seq: admitted.seq },
          resumed: false,
          order: mergeOrder,
        }),
        follower,
        signal,
      );
    },
    spawnBelow: async (parentId, spawned, signal) => {
      const parent = active.get(parentId);
      if (!parent) throw new RetinueError("run_unknown", `No run ${parentId} is at work here.`);
      return spawnBelow(parent, spawned, signal);
    },
    placeWorktree: (workspace) => worktreeRuns.place(workspace, createId(), new AbortController().signal),
    toolsFor: (state) => toolsOf(state),
    resume: async (runId, { takeOver: isForced = false } = {}) => {
      const sessionId = await log.sessionOf(runId);
      if (sessionId === undefined) throw new RetinueError("run_unknown", `There is no run ${runId}.`);
      const events = await log.read(sessionId);
      const known: Known = { states: fold(events), seq: events.at(-1)?.seq ?? 0 };
      const state = known.states.get(runId);
      if (!state) throw new RetinueError("run_unknown", `There is no run ${runId}.`);
      if (!isForced) await refuseHeld(state, () => active.has(runId));
      const follower = createFollower(known.seq, (seq) => log.read(sessionId, seq));
      sessionOf(sessionId).inbox.restore(events);
      return toHandle(drive(state, { parent: null, known, resumed: true, onlyIfFree: !isForced }), follower);
    },
    cancel,
    send,
    approvals: (sessionId) =>
      [...sessions].filter(([id]) => sessionId === undefined || id === sessionId).flatMap(([, { inbox }]) => inbox.pending()),
    purse: (runId) => active.get(runId)?.purse,
    answer: (approvalId, answer) => [...sessions.values()].some(({ inbox }) => inbox.answer(approvalId, answer)),
    close: async () => {
      const roots = [...active.values()].filter(({ parent }) => parent === null);
      for (const { stop } of roots) stop.abort(new RetinueError("cancelled", "Retinue was closed."));
      await Promise.allSettled(roots.map(({ result }) => result));
    },
  };
};

const isInBackground = (input: Json): boolean =>
  typeof input === "object" && input !== null && !Array.isArray(input) && (input as JsonObject)["background"] === true;

const SUMMARY_LIMIT = 32_000;
const NO_MESSAGES: ReturnType<Mailbox["take"]> = [];
