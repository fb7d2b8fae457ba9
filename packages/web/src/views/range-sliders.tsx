/** The selected time by its two ends: for fingers, keys and whoever cannot drag. */
import { timesOfDay } from "../parts/amounts.ts";
import type { TimeRange } from "../session/time-range.ts";
import { toRange } from "./select-range.ts";
import type { Timeline, TimelineScale } from "./timeline-lanes.ts";

const PLACES = 1000;

type Props = {
  readonly timeline: Timeline;
  readonly scale: TimelineScale;
  readonly shown: TimeRange | null;
  readonly onRange: (range: TimeRange) => void;
};

export const RangeSliders = ({ timeline, scale, shown, onRange }: Props) => {
  const range = shown ?? { from: timeline.from, to: timeline.to };
  const [from, to] = timesOfDay(range.from, range.to);
  const ends = [
    { name: "from", label: "From", text: from, time: range.from, other: range.to },
    { name: "to", label: "To", text: to, time: range.to, other: range.from },
  ] as const;
  return (
    <div className="range-sliders" role="group" aria-label="Select a time">
      {ends.map(({ name, label, text, time, other }) => (
        <label key={name}>
          <span className="quiet small clip">
            {label} {text}
          </span>
          <input
            type="range"
            min={0}
            max={PLACES}
            value={Math.round(scale.toX(time) * PLACES)}
            aria-label={`${label} this time`}
            aria-valuetext={text}
            onChange={({ target }) => {
              const next = scale.toTime(Number(target.value) / PLACES);
              // An end that meets the other stops there.
              onRange(toRange(name === "from" ? Math.min(next, other) : Math.max(next, other), other));
            }}
          />
        </label>
      ))}
    </div>
  );
};
