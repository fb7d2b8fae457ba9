/** The selected time, which the address keeps (`?from=…&to=…`): it outlives a reload and goes from view to view. */
import { useCallback, useMemo } from "react";
import { replaceAddress, useLocation } from "../parts/router.tsx";
import type { TimeRange } from "./time-range.ts";

export const toRangeQuery = (range: TimeRange | null): string =>
  range === null ? "" : `?from=${Math.floor(range.from)}&to=${Math.ceil(range.to)}`;

/** Null where none is written, or no span of time. */
export const fromRangeQuery = (search: string): TimeRange | null => {
  const query = new URLSearchParams(search);
  const [from, to] = [toTime(query.get("from")), toTime(query.get("to"))];
  return from === null || to === null || from > to ? null : { from, to };
};

/** The last time that a date can be. */
const MOST_MS = 8.64e15;

const toTime = (text: string | null): number | null => {
  const value = Number(text);
  return text === null || text === "" || !Number.isInteger(value) || Math.abs(value) > MOST_MS ? null : value;
};

export const useTimeRange = (): readonly [range: TimeRange | null, setRange: (range: TimeRange | null) => void] => {
  useLocation();
  const { search } = location;
  const range = useMemo(() => fromRangeQuery(search), [search]);
  const setRange = useCallback((next: TimeRange | null) => {
    const address = new URL(location.href);
    for (const name of ["from", "to"]) address.searchParams.delete(name);
    for (const [name, value] of new URLSearchParams(toRangeQuery(next))) address.searchParams.set(name, value);
    replaceAddress(`${address.pathname}${address.search}`);
  }, []);
  return [range, setRange];
};
