/** A model that says what it said, fails as it failed, and has the price and the window that the record shows it had. */
import type { EventOf } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Model, ModelChunk, ModelRequest } from "@retinue/runtime";
import { windowFor } from "@retinue/runtime";
import type { Replay } from "./replay.ts";
import { advanceTo, cancelNow, Divergence, EndOfRecord, nextDecision } from "./replay.ts";

/** What it costs and how much it can hold is read from what was decided next: the loop keeps a model that it has once resolved. */
export const recordedModel = (replay: Replay, name: string): Model => {
  const { state, stretch } = replay;
  const failed = nextDecision(replay);
  const isUnresolved =
    failed?.type === "model.failed" && failed.model === name && stretch[replay.written - 1]?.type !== "model.requested";
  if (isUnresolved && failed.error.code !== "price_unknown") throw toThrown(failed.error);
  return {
    id: name,
    // No window at all is one that is never reached.
    get contextWindow() {
      const decision = nextDecision(replay);
      // The turn before ended in time, and this one was asked for when it was over.
      if (decision?.type === "limit.reached" && decision.limit === "durationMs") advanceTo(replay, decision.used);
      if (decision?.type === "context.fitted") return windowFor(state.spec, decision.limitTokens);
      return decision?.type === "limit.reached" && decision.limit === "contextTokens"
        ? windowFor(state.spec, decision.max)
        : Infinity;
    },
    price: () => {
      const decision = nextDecision(replay);
      return decision?.type === "model.failed" && decision.error.code === "price_unknown" ? null : 0;
    },
    stream: (request, signal) => answer(replay, request, signal),
  };
};

const answer = async function* (replay: Replay, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const next = replay.stretch[replay.written];
  if (!next) throw new EndOfRecord("the record ends while a model is asked");
  switch (next.type) {
    case "model.answered":
      advanceTo(replay, next.activeMs);
      yield {
        type: "answer",
        content: next.content,
        finishReason: next.finishReason,
        usage: next.usage,
        costUsd: next.costUsd,
      };
      return;
    case "model.failed":
      throw toThrown(next.error);
    case "context.fitted": {
      if (!next.summary || next.summary.model === "none") throw NO_SUMMARY;
      const { text, usage, costUsd } = next.summary;
      yield {
        type: "answer",
        content: [{ type: "text", text: text.slice(text.indexOf("\n") + 1) }],
        finishReason: "stop",
        usage,
        costUsd,
      };
      return;
    }
    case "limit.reached":
      // What stood in the place of the summary was no shorter than what it was to stand for.
      if (next.limit === "contextTokens") throw NO_SUMMARY;
      advanceTo(replay, next.used);
      break;
    case "run.settled":
      if (replay.isCancelled) cancelNow(replay);
      else advanceTo(replay, replay.state.spec.limits.durationMs ?? 0);
      break;
    case "run.requested":
    case "run.started":
    case "model.requested":
    case "approval.requested":
    case "message.delivered":
    case "run.parked":
    case "run.finishing":
    case "result.rejected":
    case "guardrail.refused":
    case "worktree.made":
    case "worktree.refused":
    case "worktree.merging":
    case "worktree.merged":
    case "plan.made":
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
    case "tool.started":
    case "tool.settled":
      throw new Divergence(next.seq, `A model is asked (${request.messages.length} messages) where ${next.type} was recorded.`);
  }
  signal.throwIfAborted();
  throw new Divergence(next.seq, `${next.type} was recorded while a model was asked, but nothing stops it now.`);
};

/** Why a summary failed stands nowhere. Had its model been away, the record would say that it was waited for. */
const NO_SUMMARY = new RetinueError("model_bad_request", "It could not summarise.");

const toThrown = ({ code, message, hint }: EventOf<"model.failed">["error"]): RetinueError =>
  new RetinueError(code, message, hint === undefined ? {} : { hint });
