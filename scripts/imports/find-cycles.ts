/** Finds import cycles: one closed path for each knot of files that all reach one another. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** The files that can be reached from one file, with the file through which each was first reached. */
const reachFrom = (graph: ImportGraph, start: string): Map<string, string> => {
  const reachedThrough = new Map<string, string>();
  const pending = [start];
  for (let file = pending.shift(); file !== undefined; file = pending.shift()) {
    for (const next of graph.get(file) ?? []) {
      if (reachedThrough.has(next)) continue;
      reachedThrough.set(next, file);
      pending.push(next);
    }
  }
  return reachedThrough;
};

/** Each cycle is a shortest one through its first file, that file at both ends. */
export const findCycles = (graph: ImportGraph): string[][] => {
  const known = new Set<string>();
  const cycles: string[][] = [];
  for (const start of [...graph.keys()].toSorted()) {
    if (known.has(start)) continue;
    const reachedThrough = reachFrom(graph, start);
    if (!reachedThrough.has(start)) continue;
    const cycle = [start];
    for (let file = reachedThrough.get(start); file !== undefined && file !== start; file = reachedThrough.get(file)) {
      cycle.unshift(file);
    }
    cycles.push([start, ...cycle]);
    for (const file of reachedThrough.keys()) if (reachFrom(graph, file).has(start)) known.add(file);
  }
  return cycles;
};
