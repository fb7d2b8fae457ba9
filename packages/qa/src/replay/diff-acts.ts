/** What is done otherwise in one recording of a case than in another, line by line; what is expected is no part of either. */
import { formatCall } from "../report/case-log.ts";
import type { RecordedAct, RecordedActs } from "./recorded-acts.ts";

export const diffActs = (before: RecordedActs, after: RecordedActs): readonly string[] =>
  [...new Set([...before.steps.keys(), ...after.steps.keys()])]
    .toSorted((one, other) => one - other)
    .flatMap((step) => {
      const [old, now] = [before.steps.get(step) ?? [], after.steps.get(step) ?? []];
      return Array.from({ length: Math.max(old.length, now.length) }, (_, at) => {
        const [from, to] = [toLine(old[at]), toLine(now[at])];
        if (from === to) return [];
        return [...(from === "" ? [] : [`- step ${step}: ${from}`]), ...(to === "" ? [] : [`+ step ${step}: ${to}`])];
      }).flat();
    });

const toLine = (act: RecordedAct | undefined): string => (act ? formatCall(act.tool, act.input) : "");
