/** Who worked when: a lane for each run, model calls and tools as bars, waits hatched. A click chooses the run; in a replay the line is its cursor. A drag selects a time, which filters every view. */
import { type KeyboardEvent, type MouseEvent, useMemo } from "react";
import { clock, plural, took } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";
import { Glyph, toStatus } from "../parts/status.tsx";
import { useScene, useSessionVersion } from "../session/session-context.ts";
import type { LiveSession } from "../session/live-session.ts";
import type { TimeRange } from "../session/time-range.ts";
import type { Replay } from "../session/use-replay.ts";
import { useWholeRuns } from "../session/use-whole-runs.ts";
import { RangeSliders } from "./range-sliders.tsx";
import { createScale, type Lane, type Timeline, type TimelineScale, toTimeline } from "./timeline-lanes.ts";
import { useRangeDraft } from "./use-range-draft.ts";

const WIDTH = 1000;
const ROW = 26;

const LaneBars = ({ lane, scale, y }: { readonly lane: Lane; readonly scale: TimelineScale; readonly y: number }) => (
  <>
    <rect
      className="lane-span"
      x={scale.toX(lane.from) * WIDTH}
      y={y + 10}
      width={Math.max(1, (scale.toX(lane.to) - scale.toX(lane.from)) * WIDTH)}
      height={6}
    />
    {lane.bars.map(({ type, from, to, label, isBad }, at) => (
      <rect
        key={at}
        className={`lane-${type}${isBad ? " is-bad" : ""}`}
        x={scale.toX(from) * WIDTH}
        y={y + 6}
        width={Math.max(1.5, (scale.toX(to) - scale.toX(from)) * WIDTH)}
        height={14}
        rx={1.5}
      >
        <title>{`${label}: ${took(to - from)}`}</title>
      </rect>
    ))}
  </>
);

type SelectionProps = { readonly range: TimeRange; readonly scale: TimelineScale; readonly height: number };

/** What lies outside is veiled. */
const Selection = ({ range, scale, height }: SelectionProps) => {
  const [from, to] = [scale.toX(range.from) * WIDTH, scale.toX(range.to) * WIDTH];
  return (
    <g className="lane-selection">
      <rect className="lane-outside" x={0} y={0} width={from} height={height} />
      <rect className="lane-outside" x={to} y={0} width={WIDTH - to} height={height} />
      <rect className="lane-selected" x={from} y={0} width={Math.max(1, to - from)} height={height} />
    </g>
  );
};

const Legend = () => (
  <ul className="legend" aria-label="What the bars are">
    <li>
      <i className="key model" /> model
    </li>
    <li>
      <i className="key tool" /> tool
    </li>
    <li>
      <i className="key child" /> waits for a sub-agent
    </li>
    <li>
      <i className="key waiting" /> waits for you
    </li>
  </ul>
);

const Ticks = ({ timeline, scale }: { readonly timeline: Timeline; readonly scale: TimelineScale }) => {
  // On a clock all ticks of a few seconds would be the same.
  const format = timeline.to - timeline.from < SHORT_MS ? took : clock;
  return (
    <div className="ticks" aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map((x) => (
        <span key={x}>{format(scale.toTime(x) - timeline.from)}</span>
      ))}
    </div>
  );
};

const SHORT_MS = 10_000;

type Props = {
  /** The session as it is now, also while it is replayed: the whole of it stays in sight, and the cursor says how far the replay is. */
  readonly session: LiveSession;
  readonly replay: Replay | null;
};

export const TimelineView = ({ session, replay }: Props) => {
  const { selected, select, range, setRange } = useScene();
  const version = useSessionVersion(session);
  const isLive = session.view.roots.at(-1)?.state.type !== "settled";
  const now = useNow(isLive);
  const cursorAt = replay === null ? null : Date.parse(replay.events[replay.seq - 1]?.at ?? "");
  const timeline = useMemo(
    () => toTimeline(session.view, isLive ? now : Date.parse(session.view.updatedAt ?? "") || now),
    [session, version, now, isLive],
  );
  const missing = useWholeRuns(
    session,
    timeline.lanes.map(({ run }) => run),
  );
  const scale = useMemo(() => createScale(timeline), [timeline]);
  const draft = useRangeDraft({ range, setRange, scale });
  if (timeline.lanes.length === 0) return <p className="blank quiet">Nothing has run yet.</p>;
  const height = timeline.lanes.length * ROW;
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    // A slider has arrows of its own, and the keys of the page do not work in it.
    const isSlider = event.target instanceof HTMLInputElement;
    if (isSlider && event.key === "Escape") draft.clear();
    if (isSlider || !event.shiftKey) return;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    draft.extend(event.key === "ArrowLeft" ? -1 : 1);
  };
  const onLanes = (event: MouseEvent<SVGSVGElement>): void => {
    if (draft.takeDragged()) return;
    const box = event.currentTarget.getBoundingClientRect();
    const lane = timeline.lanes[Math.floor(((event.clientY - box.top) / box.height) * timeline.lanes.length)];
    if (replay !== null) {
      const time = scale.toTime((event.clientX - box.left) / box.width);
      replay.goTo(Math.max(1, replay.events.findLastIndex(({ at }) => Date.parse(at) <= time) + 1));
    } else if (lane !== undefined) select(lane.run.runId);
  };
  return (
    <div className="timeline" tabIndex={0} role="group" aria-label="Timeline of runs" onKeyDown={onKeyDown}>
      <div className="line wrap">
        <Legend />
        <span className="grow" />
        <span className="quiet small">
          {missing > 0 ? `reading ${plural(missing, "run")} … · ` : ""}
          {took(timeline.to - timeline.from)}
          {timeline.gaps.length === 0 ? "" : `, ${timeline.gaps.length} idle spans folded`}
        </span>
      </div>
      <div className="lanes">
        <ul className="lane-names" aria-label="Runs">
          {timeline.lanes.map(({ run }) => (
            <li key={run.runId}>
              <button
                type="button"
                className="lane-name"
                aria-current={selected === run.runId ? "true" : undefined}
                onClick={() => select(run.runId)}
              >
                <span className="lane-indent" data-depth={Math.min(run.depth, 6)} />
                <Glyph status={toStatus(run.state)} />
                <span className="clip">{session.names.nameOf(run)}</span>
              </button>
            </li>
          ))}
        </ul>
        <div className="lane-box">
          <svg
            viewBox={`0 0 ${WIDTH} ${height}`}
            preserveAspectRatio="none"
            height={height}
            role="img"
            aria-label={`${timeline.lanes.length} runs over ${took(timeline.to - timeline.from)}`}
            onClick={onLanes}
            {...draft.handlers}
          >
            <defs>
              <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="6" height="6" className="hatch-ground" />
                <rect width="2.5" height="6" className="hatch-line" />
              </pattern>
              <pattern id="hatch-child" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="1.5" height="6" className="hatch-child" />
              </pattern>
            </defs>
            {timeline.lanes.map((lane, at) =>
              at % 2 === 0 ? (
                <rect key={lane.run.runId} className="lane-stripe" x={0} y={at * ROW} width={WIDTH} height={ROW} />
              ) : null,
            )}
            {timeline.gaps.map((gap) => (
              <rect
                key={gap.from}
                className="lane-gap"
                x={scale.toX(gap.from) * WIDTH}
                y={0}
                width={Math.max(2, (scale.toX(gap.to) - scale.toX(gap.from)) * WIDTH)}
                height={height}
              >
                <title>{`idle ${clock(gap.to - gap.from)}`}</title>
              </rect>
            ))}
            {timeline.lanes.map((lane, at) => (
              <LaneBars key={lane.run.runId} lane={lane} scale={scale} y={at * ROW} />
            ))}
            {draft.shown === null ? null : <Selection range={draft.shown} scale={scale} height={height} />}
            {cursorAt === null || Number.isNaN(cursorAt) ? null : (
              <rect
                className="lane-later"
                x={scale.toX(cursorAt) * WIDTH}
                y={0}
                width={Math.max(0, (1 - scale.toX(cursorAt)) * WIDTH)}
                height={height}
              />
            )}
            {cursorAt === null || Number.isNaN(cursorAt) ? null : (
              <line
                className="lane-cursor"
                x1={scale.toX(cursorAt) * WIDTH}
                x2={scale.toX(cursorAt) * WIDTH}
                y1={0}
                y2={height}
              />
            )}
          </svg>
        </div>
      </div>
      <Ticks timeline={timeline} scale={scale} />
      <RangeSliders timeline={timeline} scale={scale} shown={draft.shown} onRange={draft.propose} />
      <p className="quiet small range-hint">Drag over the lanes, or Shift with the arrow keys, selects a time for every view.</p>
    </div>
  );
};
