/** What a session has not, though files ask for it: told once, before it begins, with what to type. */
import path from "node:path";
import type { Retinue } from "../create-retinue.ts";
import { toPrintable } from "../terminal/printable.ts";
import { count } from "./amounts.ts";
import type { Redact } from "./format-error.ts";

const MOST = 5;
const MOST_CHARS = 160;

/** One line: which files tell agents how to work here, which say what they may do, and which have commands run. Empty where there are none. */
export const formatSources = (
  { instructions, permissions, hookFiles, folder }: Pick<Retinue, "instructions" | "permissions" | "hookFiles" | "folder">,
  redact: Redact,
): string => {
  const name = (file: string): string => {
    const relative = path.relative(folder, file);
    return relative.startsWith(`..${path.sep}..`) ? file : relative;
  };
  const told = Object.entries({ instructions, permissions, hooks: hookFiles }).flatMap(([what, files]) =>
    files.length === 0 ? [] : [`${what} of ${files.map(name).join(", ")}`],
  );
  return told.length === 0 ? "" : `${toPrintable(redact(`retinue: ${told.join("; ")}`), "line")}\n`;
};

/** Empty where nothing is left out, and commands are confined or asked about. */
export const formatLeftOut = (
  { untrusted, problems, unsandboxed, approve }: Pick<Retinue, "untrusted" | "problems" | "unsandboxed" | "approve">,
  redact: Redact,
): string => {
  const show = (text: string): string => {
    const line = toPrintable(redact(text), "line");
    return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1)}…` : line;
  };
  const listed = (items: readonly string[], all: string): readonly string[] => [
    ...items.slice(0, MOST).map((item) => `  ${show(item)}`),
    ...(items.length > MOST ? [`  and ${items.length - MOST} more: ${all}`] : []),
  ];
  const lines = [
    ...(unsandboxed !== undefined && approve === "all" ? [`retinue: ${unsandboxed}`] : []),
    ...(untrusted.length === 0
      ? []
      : [
          `retinue: ${count(untrusted.length, "thing")} of this project not loaded, since it is not trusted; \`retinue trust\` shows and lets them:`,
          ...listed(
            untrusted.map(({ subject, shown }) => `${subject}: ${shown}`),
            "`retinue trust`",
          ),
        ]),
    ...(problems.length === 0
      ? []
      : [
          `retinue: ${count(problems.length, "thing")} left out because of errors; \`retinue agents check\` and \`retinue doctor\` tell more:`,
          ...listed(problems, "`retinue doctor`"),
        ]),
  ];
  return lines.map((line) => `${line}\n`).join("");
};
