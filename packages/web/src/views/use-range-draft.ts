/**
 * The time that is being selected in the timeline, by dragging, sliders or keys. It is drawn at once; the views are told when it has rested for a
 * moment, as browsers allow only so many changes of the address.
 */
import { type PointerEvent, useEffect, useRef, useState } from "react";
import type { TimeRange } from "../session/time-range.ts";
import { moveRangeEnd, toRange } from "./select-range.ts";
import type { TimelineScale } from "./timeline-lanes.ts";

/** A pointer that moved less has clicked. */
const CLICK_PX = 4;
const REST_MS = 150;

type Drag = { readonly x: number; readonly anchor: number; isMoved: boolean };

type Options = {
  readonly range: TimeRange | null;
  readonly setRange: (range: TimeRange | null) => void;
  readonly scale: TimelineScale;
};

export type RangeDraft = {
  /** As it is to be drawn. */
  readonly shown: TimeRange | null;
  readonly propose: (range: TimeRange) => void;
  /** One step to the left (-1) or right (1) from the end that does not stay. */
  readonly extend: (direction: -1 | 1) => void;
  readonly clear: () => void;
  /** True once after a drag: the click that a browser makes of its end is none. */
  readonly takeDragged: () => boolean;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerMove: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerUp: () => void;
    readonly onPointerCancel: () => void;
  };
};

export const useRangeDraft = ({ range, setRange, scale }: Options): RangeDraft => {
  const [draft, setDraft] = useState<TimeRange | null>(null);
  const latest = useRef<TimeRange | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const drag = useRef<Drag | null>(null);
  const isDragged = useRef(false);
  /** The end that stays while keys move the other. */
  const anchor = useRef<number | null>(null);

  const draw = (next: TimeRange | null): void => {
    latest.current = next;
    setDraft(next);
  };
  const commit = (): void => {
    clearTimeout(timer.current);
    if (latest.current !== null) setRange(latest.current);
    draw(null);
  };
  const propose = (next: TimeRange): void => {
    draw(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(commit, REST_MS);
  };
  // Whoever leaves the timeline before that has selected it all the same.
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      if (latest.current !== null && drag.current === null) setRange(latest.current);
    },
    [setRange],
  );

  const timeAt = (event: PointerEvent<SVGSVGElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return scale.toTime(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
  };
  const shown = draft ?? range;
  return {
    shown,
    propose,
    extend: (direction) => {
      const moved = moveRangeEnd({ range: latest.current ?? range, anchor: anchor.current, direction, scale });
      anchor.current = moved.anchor;
      propose(moved.range);
    },
    clear: () => {
      clearTimeout(timer.current);
      draw(null);
      setRange(null);
    },
    takeDragged: () => {
      const was = isDragged.current;
      isDragged.current = false;
      return was;
    },
    handlers: {
      onPointerDown: (event) => {
        isDragged.current = false;
        if (event.button !== 0 || !event.isPrimary) return;
        drag.current = { x: event.clientX, anchor: timeAt(event), isMoved: false };
      },
      onPointerMove: (event) => {
        const { current } = drag;
        if (current === null || (!current.isMoved && Math.abs(event.clientX - current.x) < CLICK_PX)) return;
        if (!current.isMoved) event.currentTarget.setPointerCapture(event.pointerId);
        current.isMoved = true;
        clearTimeout(timer.current);
        draw(toRange(current.anchor, timeAt(event)));
      },
      onPointerUp: () => {
        isDragged.current = drag.current?.isMoved === true;
        drag.current = null;
        if (isDragged.current) commit();
      },
      onPointerCancel: () => {
        drag.current = null;
        draw(null);
      },
    },
  };
};
