/** A report on agents for people and for programs. Nothing that a file says reaches a terminal but as plain characters. */
import path from "node:path";
import type { AgentsReport, FileReport } from "./check-agents.ts";

export type FormatOptions = {
  /** Paths below it are shown relative to it. */
  readonly folder?: string;
  /** Files without problems too. */
  readonly all?: boolean;
};

export const formatReport = ({ files, counts }: AgentsReport, options: FormatOptions = {}): string => {
  const shown = files.filter(({ problems }) => options.all || problems.length > 0);
  const sections = shown.map((report) =>
    [
      `${toShown(report.file, options.folder)}${about(report)}`,
      ...report.problems.map(({ line, severity, message }) => `  ${line}: ${severity}: ${toPlain(message)}`),
    ].join("\n"),
  );
  const agents = new Set(files.flatMap((file) => file.agents)).size;
  const summary = `${count(agents, "agent")} in ${count(files.filter((file) => file.agents.length > 0).length, "file")}: ${count(counts.error, "error")}, ${count(counts.warning, "warning")}, ${count(counts.notice, "notice")}.`;
  return `${[...sections, summary].join("\n\n")}\n`;
};

export const formatReportJson = (report: AgentsReport): string => `${JSON.stringify(report, null, 2)}\n`;

const about = ({ dialect, agents }: FileReport): string => (dialect === undefined ? "" : ` (${dialect}): ${agents.join(", ")}`);

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

const toShown = (file: string, folder: string | undefined): string => {
  const relative = folder === undefined ? file : path.relative(folder, file);
  return toPlain(relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative);
};

/** Control, format, private and unassigned characters, and separators other than a space. */
const UNPLAIN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

const toPlain = (text: string): string =>
  text.replaceAll(UNPLAIN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
