/** A report on agents for people and for programs. Nothing that a file says reaches a terminal but as plain characters. */
import path from "node:path";
import type { AgentsReport, FileReport } from "./check-agents.ts";
import type { Problem } from "./problem.ts";

export type FormatOptions = {
  /** Paths below it are shown relative to it. */
  readonly folder?: string;
  /** Files without problems too, and what is to be said of the agents that come with Retinue. */
  readonly all?: boolean;
  /** Longer messages go on in the next line, below their beginning; 80 by default. */
  readonly width?: number;
};

export const formatReport = ({ files }: AgentsReport, options: FormatOptions = {}): string => {
  const { all = false, width = 80, folder } = options;
  const meant = files.filter(({ origin }) => all || origin !== "built-in");
  const sections = meant
    .filter(({ problems }) => all || problems.length > 0)
    .map((report) => {
      const digits = Math.max(...report.problems.map(({ line }) => String(line).length));
      const lines = report.problems.flatMap((problem) => formatProblem(problem, digits, width));
      return [`${toShown(report.file, folder)}${about(report)}`, ...lines].join("\n");
    });
  return `${[...sections, summarise(meant)].join("\n\n")}\n`;
};

export const formatReportJson = (report: AgentsReport): string => `${JSON.stringify(report, null, 2)}\n`;

/** `  12  warning  what is wrong`. */
const formatProblem = ({ line, severity, message }: Omit<Problem, "file">, digits: number, width: number): readonly string[] => {
  const head = `  ${String(line).padStart(digits)}  ${severity.padEnd("warning".length)}  `;
  const [first = "", ...rest] = wrap(toPlain(message), Math.max(20, width - head.length));
  return [`${head}${first}`, ...rest.map((text) => `${" ".repeat(head.length)}${text}`)];
};

/** At spaces; a word that is too long stays whole. */
const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

const summarise = (files: readonly FileReport[]): string => {
  const agents = new Set(files.flatMap((file) => file.agents)).size;
  const from = files.filter((file) => file.agents.length > 0).length;
  const problems = files.flatMap((file) => file.problems);
  if (agents === 0 && problems.length === 0) return "There are no agents but those that come with Retinue.";
  const counts = (["error", "warning", "notice"] as const).map((severity) =>
    count(problems.filter((problem) => problem.severity === severity).length, severity),
  );
  return `${count(agents, "agent")} in ${count(from, "file")}: ${counts.join(", ")}.`;
};

const about = ({ dialect, agents }: FileReport): string => (dialect === undefined ? "" : ` (${dialect}): ${agents.join(", ")}`);

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

export const toShown = (file: string, folder: string | undefined): string => {
  const relative = folder === undefined ? file : path.relative(folder, file);
  return toPlain(relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative);
};

/** Control, format, private and unassigned characters, and separators other than a space. */
const UNPLAIN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

export const toPlain = (text: string): string =>
  text.replaceAll(UNPLAIN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
