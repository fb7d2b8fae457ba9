/** Agents that may start each other without end; only the depth of a session stops them. */

/** One way round for each group of agents that reach each other, as `a, b, a`. */
export const findDelegationCycles = (delegates: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] => {
  const covered = new Set<string>();
  const cycles: (readonly string[])[] = [];
  for (const name of [...delegates.keys()].toSorted()) {
    if (covered.has(name)) continue;
    const way = shortestWayBack(name, delegates);
    if (!way) continue;
    cycles.push(way);
    for (const other of reachable(name, delegates)) if (reachable(other, delegates).has(name)) covered.add(other);
  }
  return cycles;
};

const shortestWayBack = (start: string, delegates: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined => {
  const ways: (readonly string[])[] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of delegates.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
};

const reachable = (start: string, delegates: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> => {
  const seen = new Set<string>();
  // A set hands out what is added to it while it is walked.
  const open = new Set(delegates.get(start));
  for (const name of open) {
    seen.add(name);
    for (const next of delegates.get(name) ?? []) open.add(next);
  }
  return seen;
};
