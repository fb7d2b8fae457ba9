/** One answer of a model as it comes: shown piece by piece, without secrets, and given whole at its end. */
import type { Model, ModelAnswer, ModelRequest } from "@retinue/model/contract";
import { RetinueError, toPossibleSpent } from "@retinue/protocol";
import { createDeltaRedaction } from "../record/delta-redaction.ts";
import type { LiveRun } from "./live-run.ts";

type Streamed = {
  readonly name: string;
  readonly model: Model;
  readonly step: number;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
};

export const streamAnswer = async (run: LiveRun, { name, model, step, request, signal }: Streamed): Promise<ModelAnswer> => {
  const { ports, show } = run;
  const deltas = ports.redactor && createDeltaRedaction(ports.redactor);
  let answer: ModelAnswer | null = null;
  for await (const chunk of model.stream(request, signal)) {
    switch (chunk.type) {
      case "text":
      case "reasoning":
      case "tool-input": {
        const text = deltas ? deltas.push(chunk.type, chunk.text) : chunk.text;
        if (!deltas || text !== "") show({ type: "model.delta", step, kind: chunk.type, text });
        break;
      }
      case "retry":
        deltas?.reset();
        show({
          type: "model.retrying",
          step,
          model: name,
          attempt: chunk.attempt,
          waitMs: chunk.waitMs,
          error: chunk.error,
        });
        break;
      case "answer":
        answer = toPossibleSpent(chunk);
        break;
      default:
        chunk satisfies never;
    }
  }
  for (const rest of deltas?.end() ?? []) show({ type: "model.delta", step, ...rest });
  if (!answer) throw new RetinueError("model_stream_incomplete", `${name} ended its stream without an answer.`);
  return answer;
};
