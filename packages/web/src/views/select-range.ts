/** Selecting time in a timeline: between two times in either order, and by steps of equal width, however much idle time is folded beneath them. */
import type { TimeRange } from "../session/time-range.ts";
import type { TimelineScale } from "./timeline-lanes.ts";

/** Of the width of the timeline. */
const STEP = 1 / 40;

/** Whole milliseconds, as events have them, with both times inside. */
export const toRange = (one: number, other: number): TimeRange => ({
  from: Math.floor(Math.min(one, other)),
  to: Math.ceil(Math.max(one, other)),
});

type Move = {
  readonly range: TimeRange | null;
  /** The end that stays; where it is none of the range's, its beginning does. */
  readonly anchor: number | null;
  readonly direction: -1 | 1;
  readonly scale: TimelineScale;
};

/** Without a range, one begins at the left or right end of the timeline. */
export const moveRangeEnd = ({
  range,
  anchor,
  direction,
  scale,
}: Move): { readonly range: TimeRange; readonly anchor: number } => {
  const start = direction === 1 ? 0 : 1;
  const stays = range === null ? Math.round(scale.toTime(start)) : anchor === range.to ? range.to : range.from;
  const moves = range === null ? start : scale.toX(stays === range.to ? range.from : range.to);
  const next = toRange(stays, scale.toTime(Math.min(1, Math.max(0, moves + direction * STEP))));
  return { range: next, anchor: Math.abs(next.from - stays) <= Math.abs(next.to - stays) ? next.from : next.to };
};
