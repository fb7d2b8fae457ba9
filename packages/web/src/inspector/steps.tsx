/** The turns of a run, one line each: what was said, what was called, what it took. The latest are shown; the others on demand. */
import type { RunView, StepView } from "@retinue/client";
import { useState } from "react";
import { count, took } from "../parts/amounts.ts";
import { Glyph } from "../parts/status.tsx";
import { useScene } from "../session/session-context.ts";
import { ToolCard } from "../tree/tool-card.tsx";

const SHOWN = 12;

const toDuration = ({ askedAt, endedAt }: StepView): string =>
  endedAt === null ? "" : took(Math.max(0, Date.parse(endedAt) - Date.parse(askedAt)));

export const Steps = ({ run, version }: { readonly run: RunView; readonly version: number }) => {
  const { isUnfolded, unfold } = useScene();
  const [shown, setShown] = useState(SHOWN);
  const hidden = Math.max(0, run.steps.length - shown);
  return (
    <ol className="steps">
      {hidden === 0 ? null : (
        <li>
          <button type="button" className="button plain small" onClick={() => setShown(shown + 5 * SHOWN)}>
            {hidden} earlier
          </button>
        </li>
      )}
      {run.steps.slice(hidden).map((step) => (
        <li key={step.step}>
          <div className="line">
            <Glyph status={step.state === "answered" ? "completed" : step.state === "failed" ? "failed" : "running"} />
            <span className="grow clip">
              <span className="quiet">{step.step}.</span> {step.handIn ? "hands in: " : ""}
              {step.text.trim() === "" ? (
                step.calls.length === 0 ? (
                  <span className="quiet">{step.state === "asked" ? "thinks" : "nothing said"}</span>
                ) : (
                  `${step.calls.length} calls`
                )
              ) : (
                step.text.trim().split("\n")[0]
              )}
            </span>
            <span className="quiet small">
              {step.usage === null ? "" : `${count(step.usage.input + step.usage.output)} tok`} {toDuration(step)}
            </span>
          </div>
          {step.calls.map((call) => (
            <ToolCard
              key={call.callId}
              call={call}
              version={version}
              isOpen={isUnfolded(`step/${call.callId}`)}
              onToggle={() => unfold(`step/${call.callId}`)}
            />
          ))}
        </li>
      ))}
    </ol>
  );
};
