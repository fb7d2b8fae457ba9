/** Judges from outside what has become of a run that was stopped and resumed: by its file, its effects and what its processes said. */
import { isDeepStrictEqual } from "node:util";
import { spentBelow } from "@retinue/engine";
import type { EventOf, RecordedEvent, RecordedType, RunId, ToolCallPart } from "@retinue/protocol";
import { fold } from "@retinue/runtime";
import { readEffects } from "./effects.ts";
import { examineInputs } from "./examine-inputs.ts";
import { examineMerge } from "./examine-merge.ts";
import type { Finding, FindingKind } from "./finding.ts";
import type { Record } from "./read-record.ts";
import type { Scenario } from "./scenario.ts";
import type { PairedPart, VictimLine } from "./victim-line.ts";

export type Evidence = {
  readonly scenario: Scenario;
  readonly folder: string;
  /** What each process said. */
  readonly said: readonly (readonly VictimLine[])[];
  /** What each but the last has left behind. */
  readonly crashes: readonly Record[];
  /** What is there in the end. */
  readonly final: Record;
};

export type Examination = { readonly findings: readonly Finding[]; readonly unknown: number };

export const examine = (evidence: Evidence): Examination => {
  const findings: Finding[] = [];
  const find = (kind: FindingKind, what: string): void => void findings.push({ kind, what });
  const { final, crashes } = evidence;
  for (const fault of [...crashes, final].flatMap(({ faults }) => faults)) find("broken-chain", fault);
  examineEvents(evidence, find);
  examineCalls(evidence, find);
  examineEffects(evidence, find);
  examineUnknown(evidence, find);
  examineLimits(evidence, find);
  examineSpending(evidence, find);
  examineAsking(evidence, find);
  examineTree(evidence, find);
  examineApprovals(evidence, find);
  examineInputs(evidence, find);
  examineMerge(evidence, find);
  return { findings, unknown: of(final.events, "tool.settled").filter(({ outcome }) => outcome === "unknown").length };
};

export type Find = (kind: FindingKind, what: string) => void;

const of = <T extends RecordedType>(events: readonly RecordedEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event): event is RecordedEvent & EventOf<T> => event.type === type);

/** Everything that was there once, by acknowledgement or in a file after a crash, is there in the end. */
const examineEvents = ({ said, crashes, final }: Evidence, find: Find): void => {
  const acknowledged = said.flat().flatMap((line) => (line.type === "acknowledged" ? [line.event] : []));
  for (const event of [...acknowledged, ...crashes.flatMap(({ events }) => events)]) {
    const kept = final.events[event.seq - 1];
    if (!isDeepStrictEqual(kept, event)) find("lost", `event ${event.seq} (${event.type}) is not what it was`);
  }
};

const keyOf = ({ runId, callId }: { readonly runId: RunId; readonly callId: string }): string => `${runId} ${callId}`;

const examineCalls = ({ said, final: { events } }: Evidence, find: Find): void => {
  const settled = Map.groupBy(of(events, "tool.settled"), keyOf);
  const called = new Set<string>();
  for (const { runId, content } of of(events, "model.answered"))
    for (const { callId } of content.filter((part): part is ToolCallPart => part.type === "tool-call")) {
      const key = keyOf({ runId, callId });
      called.add(key);
      const results = settled.get(key)?.length ?? 0;
      if (results !== 1) find("unpaired", `call ${key} has ${results} results`);
    }
  for (const key of settled.keys()) if (!called.has(key)) find("unpaired", `the result of ${key} has no call`);
  for (const line of said.flat())
    if (line.type === "requested" && !isPaired(line.parts)) find("unpaired", "a request holds calls without their results");
};

/** Each call is answered exactly once before anything else is said. */
const isPaired = (parts: readonly PairedPart[]): boolean => {
  const open = new Set<string>();
  for (const part of parts) {
    if (part.type === "other" && open.size > 0) return false;
    if (part.type === "call") open.add(part.callId);
    if (part.type === "result" && !open.delete(part.callId)) return false;
  }
  return open.size === 0;
};

const tokenOf = (input: unknown): string | undefined => (input as { readonly token?: string } | null)?.token;

const examineEffects = ({ scenario, folder, final: { events } }: Evidence, find: Find): void => {
  const effects = readEffects(folder);
  const started = new Map(of(events, "tool.started").map((event) => [tokenOf(event.input), event]));
  const settled = new Map(of(events, "tool.settled").map((event) => [keyOf(event), event]));
  for (const [token, times] of effects) {
    const event = started.get(token);
    if (!event) find("wrong-effect", `${token} was made, and no record announced it`);
    if (times > 1 && scenario.expected.effects.includes(token)) find("twice", `${token} was made ${times} times`);
  }
  for (const token of scenario.expected.effects) {
    const event = started.get(token);
    const outcome = event && settled.get(keyOf(event))?.outcome;
    if (outcome === undefined) find("failed-resume", `${token} was never settled`);
    if (outcome === "ok" && !effects.has(token)) find("wrong-effect", `${token} is recorded as made, and was not`);
  }
};

/** Calls that were started and not settled when a process was stopped. */
const underWay = ({ events }: Record): readonly EventOf<"tool.started">[] => {
  const settled = new Set(of(events, "tool.settled").map(keyOf));
  return of(events, "tool.started").filter((event) => !settled.has(keyOf(event)));
};

/** What may not be repeated and was begun under one lease is unknown under the next; nothing else is. */
const examineUnknown = ({ crashes, final: { events } }: Evidence, find: Find): void => {
  const settled = new Map(of(events, "tool.settled").map((event) => [keyOf(event), event]));
  const begun = Map.groupBy(of(events, "run.started"), ({ runId }) => runId);
  const started = new Map(of(events, "tool.started").map((event) => [keyOf(event), event]));
  for (const event of crashes.flatMap(underWay)) {
    const outcome = settled.get(keyOf(event))?.outcome;
    if ((outcome === "unknown") !== !event.repeatable)
      find("wrong-unknown", `${keyOf(event)} was under way (repeatable: ${event.repeatable}) and settled as ${outcome}`);
  }
  for (const [key, { seq, runId, outcome }] of settled) {
    const start = started.get(key);
    const wasTaken = start && begun.get(runId)?.some((event) => event.seq > start.seq && event.seq < seq);
    if ((outcome === "unknown") !== (wasTaken === true && !start?.repeatable))
      find("wrong-unknown", `${key} settled as ${outcome}; taken over on the way: ${wasTaken}`);
  }
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const examineLimits = ({ scenario, final: { events } }: Evidence, find: Find): void => {
  const { expected } = scenario;
  const runs = Map.groupBy(events, ({ runId }) => runId);
  const totals = { iterations: 0, toolCalls: 0 };
  for (const [runId, own] of runs) {
    const [settled, ...again] = of(own, "run.settled");
    if (!settled || again.length > 0) {
      find("failed-resume", `${runId} settled ${again.length + (settled ? 1 : 0)} times`);
      continue;
    }
    const answers = of(own, "model.answered");
    const spent = spentIn(own);
    const recorded = {
      iterations: spent.iterations,
      toolCalls: spent.toolCalls,
      input: sum(answers.map(({ usage }) => usage.input)),
      output: sum(answers.map(({ usage }) => usage.output)),
      // In the run's own order, so that it is the same sum to the last bit.
      costUsd: spent.costUsd,
    };
    const { iterations, toolCalls, usage, costUsd, status, bailoutReason } = settled.result;
    const told = { iterations, toolCalls, input: usage.input, output: usage.output, costUsd };
    if (!isDeepStrictEqual(told, recorded))
      find("wrong-limits", `${runId} tells ${JSON.stringify(told)}, recorded is ${JSON.stringify(recorded)}`);
    totals.iterations += iterations;
    totals.toolCalls += toolCalls;
    const isMain = settled.depth === 0;
    const isExpected = isMain
      ? status === expected.status && bailoutReason === expected.bailoutReason
      : status === (settled.agent === scenario.inputs?.stopped ? "cancelled" : "completed");
    if (!isExpected)
      find(
        "failed-resume",
        `${runId} ended as ${status} (${bailoutReason ?? "no reason"}): ${JSON.stringify(settled.result.error)}`,
      );
  }
  const isTurns = expected.iterations === null || totals.iterations === expected.iterations;
  if (!isTurns || totals.toolCalls !== expected.toolCalls)
    find(
      "wrong-limits",
      `${totals.iterations} turns and ${totals.toolCalls} calls were used, not ${expected.iterations ?? "any"} and ${expected.toolCalls}`,
    );
};

type Spent = { iterations: number; toolCalls: number; tokens: number; costUsd: number };

/** What the events of a run say that it has spent itself. */
const spentIn = (own: readonly RecordedEvent[]): Spent => {
  const handIns = new Set(of(own, "model.requested").flatMap(({ step, handIn }) => (handIn ? [step] : [])));
  const answers = of(own, "model.answered");
  const started = new Set(of(own, "tool.started").map(({ callId }) => callId));
  return {
    iterations: answers.filter(({ step }) => !handIns.has(step)).length,
    toolCalls: of(own, "tool.settled").filter(({ callId }) => started.has(callId)).length,
    tokens: sum(answers.map(({ usage }) => usage.input + usage.output)),
    costUsd: sum(answers.map(({ costUsd }) => costUsd ?? 0)),
  };
};

/** What a resumed run would say that it and all below have used is the sum of what is recorded, at every crash and in the end. */
const examineSpending = ({ crashes, final }: Evidence, find: Find): void => {
  for (const { events } of [...crashes, final]) {
    const states = foldOrNull(events);
    if (!states) {
      find("failed-resume", "the record cannot be folded");
      continue;
    }
    const runs = Map.groupBy(events, ({ runId }) => runId);
    const isWithin = (runId: RunId | null, top: RunId): boolean =>
      runId !== null && (runId === top || isWithin(states.get(runId)?.identity.parentRunId ?? null, top));
    for (const [runId, state] of states) {
      const recorded = [...runs].filter(([one]) => isWithin(one, runId)).map(([, own]) => spentIn(own));
      const used = spentBelow(state, states);
      for (const axis of ["iterations", "toolCalls", "tokens"] as const)
        if (used[axis] !== sum(recorded.map((spent) => spent[axis])))
          find(
            "wrong-limits",
            `${runId} has used ${used[axis]} ${axis}, recorded is ${sum(recorded.map((spent) => spent[axis]))}`,
          );
      // Sums of the same amounts in another order may differ in the last bits.
      const costUsd = sum(recorded.map((spent) => spent.costUsd));
      if (Math.abs((used.costUsd ?? 0) - costUsd) > 1e-12)
        find("wrong-limits", `${runId} has used $${used.costUsd}, recorded is $${costUsd}`);
    }
  }
};

/** Null for a record that no run can go on from. */
const foldOrNull = (events: readonly RecordedEvent[]): ReturnType<typeof fold> | null => {
  try {
    return fold(events);
  } catch {
    return null;
  }
};

/** No process asks a model for an answer that was there when it began. */
const examineAsking = ({ said, crashes }: Evidence, find: Find): void => {
  for (const [at, { events }] of crashes.entries()) {
    const answers = Map.groupBy(of(events, "model.answered"), ({ agent }) => agent);
    for (const line of said[at + 1] ?? [])
      if (line.type === "requested" && line.answered < (answers.get(line.agent)?.length ?? 0))
        find("asked-again", `${line.agent} was asked for answer ${line.answered + 1} again`);
  }
};

const examineTree = ({ scenario, final: { events } }: Evidence, find: Find): void => {
  const requested = of(events, "run.requested");
  const starts = Map.groupBy(requested, ({ parentRunId, parentCallId }) => `${parentRunId} ${parentCallId}`);
  for (const [call, runs] of starts) if (runs.length > 1) find("child-twice", `${call} started ${runs.length} runs`);
  if (requested.length !== scenario.expected.runs) find("child-twice", `there are ${requested.length} runs`);
  for (const [runId, begun] of Map.groupBy(of(events, "run.started"), (event) => event.runId)) {
    const anew = begun.filter(({ resumed }) => !resumed).length;
    if (anew > 1) find("child-twice", `${runId} was started anew ${anew} times`);
  }
};

/** What was asked once is not asked again, keeps its id, is answered once, and nothing is done that nobody allowed. */
const examineApprovals = ({ scenario, said, crashes, final: { events } }: Evidence, find: Find): void => {
  if (scenario.approve !== "ask") return;
  const asked = of(events, "approval.requested");
  const answered = of(events, "approval.answered");
  for (const [key, questions] of Map.groupBy(asked, ({ runId, act }) => keyOf({ runId, callId: act.callId })))
    if (questions.length > 1) find("wrong-approval", `${key} was asked about ${questions.length} times`);
  for (const [id, answers] of Map.groupBy(answered, ({ approvalId }) => approvalId))
    if (answers.length > 1) find("wrong-approval", `${id} was answered ${answers.length} times`);
  for (const started of of(events, "tool.started").filter(({ effect }) => effect !== "read")) {
    const question = asked.find((event) => event.runId === started.runId && event.act.callId === started.callId);
    const answer = answered.find(({ approvalId }) => approvalId === question?.approvalId);
    if (answer?.allowed !== true || answer.seq > started.seq) find("wrong-approval", `${keyOf(started)} ran without an answer`);
  }
  const parked = asked.find(({ act }) => tokenOf(act.input) === scenario.parkedToken);
  const waiting = said.map((lines) => lines.filter((line) => line.type === "parked"));
  for (const { approvalId, hash } of waiting.flat())
    if (approvalId !== parked?.approvalId || hash !== parked.hash)
      find("wrong-approval", `${approvalId} (${hash}) waits, and ${parked?.approvalId} (${parked?.hash}) was asked`);
  for (const id of new Set(crashes.flatMap(({ events: then }) => openQuestions(then))))
    if (!answered.some(({ approvalId }) => approvalId === id)) find("wrong-approval", `${id} was open, and was never answered`);
  const left = crashes.at(-1)?.events ?? [];
  const isOpen = openQuestions(left).includes(parked?.approvalId ?? "");
  if (isOpen && waiting.at(-1)?.length !== 1) find("wrong-approval", "the question that was open is not open any more");
};

const openQuestions = (events: readonly RecordedEvent[]): readonly string[] => {
  const answered = new Set(of(events, "approval.answered").map(({ approvalId }) => approvalId));
  return of(events, "approval.requested").flatMap(({ approvalId }) => (answered.has(approvalId) ? [] : [approvalId]));
};
