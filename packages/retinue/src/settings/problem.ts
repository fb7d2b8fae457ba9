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

/** Whoever reads more has a file that was not written by hand. */
export const MOST_TOLD = 50;

const GRAVEST_FIRST: readonly ProblemCode[] = ["settings_unreadable", "settings_malformed", "settings_invalid"];

const toLine = (problem: Problem): string => [problem.where, problem.key, problem.what].filter((part) => part !== "").join(": ");

export const toSettingsError = (problems: readonly Problem[]): RetinueError => {
  const code = GRAVEST_FIRST.find((candidate) => problems.some((problem) => problem.code === candidate)) ?? "settings_invalid";
  const lines = problems.slice(0, MOST_TOLD).map(toLine);
  const more = problems.length > MOST_TOLD ? [`and ${problems.length - MOST_TOLD} more.`] : [];
  const message =
    problems.length === 1 ? lines.join("") : [`The settings have ${problems.length} problems.`, ...lines, ...more].join("\n");
  return new RetinueError(code, message, { hint: toHint(problems) });
};

/** Where to go and what to do there. */
const toHint = (problems: readonly Problem[]): string => {
  const [first] = problems;
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/.exec(first?.where ?? "") ?? [];
  const rest = problems.length > 1 ? " The others are named in the same way." : "";
  if (file !== undefined && line !== undefined) {
    const verb =
      first?.code === "settings_malformed" ? "mend the YAML there" : `change or remove ${first?.key || "what stands there"}`;
    return `Open ${file} at line ${line} and ${verb}.${rest} \`retinue doctor\` shows what is in force.`;
  }
  if (first?.where.startsWith("RETINUE_") === true) return `Change the variable ${first.where}, or unset it.${rest}`;
  if (first?.where.startsWith("--") === true) return `Change the option ${first.where}; \`--help\` tells what it takes.${rest}`;
  return `Check that ${first?.where} is a file that you may read.${rest}`;
};
