/** The turns of a run, one line each: what was said, what was called, what it took. The latest are shown; the others on demand. */
import type { RunView, StepView } from "@retinue/client";
import { useState } from "react";
import { count, plural, took } from "../parts/amounts.ts";
import { Glyph } from "../parts/status.tsx";
import { useScene } from "../session/session-context.ts";
import { stepsWithin, type TimeRange } from "../session/time-range.ts";
import { ToolCard } from "../tree/tool-card.tsx";

const SHOWN = 12;

/** `12`; with a selected time `3 of 12`. */
export const describeSteps = (run: RunView, range: TimeRange | null): string =>
  range === null ? String(countSteps(run)) : `${stepsWithin(run, range).length} of ${countSteps(run)}`;

/** Those that were not loaded too. */
const countSteps = ({ steps, unloaded }: RunView): number =>
  unloaded.reduce((sum, { from, to }) => sum + to - from, steps.length);

const toDuration = ({ askedAt, endedAt }: StepView): string =>
  endedAt === null ? "" : took(Math.max(0, Date.parse(endedAt) - Date.parse(askedAt)));

export const Steps = ({ run, version }: { readonly run: RunView; readonly version: number }) => {
  const { isUnfolded, unfold, session, range } = useScene();
  const [shown, setShown] = useState(SHOWN);
  // The runs of a selected time are loaded whole by whoever shows it.
  const missing = range === null ? run.unloaded.at(-1) : undefined;
  const within = range === null ? run.steps.map((step) => ({ step, calls: step.calls })) : stepsWithin(run, range);
  const all = range === null ? countSteps(run) : within.length;
  // Only those after the last one that was not loaded are shown: nothing is missing between two of them.
  const latest = missing === undefined ? within : within.slice(Math.max(0, within.length - (all - missing.to)));
  const steps = latest.slice(Math.max(0, latest.length - shown));
  const hidden = all - steps.length;
  const showMore = (): void => {
    setShown(shown + 5 * SHOWN);
    if (missing !== undefined && shown + 5 * SHOWN > latest.length)
      session.pieces.loadSteps(run, { from: Math.max(missing.from, missing.to - 5 * SHOWN), to: missing.to });
  };
  return (
    <ol className="steps">
      {hidden === 0 ? null : (
        <li>
          <button type="button" className="button plain small" onClick={showMore}>
            {hidden} earlier
          </button>
        </li>
      )}
      {steps.map(({ step, calls }) => (
        <li key={step.step}>
          <div className="line">
            <Glyph status={step.state === "answered" ? "completed" : step.state === "failed" ? "failed" : "running"} />
            <span className="grow clip">
              <span className="quiet">{step.step}.</span> {step.handIn ? "hands in: " : ""}
              {step.text.trim() === "" ? (
                step.calls.length === 0 ? (
                  <span className="quiet">{step.state === "asked" ? "thinks" : "nothing said"}</span>
                ) : (
                  plural(step.calls.length, "call")
                )
              ) : (
                step.text.trim().split("\n")[0]
              )}
            </span>
            <span className="quiet small">
              {step.usage === null ? "" : `${count(step.usage.input + step.usage.output)} tok`} {toDuration(step)}
            </span>
          </div>
          {calls.map((call) => (
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
