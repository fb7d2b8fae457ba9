/** How a run ended, where there is more to say than that it is done. */
import type { RunView } from "@retinue/client";
import { CopyButton } from "../parts/copy-button.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Glyph } from "../parts/status.tsx";
import { isAnsweredElsewhere } from "./rows.ts";
import { ErrorNote } from "./tool-card.tsx";

const BAILOUTS: Readonly<Record<string, string>> = {
  max_iterations: "It reached its limit of iterations.",
  max_tool_calls: "It reached its limit of tool calls.",
  timeout: "It ran out of time.",
  max_context: "It ran out of context.",
  max_tokens: "It reached its limit of tokens.",
  max_cost: "It reached its limit of cost.",
  stuck: "It did the same again and again.",
  error: "It failed.",
  cancelled: "It was stopped.",
};

export const EndingRow = ({ run }: { readonly run: RunView }) => {
  const { result } = run;
  if (result === null) return null;
  const stopped = run.cancelRequests.at(-1);
  const reason = result.bailoutReason === undefined ? "" : (BAILOUTS[result.bailoutReason] ?? result.bailoutReason);
  return (
    <div className="stack ending">
      {isAnsweredElsewhere(run) ? (
        <div className="said">
          <p className="quiet small">{run.transferredTo?.agent} answered in its place:</p>
          <div className="said-text">
            <Markdown text={result.details} />
            <CopyButton text={result.details} label="Copy as Markdown" />
          </div>
        </div>
      ) : null}
      {result.status === "completed" || (result.error !== undefined && result.status === "failed") ? null : (
        <div className="note" data-status={result.status}>
          <Glyph status={result.status} />
          <div>
            <strong>{result.status}</strong> {reason}
            {stopped?.reason == null || stopped.reason === "" ? null : ` “${stopped.reason}”`}
          </div>
        </div>
      )}
      {result.error === undefined ? null : <ErrorNote error={result.error} />}
      {[...result.warnings, ...result.unverified.map((claim) => `not supported by the record: ${claim}`)].map((warning, at) => (
        <div key={at} className="note" data-status="partial">
          <Glyph status="partial" />
          <div>{warning}</div>
        </div>
      ))}
      {result.merge?.conflicts.map(({ path, reason: why }) => (
        <div key={path} className="note" data-status="failed">
          <Glyph status="failed" />
          <div>
            <strong>{path}</strong> was not merged: {why}
          </div>
        </div>
      ))}
    </div>
  );
};
