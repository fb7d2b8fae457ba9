/** The file that an agent of a name was to come from, where it is left out, and why. */
import type { LoadedAgents, Problem } from "@retinue/agents";
import { toAgentName } from "@retinue/agents";
import path from "node:path";

export type RefusedFile = { readonly file: string; readonly problems: readonly Problem[] };

/** By the name of the file, since that which stands in it could not be used. */
export const findRefused = (name: string, { problems }: Pick<LoadedAgents, "problems">): RefusedFile | undefined => {
  const wanted = toAgentName(name) ?? name;
  const file = problems.find(
    (problem) => problem.severity === "error" && toAgentName(path.parse(problem.file).name) === wanted,
  )?.file;
  if (file === undefined) return undefined;
  return {
    file,
    problems: problems.filter((problem) => problem.file === file).toSorted((one, other) => one.line - other.line),
  };
};
