/** A report on agents in a few lines: one for each kind of file, with counts, and what was left out by an error. */
import path from "node:path";
import type { AgentsReport, FileReport } from "./check-agents.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { toPlain, toShown } from "./format-report.ts";
import type { Severity } from "./problem.ts";
import { SEVERITIES } from "./problem.ts";

export type FileKind = Dialect | "skills" | "settings" | "commands";

export type KindCounts = Readonly<Record<Severity, number>> & {
  readonly kind: FileKind;
  readonly files: number;
  /** Those of its files that define something that is used. */
  readonly used: number;
};

/** In the order of their names; without what comes with Retinue. */
export const countKinds = ({ files }: AgentsReport): readonly KindCounts[] => {
  const byKind = Map.groupBy(
    files.filter(({ origin }) => origin !== "built-in"),
    kindOf,
  );
  return [...byKind]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([kind, reports]) => ({
      kind,
      files: reports.length,
      used: reports.filter((report) => isUsed(report, kind)).length,
      error: countOf(reports, "error"),
      warning: countOf(reports, "warning"),
      notice: countOf(reports, "notice"),
    }));
};

export type SummaryOptions = {
  /** Paths below it are shown relative to it. */
  readonly folder?: string;
};

const MOST_ERRORS = 5;

export const summariseReport = (report: AgentsReport, { folder }: SummaryOptions = {}): string => {
  const kinds = countKinds(report);
  if (kinds.length === 0) return "There are no agents but those that come with Retinue.\n";
  const errors = report.files.flatMap(({ file, problems }) =>
    problems
      .filter(({ severity }) => severity === "error")
      .map(({ line, message }) => `${toShown(file, folder)}:${line}: ${toPlain(message)}`),
  );
  const found = kinds.reduce((sum, { error, warning, notice }) => sum + error + warning + notice, 0);
  const more = errors.length - MOST_ERRORS;
  return [
    ...formatKinds(kinds),
    ...errors.slice(0, MOST_ERRORS).map((error) => `  ${error}`),
    ...(more > 0 ? [`  and ${more} more error${more === 1 ? "" : "s"}`] : []),
    ...(found > Math.min(errors.length, MOST_ERRORS) ? ["-v tells all of it, line by line."] : []),
    "",
  ].join("\n");
};

/** `claude-code: 11 of 12 files used; 1 error, 0 warnings, 3 notices`. */
export const formatKinds = (kinds: readonly KindCounts[]): readonly string[] =>
  kinds.map((counts) => {
    const found = SEVERITIES.map((severity) => `${counts[severity]} ${severity}${counts[severity] === 1 ? "" : "s"}`);
    return `${counts.kind}: ${counts.used} of ${counts.files} file${counts.files === 1 ? "" : "s"} used; ${found.join(", ")}`;
  });

const countOf = (reports: readonly FileReport[], wanted: Severity): number =>
  reports.flatMap(({ problems }) => problems).filter(({ severity }) => severity === wanted).length;

const isUsed = ({ agents, problems }: FileReport, kind: FileKind): boolean =>
  kind === "skills" || kind === "settings" || kind === "commands"
    ? problems.every(({ severity }) => severity !== "error")
    : agents.length > 0;

/** A file that defines nothing is of the kind that its place is for. */
const kindOf = ({ file, dialect, isCommand }: FileReport): FileKind => {
  if (isCommand) return "commands";
  if (dialect !== undefined) return dialect;
  const folders = file.split(path.sep);
  if (path.basename(file) === "SKILL.md") return "skills";
  if (/\.ya?ml$/i.test(file)) return "skill-yaml";
  if (folders.includes(".claude") ? /\.json$/i.test(file) : /^opencode\.jsonc?$/i.test(path.basename(file))) return "settings";
  if (/\.json$/i.test(file)) return "agent-roles";
  if (folders.includes(".claude")) return "claude-code";
  return folders.includes(".opencode") || folders.includes("opencode") ? "opencode" : "retinue";
};
