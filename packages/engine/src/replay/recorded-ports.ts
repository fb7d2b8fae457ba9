/**
 * Ports that answer from the record of one stretch of a run: models say what they said, tools give what they gave in the order they gave it,
 * and the clock shows what it showed. What the loop would write is compared with what it wrote. Where the record ends, so does the replay.
 */
import type { EventOf, RecordedBody, RecordedEvent, RunId, RunResult, WaitingFor } from "@retinue/protocol";
import type { AnyTool, Ports } from "@retinue/runtime";
import { defineTool, isUnclosedWarning, Parked } from "@retinue/runtime";
import { z } from "zod";
import { emitAgain } from "./emit-again.ts";
import { executeAgain, judgeAgain } from "./recorded-calls.ts";
import { giveAnswers, giveFinishFor, giveNoticed } from "./recorded-inputs.ts";
import { recordedModel } from "./recorded-model.ts";
import type { Replay } from "./replay.ts";
import { cancelNow, EndOfRecord, isStartedAgain, nextAtEnd, refusalNext } from "./replay.ts";

export const createRecordedPorts = (replay: Replay, tools: Ports["tools"]): Ports => {
  const { record, stretch } = replay;
  if (replay.isCancelled && stretch[1]?.type === "run.settled") cancelNow(replay);
  giveNoticed(replay);
  return {
    emit: (drafts) => emitAgain(replay, drafts),
    model: (name) => recordedModel(replay, name),
    tools,
    clock: replay.clock,
    judge: (judged) => judgeAgain(replay, judged),
    execute: (_tool, _input, { callId }) => executeAgain(replay, callId),
    realPath: async (file) => file,
    artifacts: { write: async () => ({ artifactId: "art_replay", chars: 0, lines: 0 }), read: async () => undefined },
    background: () => runsBelow(replay),
    ask: () => undefined,
    // Whether an outage was waited for is what the record says of the turn that failed.
    outage: () => {
      const next = stretch[replay.written];
      return next?.type === "model.failed" && next.next !== null ? { type: "wait", waitMs: 0, leftMs: 0 } : { type: "fail" };
    },
    wait: async (on) => waitAgain(replay, on),
    // Nothing is open in a replay; what could not be closed then stands in the record.
    release: async () => record.settled?.result.warnings.filter(isUnclosedWarning) ?? [],
    bringBack: async function* () {
      for (const event of stretch) if (event.type === "worktree.merging" || event.type === "worktree.merged") yield toBody(event);
    },
    guard: {
      input: async () => refusalNext(replay, "input"),
      output: async () => refusalNext(replay, "output"),
      end: async () => {
        const next = nextAtEnd(replay);
        return next?.type === "result.rejected" && next.by === "hook" ? next.reason : null;
      },
      misfit: async () => {
        const next = nextAtEnd(replay);
        return next?.type === "result.rejected" && next.by === "schema" ? next.reason : null;
      },
    },
    accept: { command: RECORDED_COMMAND, verify: async ({ agent }) => verifyAgain(replay, agent) },
  };
};

/** Runs in the background that the run still waits for. */
const runsBelow = (replay: Replay): readonly RunId[] => {
  const next = nextAtEnd(replay);
  if (next?.type === "run.parked") return next.on.flatMap((one) => (one.type === "run" ? [one.runId] : []));
  // It heard of somebody, or was stopped, when it had nothing more to do: it had waited for a run below.
  return isWaitedFor(replay, next) ? ["run_below"] : [];
};

const isWaitedFor = ({ isCancelled }: Replay, event: RecordedEvent | undefined): boolean =>
  event?.type === "message.delivered" || event?.type === "run.finishing" || (event?.type === "run.settled" && isCancelled);

const waitAgain = (replay: Replay, on: readonly WaitingFor[]): "input" | "park" => {
  const { state, record } = replay;
  if (giveAnswers(replay, on)) return "input";
  for (const [callId, { approvalId }] of state.pendingApprovals)
    if (on.some((one) => one.type === "approval" && one.approvalId === approvalId) && giveFinishFor(replay, callId))
      return "input";
  for (const callId of replay.executedCalls.keys()) if (isStartedAgain(replay, callId)) return "input";
  if (record.parked) return "park";
  giveNoticed(replay);
  if (state.inbox.length > 0 || state.finishRequested) return "input";
  if (!replay.isCancelled) throw new EndOfRecord("the record ends while something is waited for");
  cancelNow(replay);
  return "input";
};

/** Never run: its outcome is in the record. */
const RECORDED_COMMAND: AnyTool = defineTool({
  name: "shell",
  description: "The command that accepts results.",
  input: z.object({ command: z.string() }),
  effect: "execute",
  repeatable: true,
  execute: () => "",
});

/** What the verifying agent must have handed back for the record to say what it says. */
const verifyAgain = (replay: Replay, agent: string): RunResult => {
  const next = nextAtEnd(replay);
  if (next?.type === "run.parked") throw new Parked(next.on);
  const refusal = next?.type === "result.rejected" && next.by === "accept" ? next.reason : null;
  const after = (words: string): string | null =>
    refusal?.startsWith(`${agent} ${words}: `) ? refusal.slice(`${agent} ${words}: `.length) : null;
  const unable = after("could not verify it");
  if (unable !== null) return { status: "failed", details: "", error: { code: "internal", message: unable } } as RunResult;
  const unclear = after("gave no verdict");
  return {
    status: "completed",
    details: unclear ?? (refusal === null ? "ACCEPT" : `REJECT: ${after("rejects it") ?? ""}`),
  } as RunResult;
};

const toBody = ({
  sessionId: _s,
  runId: _r,
  parentRunId: _p,
  depth: _d,
  agent: _a,
  seq: _n,
  at: _t,
  ...body
}: EventOf<"worktree.merging" | "worktree.merged">): RecordedBody => body;
