/** Runs the real loop on given models and tools, with a list for a log and a clock that stands still. */
import path from "node:path";
import type { Model } from "@retinue/model/contract";
import type {
  ApproveMode,
  ArtifactId,
  EventDraft,
  InputBody,
  RecordedEvent,
  RetinueEvent,
  RunResult,
  RunSpec,
} from "@retinue/protocol";
import { isLive, RetinueError } from "@retinue/protocol";
import { apply, createState, fold } from "../record/fold.ts";
import { driveRun } from "../loop/loop.ts";
import type { Hooks } from "../loop/hooks.ts";
import type { Driven } from "../loop/parked.ts";
import type { AcceptPorts, ApprovalAnswer, ApprovalRequest, Ports } from "../loop/ports.ts";
import type { Redactor } from "../record/redactor.ts";
import type { AnyTool } from "../loop/tool.ts";
import type { ManualClock } from "../limits/manual-clock.ts";
import { createManualClock } from "../limits/manual-clock.ts";

export type TestRunOptions = {
  /** The first is the run's model, the others are its fallbacks. */
  readonly models: readonly Model[];
  readonly tools?: readonly AnyTool[];
  readonly task?: string;
  readonly spec?: Partial<RunSpec>;
  /** `all` by default. */
  readonly approveMode?: ApproveMode;
  /** Answers the questions of the run; without it nobody is there. */
  readonly approve?: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;
  readonly accept?: AcceptPorts;
  /** Questions are left to be answered later: the run parks. */
  readonly park?: boolean;
  readonly hooks?: Hooks;
  readonly redactor?: Redactor;
  readonly signal?: AbortSignal;
  /** Without it, a run whose models are away fails. */
  readonly outage?: NonNullable<Ports["outage"]>;
  readonly clock?: ManualClock;
  /** The log takes its time, as one on a disk does: an append is done a turn of the event loop later. */
  readonly slowLog?: boolean;
  /** A log to go on with, as after a crash. Its first event requests the run. */
  readonly log?: readonly RecordedEvent[];
  /** Sees each event as it happens. */
  readonly onEvent?: (event: RetinueEvent) => void;
  /** Links of the pretended file system: real paths by path. */
  readonly links?: Readonly<Record<string, string>>;
};

export type TestRun = {
  /** Throws where the run has parked. */
  readonly result: RunResult;
  readonly driven: Driven;
  readonly events: readonly RetinueEvent[];
  /** The whole log, with what it began with. */
  readonly log: readonly RecordedEvent[];
  readonly artifacts: ReadonlyMap<string, string>;
};

const IDENTITY = { sessionId: "ses_test", runId: "run_test", parentRunId: null, depth: 0, agent: "main" } as const;

export const runTest = async (options: TestRunOptions): Promise<TestRun> => {
  const { models, tools = [], spec = {}, clock = createManualClock() } = options;
  const log: RecordedEvent[] = [...(options.log ?? [])];
  const append = (drafts: readonly EventDraft[]): readonly RecordedEvent[] => {
    const appended = drafts.map((draft, index): RecordedEvent => ({ ...draft, seq: log.length + index + 1 }));
    log.push(...appended);
    return appended;
  };
  const requested: EventDraft & { readonly type: "run.requested" } = {
    ...IDENTITY,
    at: clock.date(),
    type: "run.requested",
    task: [{ type: "text", text: options.task ?? "Do it." }],
    spec: {
      system: "You are a test.",
      model: models[0]?.id ?? "none/none",
      fallbacks: models.slice(1).map((model) => model.id),
      tools: tools.map((tool) => tool.name),
      limits: {},
      treeLimits: {},
      delegates: [],
      workspace: "/work",
      ...spec,
      grant: {
        tools: tools.map((tool) => tool.name),
        writes: [],
        hosts: [],
        approve: options.approveMode ?? "all",
        maxDepth: 3,
        ...spec.grant,
      },
    },
  };
  const resumed = options.log !== undefined;
  if (!resumed) append([requested]);
  const state = resumed ? fold(log).get(IDENTITY.runId) : createState(requested);
  if (!state) throw new RetinueError("run_unknown", "The log does not request the run.");
  const artifacts = new Map<string, string>();
  const signal = options.signal ?? new AbortController().signal;
  const events: RetinueEvent[] = [];
  const send = (event: RetinueEvent): void => {
    events.push(event);
    options.onEvent?.(event);
  };
  let ring = Promise.withResolvers<void>();
  /** Takes an input in as an engine does: recorded, in the state, shown. */
  const take = (body: InputBody): void => {
    if (signal.aborted) return;
    for (const event of append([{ ...IDENTITY, at: clock.date(), ...body }])) {
      apply(state, event);
      send(event);
    }
    ring.resolve();
    ring = Promise.withResolvers();
  };
  const ask = (request: ApprovalRequest): void => {
    const { approvalId } = request;
    options.approve?.(request, signal).then(
      ({ allowed, scope = "once", reason }) =>
        take({ type: "approval.answered", approvalId, allowed, scope, ...(reason === undefined ? {} : { reason }) }),
      () => undefined,
    );
  };
  const wait: NonNullable<Ports["wait"]> = async (_on, until) => {
    if (options.park === true) return "park";
    const stopped = Promise.withResolvers<void>();
    until.addEventListener("abort", () => stopped.resolve(), { once: true });
    if (!until.aborted) await Promise.race([ring.promise, stopped.promise]);
    return "input";
  };
  const ports: Ports = {
    emit: options.slowLog === true ? (drafts) => new Promise((resolve) => setImmediate(() => resolve(append(drafts)))) : append,
    model: (name) => {
      const model = models.find((one) => one.id === name);
      if (!model) throw new RetinueError("model_unknown", `There is no model ${name}.`);
      return model;
    },
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    clock,
    artifacts: {
      write: async (data) => {
        const text = typeof data === "string" ? data : Buffer.from(data).toString("base64");
        const artifactId: ArtifactId = `art_${artifacts.size + 1}`;
        artifacts.set(artifactId, text);
        return { artifactId, chars: text.length, lines: text.split("\n").length };
      },
      read: async (artifactId) => artifacts.get(artifactId),
    },
    realPath: async (file) => options.links?.[file] ?? path.resolve(file),
    ...(options.approve === undefined && options.park !== true ? {} : { ask, wait }),
    ...(options.accept === undefined ? {} : { accept: options.accept }),
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
    ...(options.redactor === undefined ? {} : { redactor: options.redactor }),
    ...(options.outage === undefined ? {} : { outage: options.outage }),
  };
  const driven = await driveRun({ state, ports, signal, epoch: 1, resumed }, send);
  return {
    get result() {
      if (driven.type === "settled") return driven.result;
      throw new RetinueError("internal", "The run has parked and has no result.");
    },
    driven,
    events,
    log,
    artifacts,
  };
};

/** Events as short lines, so that a whole sequence can be read and compared at once. */
export const toLines = (events: readonly RetinueEvent[]): readonly string[] =>
  events.map((event) => [event.type, ...detailsOf(event)].join(" "));

/** The recorded ones alone. */
export const toRecordedLines = (events: readonly RetinueEvent[]): readonly string[] =>
  toLines(events.filter((event) => !isLive(event)));

const detailsOf = (event: RetinueEvent): readonly (string | number)[] => {
  switch (event.type) {
    case "run.requested":
      return [];
    case "run.started":
      return event.resumed ? ["resumed"] : [];
    case "model.requested":
      return [event.step, event.model, ...(event.handIn ? ["hand-in"] : [])];
    case "model.answered":
      return [event.step, event.model, event.finishReason];
    case "model.failed":
      return [event.step, event.model, event.error.code, ...(event.next === null ? [] : [`then ${event.next}`])];
    case "approval.requested":
      return [event.act.tool];
    case "approval.answered":
      return [event.allowed ? "allowed" : "denied"];
    case "message.received":
      return [event.from];
    case "message.delivered":
      return [event.messageIds.length];
    case "cancel.requested":
      return event.finish === true ? ["finish"] : [];
    case "run.parked":
      return event.on.map((one) => (one.type === "approval" ? one.approvalId : one.runId));
    case "run.finishing":
      return [];
    case "message.withdrawn":
      return [event.messageId];
    case "turn.queued":
    case "turn.withdrawn":
      return [event.turnId];
    case "tool.started":
      return [event.callId, event.tool];
    case "tool.settled":
      return [event.callId, event.tool, event.outcome, ...(event.error === undefined ? [] : [event.error.code])];
    case "context.fitted":
      return [
        `cleared ${event.cleared.length}`,
        ...(event.summary === undefined ? [] : [`summarised ${event.summary.to - event.summary.from}`]),
      ];
    case "limit.reached":
      return [event.limit, `${event.used}/${event.max}`];
    case "result.rejected":
      return [event.by];
    case "guardrail.refused":
      return [event.on, event.guardrail];
    case "worktree.made":
      return [];
    case "worktree.refused":
      return [event.error.code];
    case "worktree.merging":
      return [...event.changes.map((change) => change.path), ...event.conflicts.map((conflict) => `!${conflict.path}`)];
    case "worktree.merged":
      return [
        ...event.created.map((file) => `+${file}`),
        ...event.modified.map((file) => `~${file}`),
        ...event.deleted.map((file) => `-${file}`),
        ...event.conflicts.map((conflict) => `!${conflict.path}`),
        ...(event.ref === null ? [] : ["kept"]),
      ];
    case "plan.made":
      return event.plan.steps.map(({ id }) => id);
    case "plan.step":
      return [event.stepId, event.state, event.attempt];
    case "plan.decided":
      return [event.stepId, event.decision, event.attempt];
    case "plan.settled":
      return [event.status];
    case "run.settled":
      return [event.result.status, ...(event.result.bailoutReason === undefined ? [] : [event.result.bailoutReason])];
    case "model.delta":
      return [event.kind, JSON.stringify(event.text)];
    case "model.retrying":
      return [event.attempt, event.error.code];
    case "tool.progress":
      return [event.callId, JSON.stringify(event.text)];
    default:
      return event satisfies never;
  }
};
