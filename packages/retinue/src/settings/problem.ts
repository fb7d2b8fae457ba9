/** Something wrong with the settings, and how all of it is told at once. */
import { RetinueError } from "@retinue/protocol";

export type ProblemCode = "settings_unreadable" | "settings_malformed" | "settings_invalid";

export type Problem = {
  readonly code: ProblemCode;
  /** `file:line:column`, the name of a variable, or a flag. */
  readonly where: string;
  /** The dotted key, empty where it is about the whole. */
  readonly key: string;
  readonly what: string;
};

const GRAVEST_FIRST: readonly ProblemCode[] = ["settings_unreadable", "settings_malformed", "settings_invalid"];

const toLine = (problem: Problem): string => [problem.where, problem.key, problem.what].filter((part) => part !== "").join(": ");

export const toSettingsError = (problems: readonly Problem[]): RetinueError => {
  const code = GRAVEST_FIRST.find((candidate) => problems.some((problem) => problem.code === candidate)) ?? "settings_invalid";
  const lines = problems.map(toLine);
  const message = lines.length === 1 ? lines.join("") : [`The settings have ${lines.length} problems.`, ...lines].join("\n");
  return new RetinueError(code, message);
};
