/** The result of a run as a person reads it: what came out, the whole of it, and what was measured and doubted. */
import type { RunResult } from "@retinue/protocol";
import { toPrintable } from "../../terminal/printable.ts";
import type { Redact } from "../format-error.ts";

const withLineEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

const toOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export const formatResult = (result: RunResult, redact: Redact): string => {
  const { summary, details, output } = result;
  const prose = (text: string): string => withLineEnd(toPrintable(redact(text.trim()), "prose"));
  // What was said last often is the summary already, or holds it below a heading.
  const said = toOneLine(details).includes(toOneLine(summary.replace(/…\s*$/, ""))) ? [details] : [summary, details];
  const lists = [
    ["Files created", result.filesCreated],
    ["Files modified", result.filesModified],
    ["Not merged", (result.merge?.conflicts ?? []).map(({ path, reason }) => `${path}: ${reason}`)],
    ["Tests", result.testsRun === 0 ? [] : [`${result.testsPassed} of ${result.testsRun} passed`]],
    ["Findings", result.findings.map((finding) => (typeof finding === "string" ? finding : JSON.stringify(finding)))],
    ["Warnings", result.warnings],
    ["Unverified", result.unverified],
    ["Suggestions", result.suggestions],
  ] as const;
  return [
    ...said.map(prose),
    ...(output === undefined ? [] : [prose(JSON.stringify(output, null, 2))]),
    ...lists.map(([title, items]) =>
      items.length === 0 ? "" : `${title}:\n${items.map((item) => `- ${toPrintable(redact(item), "line")}\n`).join("")}`,
    ),
  ]
    .filter((part) => part !== "")
    .join("\n");
};
