/**
 * A list of rows of unequal height of which only those in sight are drawn. What is being read never moves: the row at the top of the window
 * keeps its place whatever happens around it, and the end is followed only by whoever is at the end.
 */
import { type ReactNode, type Ref, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";

export type VirtualRow = { readonly key: string; height: number };

export type RowsHandle = {
  readonly toEnd: () => void;
  readonly toRow: (key: string) => void;
};

type Props<Row extends VirtualRow> = {
  readonly rows: readonly Row[];
  readonly estimate: (row: Row) => number;
  readonly draw: (row: Row) => ReactNode;
  readonly label: string;
  readonly handle?: Ref<RowsHandle>;
  /** How many rows have come since the end was left; 0 at the end. */
  readonly onUnseen?: (rows: number) => void;
  /** New sessions are read from their end on, unless said otherwise. */
  readonly startsAtEnd?: boolean;
  readonly role?: string;
  /** Everything there was is in the rows. */
  readonly isComplete?: boolean;
};

const OVERSCAN_PX = 600;
/** Above a window that follows the end: nobody scrolls there. */
const OVERSCAN_AT_END_PX = 200;
/** So many rows beyond what is needed are left where they are. */
const SPARE_ROWS = 8;
const AT_END_PX = 32;

type Layout = { offsets: Float64Array; count: number };

export const VirtualRows = <Row extends VirtualRow>(props: Props<Row>) => {
  const { rows, estimate, draw, label, handle, onUnseen, startsAtEnd = true, role, isComplete } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const layout = useRef<Layout>({ offsets: new Float64Array(1), count: 0 });
  const atEnd = useRef(startsAtEnd);
  const seen = useRef(0);
  const anchor = useRef<{ key: string; offset: number; index: number } | null>(null);
  const [, setRange] = useState<readonly [number, number]>([0, 0]);
  const shown = useRef<readonly [number, number]>([0, 0]);
  const windowHeight = useRef(0);
  const [, redraw] = useState(0);

  const measure = (): void => {
    const { current } = layout;
    if (current.offsets.length < rows.length + 1) current.offsets = new Float64Array(Math.ceil((rows.length + 1) * 1.5));
    const { offsets } = current;
    let top = 0;
    for (let at = 0; at < rows.length; at++) {
      offsets[at] = top;
      const row = rows[at] as Row; // Within its bounds.
      top += row.height === 0 ? estimate(row) : row.height;
    }
    offsets[rows.length] = top;
    current.count = rows.length;
  };
  measure();
  const total = layout.current.offsets[rows.length] ?? 0;

  const indexAt = useCallback((y: number): number => {
    const { offsets, count } = layout.current;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((offsets[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }, []);

  /** Which rows are to be drawn where the window stands now. */
  const look = useCallback((): void => {
    const box = scroller.current;
    if (box === null) return;
    const { count } = layout.current;
    windowHeight.current = box.clientHeight;
    const from = indexAt(box.scrollTop - (atEnd.current ? OVERSCAN_AT_END_PX : OVERSCAN_PX));
    const to = Math.min(count, indexAt(box.scrollTop + box.clientHeight + OVERSCAN_PX) + 1);
    const [oldFrom, oldTo] = shown.current;
    if (from >= oldFrom && to <= oldTo && oldTo - oldFrom - (to - from) <= SPARE_ROWS) return;
    shown.current = [from, to];
    setRange(shown.current);
  }, [indexAt]);

  const remember = useCallback((): void => {
    const box = scroller.current;
    if (box === null) return;
    const index = indexAt(box.scrollTop);
    const row = rows[index];
    anchor.current =
      row === undefined ? null : { key: row.key, index, offset: box.scrollTop - (layout.current.offsets[index] ?? 0) };
  }, [indexAt, rows]);

  const onScroll = useCallback((): void => {
    const box = scroller.current;
    if (box === null) return;
    atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX;
    if (atEnd.current) {
      seen.current = layout.current.count;
      onUnseen?.(0);
    }
    remember();
    look();
  }, [look, remember, onUnseen]);

  // Whoever follows the end is drawn what has come in one go, instead of once more when the window has moved there.
  if (atEnd.current && windowHeight.current > 0)
    shown.current = [indexAt(total - windowHeight.current - OVERSCAN_AT_END_PX), rows.length];
  const from = Math.min(shown.current[0], rows.length);
  const to = Math.min(Math.max(shown.current[1], from), rows.length);
  // Whatever was drawn, the window stands where it stood: at the end, or at the row that was at its top.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    if (atEnd.current) {
      box.scrollTop = box.scrollHeight;
      seen.current = rows.length;
    } else if (anchor.current !== null) {
      const { key, offset, index } = anchor.current;
      const now = findNear(rows, key, index);
      if (now !== -1) {
        const top = (layout.current.offsets[now] ?? 0) + offset;
        if (Math.abs(top - box.scrollTop) > 0.5) box.scrollTop = top;
      }
      onUnseen?.(Math.max(0, rows.length - seen.current));
    }
    look();
    // What was drawn for the first time has another height than it was taken for.
    const { offsets } = layout.current;
    const isOff = rows.slice(from, to).some(({ height }, at) => {
      const taken = (offsets[from + at + 1] ?? 0) - (offsets[from + at] ?? 0);
      return height !== 0 && Math.abs(taken - height) > 0.5;
    });
    if (isOff) redraw((count) => count + 1);
  });

  const observer = useRef<ResizeObserver | null>(null);
  const measured = useRef(new WeakMap<Element, Row>());
  const observe = useCallback((element: HTMLElement | null, row: Row): void => {
    if (element === null) return;
    observer.current ??= new ResizeObserver((entries) => {
      let isChanged = false;
      for (const { target, borderBoxSize } of entries) {
        const known = measured.current.get(target);
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (known === undefined || height === 0 || Math.abs(known.height - height) < 0.5) continue;
        known.height = height;
        isChanged = true;
      }
      if (isChanged) redraw((count) => count + 1);
    });
    measured.current.set(element, row);
    observer.current.observe(element);
  }, []);
  useEffect(() => {
    const box = scroller.current;
    const windowObserver = new ResizeObserver(() => redraw((count) => count + 1));
    if (box !== null) windowObserver.observe(box);
    return () => {
      windowObserver.disconnect();
      observer.current?.disconnect();
      observer.current = null;
    };
  }, []);

  useImperativeHandle(
    handle,
    () => ({
      toEnd: () => {
        atEnd.current = true;
        redraw((count) => count + 1);
      },
      toRow: (key) => {
        const index = rows.findIndex((row) => row.key === key);
        const box = scroller.current;
        if (index === -1 || box === null) return;
        const top = layout.current.offsets[index] ?? 0;
        const isInSight = top >= box.scrollTop && top < box.scrollTop + box.clientHeight - 80;
        if (isInSight) return;
        atEnd.current = false;
        box.scrollTop = Math.max(0, top - 80);
        onScroll();
      },
    }),
    [rows, onScroll],
  );

  return (
    <div
      className="virtual"
      ref={scroller}
      onScroll={onScroll}
      tabIndex={0}
      role={role ?? "region"}
      aria-label={label}
      data-caught-up={isComplete}
    >
      <div className="virtual-space" style={{ height: total }}>
        <div className="virtual-window" style={{ top: layout.current.offsets[from] ?? 0 }}>
          {rows.slice(from, to).map((row) => (
            <Measured key={row.key} row={row} observe={observe}>
              {draw(row)}
            </Measured>
          ))}
        </div>
      </div>
    </div>
  );
};

/** Rows seldom go far: the place where it was is looked at first. */
const findNear = (rows: readonly VirtualRow[], key: string, index: number): number => {
  if (rows[index]?.key === key) return index;
  for (let away = 1; away < 400; away++) {
    if (rows[index + away]?.key === key) return index + away;
    if (rows[index - away]?.key === key) return index - away;
  }
  return rows.findIndex((row) => row.key === key);
};

type MeasuredProps<Row extends VirtualRow> = {
  readonly row: Row;
  readonly observe: (element: HTMLElement | null, row: Row) => void;
  readonly children: ReactNode;
};

const Measured = <Row extends VirtualRow>({ row, observe, children }: MeasuredProps<Row>) => {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // Its height is known before the first paint, so that nothing jumps.
    if (element.current !== null && row.height === 0) row.height = element.current.offsetHeight;
    observe(element.current, row);
  }, [row, observe]);
  return (
    <div ref={element} className="virtual-row">
      {children}
    </div>
  );
};
