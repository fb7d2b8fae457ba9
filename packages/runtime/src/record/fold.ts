/**
 * `fold(events) → state`: the only way to know what has become of a run. The loop, resume, fork, replay and the views
 * share it. `apply` takes one more event at constant cost.
 */
import type {
  CallId,
  EventDraft,
  FinishReason,
  Json,
  Message,
  MessageId,
  RecordedEvent,
  RunId,
  Spent,
  TextPart,
  ToolCallPart,
  ToolMessage,
  Transferred,
  Usage,
  UserPart,
} from "@retinue/protocol";
import { asksForTransfer, NO_USAGE, RetinueError, toPossibleSpent } from "@retinue/protocol";
import { likenessOf } from "../policy/approvals.ts";
import { planKey } from "../plan/plan-key.ts";
import { estimateMessage } from "../context/estimate.ts";
import { DELEGATE } from "../delegation/delegate-tool-name.ts";
import { keyOfDelegation } from "../delegation/delegation-key.ts";
import { mergeWarnings } from "../delegation/merge-warnings.ts";
import type { OpenTurn, RunState } from "./run-state.ts";

/** How many calls the repetition guard looks back. */
const RECENT_CALLS = 6;

/** How many test runs claims are held against. */
const KEPT_TEST_RUNS = 50;

const CLEARED: readonly TextPart[] = [
  { type: "text", text: "[this older output was cleared to save context; call the tool again if you need it]" },
];

export const HAND_IN = (limit: string): string =>
  `[retinue] The limit "${limit}" of this run is reached. No tool can be called any more. ` +
  "Hand in what you have now: the result so far, what is missing, and what you would do next.";

export const FINISH = (reason: string | undefined): string =>
  `[retinue] Somebody asked this run to finish${reason === undefined ? "" : `: ${reason}`}. No tool can be called any more. ` +
  "Hand in what you have now: the result so far, what is missing, and what you would do next.";

const STUCK =
  "[retinue] You repeated the same calls and they gave the same results. No tool can be called any more. " +
  "Hand in what you have now: the result so far, what is missing, and what stopped you.";

const CUT_OFF = "The answer was cut off at the model's output limit.";

const NOTHING_SAID = "[retinue] Your last answer was empty. Call a tool, or give your final answer as text.";

/** How what we ourselves say to an agent begins. */
export const NOTICE = "[retinue] ";

const userMessage = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: a.cached + b.cached,
  reasoning: a.reasoning + b.reasoning,
});

/** Most runs never need these collections, and a thousand runs may wait at once: they share empty ones until they do. */
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_MESSAGES: readonly never[] = [];
const NO_WINDOWS: ReadonlyMap<string, number> = new Map();
const NO_ASIDES: ReadonlyMap<CallId, never> = new Map<CallId, never>();
const NO_DELEGATIONS: ReadonlyMap<string, readonly CallId[]> = new Map();
const NO_APPROVALS: ReadonlyMap<CallId, never> = new Map<CallId, never>();

type Sets =
  | "toldOfPlans"
  | "heardFrom"
  | "sentToBackground"
  | "allowed"
  | "callIds"
  | "filesModified"
  | "filesCreated"
  | "knownResults";
type Maps = "pendingApprovals" | "givenApprovals";

const ownSet = (state: RunState, key: Sets): Set<string> => {
  if (state[key] === NO_NAMES) state[key] = new Set();
  // All but the shared one were made here.
  return state[key] as Set<string>;
};

const ownMap = <Key extends Maps>(
  state: RunState,
  key: Key,
): Map<CallId, RunState[Key] extends ReadonlyMap<CallId, infer Value> ? Value : never> => {
  if (state[key] === NO_APPROVALS) Object.assign(state, { [key]: new Map() });
  // All but the shared one were made here.
  return state[key] as never;
};

/** The state of a run that was just requested. `earlier` is the conversation it goes on with. */
export const createState = (
  event: EventDraft & { readonly type: "run.requested" },
  earlier: readonly Message[] = [],
): RunState => {
  const { sessionId, runId, parentRunId, depth, agent, task } = event;
  const before = event.history ?? earlier;
  const state: RunState = {
    identity: { sessionId, runId, parentRunId, depth, agent },
    spec: event.spec,
    messages: [...before],
    taskIndex: task.length > 0 ? before.length : before.findLastIndex(({ role }) => role === "user"),
    step: 0,
    modelIndex: 0,
    turn: null,
    used: { iterations: 0, toolCalls: 0, activeMs: 0, usage: NO_USAGE, costUsd: 0, unpriced: false },
    contextTokens: 0,
    measured: false,
    turnTokens: 0,
    limit: null,
    handedIn: false,
    emptyAnswers: 0,
    recentCalls: [],
    lastText: "",
    cut: false,
    cuts: 0,
    cutText: "",
    nudged: false,
    stuck: false,
    answered: false,
    failure: null,
    inbox: NO_MESSAGES,
    heardFrom: NO_NAMES,
    sentToBackground: NO_NAMES,
    cancelRequested: null,
    finishRequested: null,
    finishing: false,
    parked: null,
    learnedWindows: NO_WINDOWS,
    asides: NO_ASIDES,
    allowed: NO_NAMES,
    pendingApprovals: NO_APPROVALS,
    givenApprovals: NO_APPROVALS,
    callIds: NO_NAMES,
    delegations: NO_DELEGATIONS,
    knownResults: NO_NAMES,
    warnings: [],
    rejections: 0,
    testsRun: 0,
    testsPassed: 0,
    testRuns: NO_MESSAGES,
    filesModified: NO_NAMES,
    filesCreated: NO_NAMES,
    worktree: null,
    transferredTo: null,
    toldOfPlans: NO_NAMES,
    result: null,
  };
  for (const message of before) state.contextTokens += estimateMessage(message);
  if (task.length > 0) push(state, { role: "user", content: task });
  return state;
};

/** Takes one more event of the same run. */
export const apply = (state: RunState, event: EventDraft): void => {
  switch (event.type) {
    case "run.requested":
      throw new RetinueError("internal", `run ${event.runId} was requested twice`);
    case "run.started":
      state.parked = null;
      return;
    case "run.parked":
      state.parked = event.on;
      state.used.activeMs = Math.max(state.used.activeMs, event.activeMs);
      return;
    case "run.finishing":
      state.finishing = true;
      state.stuck = event.stuck === true;
      if (!state.turn) push(state, userMessage(state.stuck ? STUCK : FINISH(event.reason)));
      return;
    case "cancel.requested": {
      const asked = { reason: event.reason };
      if (event.finish === true) state.finishRequested ??= asked;
      else state.cancelRequested ??= asked;
      return;
    }
    case "approval.requested":
      ownMap(state, "pendingApprovals").set(event.act.callId, event);
      // A question that is put again is open again.
      if (state.givenApprovals.has(event.act.callId)) ownMap(state, "givenApprovals").delete(event.act.callId);
      return;
    case "approval.answered":
      return applyApproval(state, event);
    case "message.received":
      return applyMessage(state, event);
    case "message.withdrawn":
      return withdraw(state, event.messageId);
    case "turn.queued":
    case "turn.withdrawn":
      // They concern the next turns of the session, and nothing of this run.
      return;
    case "message.delivered":
      return deliver(state, event.messageIds);
    case "model.requested":
      state.step = event.step;
      return;
    case "model.answered":
      return applyAnswer(state, event);
    case "model.failed":
      if (event.learnedWindow !== undefined)
        state.learnedWindows = new Map(state.learnedWindows).set(event.model, event.learnedWindow);
      if (event.next === null) {
        if (state.limit || state.finishing) state.handedIn = true;
        else state.failure = event.error;
      } else state.modelIndex = [state.spec.model, ...state.spec.fallbacks].indexOf(event.next);
      return;
    case "tool.started":
      if (event.aside !== undefined) {
        state.asides = new Map(state.asides).set(event.callId, { started: event, settled: null });
        return;
      }
      if (state.turn && !state.turn.started.has(event.callId)) countDelegation(state, event);
      state.turn?.started.set(event.callId, event);
      return;
    case "tool.settled":
      return applySettled(state, event);
    case "context.fitted":
      return applyFitted(state, event);
    case "limit.reached":
      state.limit = { limit: event.limit, used: event.used, max: event.max };
      if (!state.turn) push(state, userMessage(HAND_IN(event.limit)));
      return;
    case "result.rejected":
      return applyRejection(state, event);
    case "guardrail.refused":
      return applyRefusal(state, event);
    case "worktree.made":
      state.worktree = { base: event.base, merging: null, merged: null };
      return;
    case "worktree.refused":
      state.failure = event.error;
      return;
    case "worktree.merging":
    case "worktree.merged":
      return applyMerge(state, event);
    case "plan.made":
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
      ownSet(state, "toldOfPlans").add(planKey(event));
      return;
    case "run.settled":
      state.result = event.result;
      return;
    default:
      event satisfies never;
  }
};

/**
 * The states of all runs of a session, from its recorded events in order. Where the events begin later than the session, `known` has the
 * conversations of the runs before them that one of theirs goes on with.
 */
export const fold = (
  events: Iterable<RecordedEvent>,
  known: ReadonlyMap<RunId, readonly Message[]> = new Map(),
): Map<RunId, RunState> => {
  const states = new Map<RunId, RunState>();
  for (const event of events) {
    if (event.type === "run.requested") {
      const before = event.continues === undefined ? undefined : states.get(event.continues);
      const earlier = before ? settledMessages(before) : ((event.continues && known.get(event.continues)) ?? []);
      states.set(event.runId, createState(event, earlier));
    } else {
      const state = states.get(event.runId);
      if (!state)
        throw new RetinueError("internal", `event ${event.seq} speaks of run ${event.runId}, which was never requested`);
      apply(state, event);
    }
  }
  return states;
};

/** The conversation without a turn whose calls are still open: it has no results to go on from. */
export const settledMessages = (state: RunState): readonly Message[] =>
  state.turn ? state.messages.slice(0, -1) : state.messages;

const push = (state: RunState, message: Message): void => {
  state.messages.push(message);
  state.contextTokens += estimateMessage(message);
};

const applyAnswer = (state: RunState, event: EventDraft & { readonly type: "model.answered" }): void => {
  const calls: ToolCallPart[] = [];
  let text = "";
  for (const part of event.content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "tool-call") {
      calls.push(part);
      ownSet(state, "callIds").add(part.callId);
    }
  }
  const { usage } = spend(state, event);
  state.transferredTo = null;
  state.used.activeMs = event.activeMs;
  state.turnTokens = usage.input + usage.output;
  if (text !== "") state.lastText = state.cutText + text;
  state.cutText = "";
  const isCut = event.finishReason === "length" && calls.length === 0;
  // Only what the model's own limit cut can go on; a limit of the run stands.
  state.cut = isCut && event.cutBy === undefined;
  if (isCut)
    state.warnings.push(
      event.cutBy === undefined ? CUT_OFF : `The answer was cut off: limits.${event.cutBy} allows no longer one.`,
    );
  if (text !== "" || calls.length > 0) state.emptyAnswers = 0;
  if (text !== "" || calls.length > 0) push(state, { role: "assistant", content: event.content });
  if (usage.input > 0) {
    state.contextTokens = usage.input + usage.output;
    state.measured = true;
  }
  if (state.limit || state.finishing) {
    state.handedIn = true;
    return;
  }
  state.used.iterations += 1;
  if (calls.length > 0) state.turn = openTurn(calls, event.finishReason);
  else if (event.finishReason === "filtered")
    state.failure = { code: "model_filtered", message: `${event.model} withheld its answer.` };
  else if (text !== "") state.answered = true;
  else if (++state.emptyAnswers < 2) push(state, userMessage(NOTHING_SAID));
  else state.failure = { code: "model_empty_answer", message: `${event.model} answered twice with nothing.` };
};

const openTurn = (calls: readonly ToolCallPart[], finishReason: FinishReason): OpenTurn => ({
  calls: new Map(calls.map((call) => [call.callId, call])),
  finishReason,
  started: new Map(),
  settled: new Map(),
  changed: new Set(),
});

/** Messages from before they were delivered entered the conversation where they stand. */
const applyMessage = (state: RunState, event: EventDraft & { readonly type: "message.received" }): void => {
  const { messageId, from, content } = event;
  if (from !== "human") ownSet(state, "heardFrom").add(from);
  if (messageId === undefined) return say(state, content);
  state.inbox = [...state.inbox, { messageId, from, content }];
};

/** Where the message is in the conversation already, taking it back changes nothing. */
const withdraw = (state: RunState, messageId: MessageId): void => {
  const message = state.inbox.find((one) => one.messageId === messageId);
  if (!message) return;
  state.inbox = state.inbox.filter((one) => one !== message);
  state.withdrawn = [...(state.withdrawn ?? []), message];
};

/** What a driver had taken notice of before it heard that it was taken back is in the conversation. */
const deliver = (state: RunState, messageIds: readonly MessageId[]): void => {
  for (const messageId of messageIds) {
    const waiting = state.inbox.find((one) => one.messageId === messageId);
    const message = waiting ?? state.withdrawn?.find((one) => one.messageId === messageId);
    if (!message) throw new RetinueError("internal", `message ${messageId} is delivered, but it was never received`);
    state.inbox = state.inbox.filter((one) => one !== message);
    say(state, message.content);
  }
};

const say = (state: RunState, content: readonly UserPart[]): void => {
  state.answered = false;
  state.delegations = NO_DELEGATIONS;
  push(state, { role: "user", content });
};

const settleAside = (state: RunState, event: EventDraft & { readonly type: "tool.settled" }): void => {
  const aside = state.asides.get(event.callId);
  if (!aside) throw new RetinueError("internal", `our own call ${event.callId} settled, but it was never started`);
  state.asides = new Map(state.asides).set(event.callId, { ...aside, settled: event });
  state.used.activeMs = Math.max(state.used.activeMs, event.activeMs);
  forgetApproval(state, event.callId);
  takeEffects(state, event);
};

const applySettled = (state: RunState, event: EventDraft & { readonly type: "tool.settled" }): void => {
  if (event.aside !== undefined) return settleAside(state, event);
  const { turn } = state;
  if (!turn?.calls.has(event.callId)) throw new RetinueError("internal", `call ${event.callId} settled, but it is not open`);
  const message: ToolMessage = {
    role: "tool",
    callId: event.callId,
    tool: event.tool,
    content: event.content,
    isError: event.outcome !== "ok",
  };
  turn.settled.set(event.callId, message);
  forgetApproval(state, event.callId);
  state.used.activeMs = Math.max(state.used.activeMs, event.activeMs);
  const started = turn.started.get(event.callId);
  if (started) state.used.toolCalls += 1;
  if (started?.effect === "execute" && hasChanges(event)) turn.changed.add(event.callId);
  if (started && isInBackground(started.input)) ownSet(state, "sentToBackground").add(event.callId);
  takeEffects(state, event);
  forgetDelegations(state, turn, message);
  if (turn.settled.size < turn.calls.size) return;
  state.turn = null;
  for (const one of turn.calls.values()) {
    const settled = turn.settled.get(one.callId);
    if (!settled) continue;
    push(state, settled);
    // A command that changed something each time goes on, though it says the same.
    state.recentCalls.push(`${signature(one, settled.content)}${turn.changed.has(one.callId) ? `\0${one.callId}` : ""}`);
  }
  if (state.recentCalls.length > RECENT_CALLS) state.recentCalls.splice(0, state.recentCalls.length - RECENT_CALLS);
  if (isTransfer(state, started, event)) return transfer(state, event.transferred);
  if (state.limit) push(state, userMessage(HAND_IN(state.limit.limit)));
  else if (state.finishing) push(state, userMessage(FINISH(state.finishRequested?.reason)));
};

type Settled = EventDraft & { readonly type: "tool.settled" };
type Started = EventDraft & { readonly type: "tool.started" };

/** Only a delegation that asked for it hands the conversation over. */
const isTransfer = (
  { spec }: RunState,
  started: (EventDraft & { readonly type: "tool.started" }) | undefined,
  event: Settled,
): event is Settled & Required<Pick<Settled, "transferred">> =>
  event.transferred !== undefined &&
  event.outcome === "ok" &&
  started !== undefined &&
  (started.tool === DELEGATE || spec.delegates.includes(started.tool)) &&
  asksForTransfer(started.input);

/** Whoever the conversation was handed to has answered, in the place of this run. */
const transfer = (state: RunState, { runId, agent, text }: Transferred): void => {
  state.transferredTo = { runId, agent };
  state.lastText = text;
  state.answered = true;
  push(state, { role: "assistant", content: [{ type: "text", text }] });
};

const hasChanges = ({ files }: Pick<Settled, "files">): boolean =>
  files !== undefined && files.created.length + files.modified.length > 0;

const isInBackground = (input: Json): boolean =>
  typeof input === "object" && input !== null && "background" in input && input["background"] === true;

const countDelegation = (state: RunState, event: Started): void => {
  const key = keyOfDelegation(state.spec, event);
  if (key === undefined) return;
  if (state.delegations === NO_DELEGATIONS) state.delegations = new Map();
  // All but the shared one were made here.
  const own = state.delegations as Map<string, readonly CallId[]>;
  own.set(key, [...(own.get(key) ?? []), event.callId]);
};

const findDelegation = ({ spec, delegations }: RunState, event: Started): readonly [string, readonly CallId[]] | undefined => {
  const key = keyOfDelegation(spec, event);
  const made = key === undefined ? undefined : delegations.get(key);
  return key !== undefined && made?.includes(event.callId) === true ? [key, made] : undefined;
};

/** Once something has changed, every delegation may be made again, but for the one that changed it. */
const forgetDelegations = (state: RunState, { calls, started }: OpenTurn, settled: ToolMessage): void => {
  const call = calls.get(settled.callId);
  const start = started.get(settled.callId);
  if (!call || !start || settled.isError) return;
  const own = state.delegations.size === 0 ? undefined : findDelegation(state, start);
  if (start.effect === "read" && !own) return;
  const result = signature(call, settled.content);
  if (state.knownResults.has(result)) return;
  ownSet(state, "knownResults").add(result);
  if (state.delegations.size > 0) state.delegations = own ? new Map([own]) : NO_DELEGATIONS;
};

const forgetApproval = (state: RunState, callId: CallId): void => {
  if (state.pendingApprovals.has(callId)) ownMap(state, "pendingApprovals").delete(callId);
  if (state.givenApprovals.has(callId)) ownMap(state, "givenApprovals").delete(callId);
};

/** What a call did to the world and spent counts, whoever made it. */
const takeEffects = (state: RunState, event: EventDraft & { readonly type: "tool.settled" }): void => {
  if (event.spent) spend(state, event.spent);
  if (event.tests) {
    state.testsRun += event.tests.run;
    state.testsPassed += event.tests.passed;
    const { latest, ...counts } = event.tests;
    state.testRuns = [...state.testRuns, counts, ...(latest ? [latest] : [])].slice(-KEPT_TEST_RUNS);
  }
  if (event.files) {
    for (const path of event.files.created) ownSet(state, "filesCreated").add(path);
    for (const path of event.files.modified) if (!state.filesCreated.has(path)) ownSet(state, "filesModified").add(path);
  }
};

const applyRejection = (state: RunState, { by, reason }: EventDraft & { readonly type: "result.rejected" }): void => {
  state.answered = false;
  if (by === "unfinished") return applyUnfinished(state, reason);
  if (++state.rejections > 1) {
    state.failure = { code: by === "schema" ? "invalid_result" : "not_accepted", message: reason };
    return;
  }
  push(state, userMessage(`[retinue] Your result was not accepted: ${reason}\nMend it and hand in the whole result again.`));
};

/** Who was cut off goes on where it stopped, and both parts are the answer; who only promised is told so once. */
const applyUnfinished = (state: RunState, reason: string): void => {
  if (state.cut) {
    state.cuts += 1;
    state.cutText = state.lastText;
    state.warnings.splice(state.warnings.lastIndexOf(CUT_OFF), 1);
  } else state.nudged = true;
  push(state, userMessage(`[retinue] ${reason}`));
};

/** What was refused on its way out is not handed back; the record has it. */
const applyRefusal = (state: RunState, event: EventDraft & { readonly type: "guardrail.refused" }): void => {
  const { on, guardrail, reason } = event;
  const what = on === "input" ? "what was asked" : "the answer";
  state.failure = { code: "guardrail_refused", message: `The guardrail "${guardrail}" refused ${what}: ${reason}` };
  if (on === "output") state.lastText = "";
};

const applyMerge = (state: RunState, event: EventDraft & { readonly type: "worktree.merging" | "worktree.merged" }): void => {
  if (!state.worktree) throw new RetinueError("internal", `run ${event.runId} merges a worktree that it has not`);
  if (event.type === "worktree.merging") {
    const { commit, changes, conflicts } = event;
    state.worktree = { ...state.worktree, merging: { commit, changes, conflicts } };
    return;
  }
  const { created, modified, deleted, conflicts, ref, notMerged, left } = event;
  const merged = {
    created,
    modified,
    deleted,
    conflicts,
    ref,
    ...(notMerged === undefined ? {} : { notMerged }),
    ...(left === undefined ? {} : { left }),
  };
  state.worktree = { ...state.worktree, merged };
  state.warnings.push(...mergeWarnings(merged));
};

const applyApproval = (state: RunState, event: EventDraft & { readonly type: "approval.answered" }): void => {
  for (const [callId, { approvalId, act, hash, at }] of state.pendingApprovals) {
    if (approvalId !== event.approvalId) continue;
    ownMap(state, "pendingApprovals").delete(callId);
    ownMap(state, "givenApprovals").set(callId, {
      approvalId,
      act,
      hash,
      askedAt: at,
      scope: event.scope,
      allowed: event.allowed,
      reason: event.reason,
      ...(state.finishRequested ? { isLate: true } : {}),
      ...(event.text === undefined ? {} : { text: event.text }),
    });
    if (event.allowed && event.scope !== "once") ownSet(state, "allowed").add(likenessOf(act));
  }
};

const applyFitted = (state: RunState, event: EventDraft & { readonly type: "context.fitted" }): void => {
  if (event.cleared.length > 0) {
    const cleared = new Set(event.cleared);
    state.messages.forEach((message, index) => {
      if (message.role === "tool" && cleared.has(message.callId)) state.messages[index] = { ...message, content: CLEARED };
    });
  }
  if (event.summary) {
    const { from, to, text } = event.summary;
    state.messages.splice(from, to - from, userMessage(text));
    if (from < state.taskIndex) state.taskIndex -= to - from - 1;
    spend(state, event.summary);
  }
  state.contextTokens -= event.beforeTokens - event.afterTokens;
};

/** Gives what it counted: a record of an older version may hold impossible figures. */
const spend = (state: RunState, recorded: Spent): Spent => {
  const spent = toPossibleSpent(recorded);
  state.used.usage = addUsage(state.used.usage, spent.usage);
  if (spent.costUsd === null) state.used.unpriced = true;
  else state.used.costUsd += spent.costUsd;
  return spent;
};

/** Two calls with the same signature asked the same and were answered the same. */
export const signature = (call: ToolCallPart, content: readonly UserPart[]): string => {
  let said = "";
  for (const part of content)
    if (part.type !== "text") said += `${part.data}\n`;
    else if (!part.text.startsWith(NOTICE)) said += `${part.text}\n`;
  // How long a run took says nothing about what came of it.
  if (said.includes('"durationMs":')) said = said.replaceAll(/"durationMs":\d+/g, "");
  return `${call.tool}\0${call.arguments}\0${said.length}\0${said.slice(0, 120)}\0${said.slice(-120)}`;
};
