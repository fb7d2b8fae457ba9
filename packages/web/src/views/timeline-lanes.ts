/** A session as lanes of time, one a run: when it thought, called and waited. Time in which nothing happened anywhere is folded away. */
import type { RunView, SessionView } from "@retinue/client";

export type LaneBar = {
  readonly type: "model" | "tool" | "waiting" | "child";
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly isBad: boolean;
};

export type Lane = { readonly run: RunView; readonly from: number; readonly to: number; readonly bars: readonly LaneBar[] };

export type Timeline = {
  readonly lanes: readonly Lane[];
  readonly from: number;
  readonly to: number;
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
};

/** More lanes than these say less, not more. */
const MOST_LANES = 300;
/** Silence of all runs longer than this is folded to it. */
const FOLDED_MS = 4_000;

const at = (text: string | null | undefined, otherwise: number): number => (text == null ? otherwise : Date.parse(text));

const toBars = (run: RunView, now: number): readonly LaneBar[] => {
  const bars: LaneBar[] = [];
  for (const step of run.steps) {
    const from = at(step.askedAt, now);
    bars.push({
      type: "model",
      from,
      to: at(step.endedAt, now),
      label: `${step.model}, step ${step.step}`,
      isBad: step.state === "failed",
    });
  }
  for (const call of run.calls.values()) {
    const { approval } = call;
    if (approval !== null)
      bars.push({
        type: "waiting",
        from: at(approval.requestedAt, now),
        to: approval.answer === null ? (approval.isClosed ? at(call.settledAt, now) : now) : at(approval.answer.at, now),
        label: `waits for an answer: ${call.tool}`,
        isBad: false,
      });
    const { children } = call;
    if (children.length > 0)
      bars.push({
        type: "child",
        from: Math.min(...children.map((child) => at(child.requestedAt, now))),
        to: Math.max(...children.map((child) => at(child.endedAt, now))),
        label: `waits for ${children.map(({ agent }) => agent).join(", ")}`,
        isBad: false,
      });
    else if (call.startedAt !== null)
      bars.push({
        type: "tool",
        from: at(call.startedAt, now),
        to: at(call.settledAt, now),
        label: call.tool,
        isBad: call.outcome === "error" || call.outcome === "denied",
      });
  }
  return bars;
};

const walk = (runs: readonly RunView[], add: (run: RunView) => boolean): void => {
  for (const run of runs) {
    if (!add(run)) return;
    walk(run.children, add);
  }
};

export const toTimeline = (view: SessionView, now: number): Timeline => {
  const lanes: Lane[] = [];
  walk(view.roots, (run) => {
    const from = at(run.requestedAt ?? run.startedAt, now);
    lanes.push({ run, from, to: at(run.endedAt, run.state.type === "settled" ? from : now), bars: toBars(run, now) });
    return lanes.length < MOST_LANES;
  });
  const [from, to] = [Math.min(...lanes.map((lane) => lane.from)), Math.max(...lanes.map((lane) => lane.to))];
  return { lanes, from, to, gaps: findGaps(lanes, from, to) };
};

/** Spans in which no model and no tool worked, longer than what they are folded to. */
const findGaps = (lanes: readonly Lane[], from: number, to: number): Timeline["gaps"] => {
  const busy = lanes
    .flatMap(({ bars }) => bars.filter(({ type }) => type === "model" || type === "tool"))
    .toSorted((a, b) => a.from - b.from);
  const gaps: { from: number; to: number }[] = [];
  let end = from;
  for (const bar of busy) {
    if (bar.from - end > FOLDED_MS) gaps.push({ from: end, to: bar.from });
    end = Math.max(end, bar.to);
  }
  if (to - end > FOLDED_MS) gaps.push({ from: end, to });
  return gaps;
};

/** From a time to a place between 0 and 1, with the gaps folded, and back. */
export type TimelineScale = {
  readonly toX: (time: number) => number;
  readonly toTime: (x: number) => number;
  readonly shownMs: number;
};

export const createScale = ({ from, to, gaps }: Pick<Timeline, "from" | "to" | "gaps">): TimelineScale => {
  const kept = Math.min(FOLDED_MS, Math.max(600, (to - from) / 60));
  const folded = (time: number): number => {
    let taken = 0;
    for (const gap of gaps) {
      if (time <= gap.from) break;
      const inside = Math.min(time, gap.to) - gap.from;
      const length = gap.to - gap.from;
      taken += inside - (inside / length) * kept;
    }
    return time - from - taken;
  };
  const shownMs = Math.max(1, folded(to));
  return {
    shownMs,
    toX: (time) => Math.min(1, Math.max(0, folded(time) / shownMs)),
    toTime: (x) => {
      let [low, high] = [from, to];
      for (let turn = 0; turn < 40; turn++) {
        const middle = (low + high) / 2;
        if (folded(middle) / shownMs < x) low = middle;
        else high = middle;
      }
      return (low + high) / 2;
    },
  };
};
