/** Says which time is selected, on every view of a session, and takes it away; loads the runs that were at work in it, which every view then draws from. */
import { plural, timesOfDay } from "../parts/amounts.ts";
import { Icon } from "../parts/icons.tsx";
import { useScene, useSessionVersion } from "../session/session-context.ts";
import { isRunWithin, type TimeRange } from "../session/time-range.ts";
import { useEventsWithin } from "../session/use-events-within.ts";
import type { Replay } from "../session/use-replay.ts";
import { useWholeRuns } from "../session/use-whole-runs.ts";

type Props = { readonly range: TimeRange; readonly replay: Replay | null };

export const SelectedTime = ({ range, replay }: Props) => {
  const { session, setRange } = useScene();
  useSessionVersion(session);
  const { view } = session;
  const events = useEventsWithin(session, range, replay);
  const missing = useWholeRuns(
    session,
    [...view.runs.values()].filter((run) => isRunWithin(run, range)),
  );
  const [from, to] = timesOfDay(range.from, range.to);
  return (
    <div className="selected-time" role="group" aria-label="Selected time">
      <span className="chip">
        <span role="status">
          {from} to {to}
        </span>
        <span>
          · {events ?? "…"} of {plural(view.lastSeq, "event")}
        </span>
        <button
          type="button"
          className="chip-close"
          aria-label="Clear the selected time"
          title="Clear the selected time (Esc)"
          onClick={() => setRange(null)}
        >
          <Icon name="close" size={12} />
        </button>
      </span>
      <span className="quiet small">{missing > 0 ? `reading ${plural(missing, "run")} …` : ""}</span>
    </div>
  );
};
