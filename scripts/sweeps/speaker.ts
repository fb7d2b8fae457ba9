/**
 * Another process than the one that drives: it lists and answers the questions of a run, sends it a message and stops one of its children, through the
 * record alone. What it has said stands in the record, so that it says nothing twice, whoever drives the run by then.
 */
import { createEmbeddedEngine, type Engine } from "@retinue/engine";
import type { RecordedEvent, RunId } from "@retinue/protocol";
import type { Inputs } from "./scenario.ts";
import type { TrialLog } from "./trial-record.ts";
import { ROOT_RUN, SESSION } from "./victim-names.ts";

export type Speaker = {
  /** Says what can be said by now. True when the main run waits for the last question alone. */
  readonly look: () => Promise<boolean>;
  /** From the next look on it answers the last question. */
  readonly answerLast: () => void;
};

export const createSpeaker = (log: TrialLog, { message, stopped, lastToken }: Inputs): Speaker => {
  const engine = createListening(log);
  const events: RecordedEvent[] = [];
  let answersLast = false;
  let isLastOpen = false;
  const answer = async (): Promise<void> => {
    isLastOpen = false;
    for (const { approvalId, act } of await engine.approvals(SESSION)) {
      const isLast = (act.input as { readonly token?: string }).token === lastToken;
      if (isLast && !answersLast) isLastOpen = true;
      else await engine.answer(approvalId, { allowed: true });
    }
  };
  const steer = async (): Promise<void> => {
    const child = events.find(({ type, agent }) => type === "model.requested" && agent === stopped);
    if (!child) return;
    if (!events.some((event) => event.type === "message.received" && event.from === "human"))
      await engine.send(ROOT_RUN, message);
    if (!events.some(({ type }) => type === "cancel.requested")) await engine.cancel(child.runId, { reason: "It is enough." });
  };
  return {
    look: async () => {
      const added = await log.read(SESSION, events.length);
      events.push(...added);
      if (added.length === 0 && !(answersLast && isLastOpen)) return isLastOpen && isParked(events, ROOT_RUN);
      await steer();
      await answer();
      return isLastOpen && isParked(events, ROOT_RUN);
    },
    answerLast: () => void (answersLast = true),
  };
};

/** It parked, and nothing was recorded of it since. */
const isParked = (events: readonly RecordedEvent[], runId: RunId): boolean =>
  events.findLast((event) => event.runId === runId)?.type === "run.parked" &&
  // Nothing else is at work: those that have not settled have parked.
  [...Map.groupBy(events, (event) => event.runId).values()].every((own) =>
    ["run.parked", "run.settled"].includes(own.at(-1)?.type ?? ""),
  );

const nothing = (): never => {
  throw new Error("Whoever only speaks drives nothing.");
};

/** An engine that drives nothing. */
const createListening = (log: TrialLog): Engine =>
  createEmbeddedEngine({
    log,
    createId: () => "spoken",
    agents: new Map(),
    model: "none",
    maxConcurrent: 1,
    maxChildren: 0,
    unattended: "park",
    source: { via: "command" },
    ports: {
      model: nothing,
      tool: () => undefined,
      clock: { now: () => performance.now(), date: () => new Date().toISOString(), after: nothing },
      realPath: nothing,
      readFile: nothing,
    },
  });
