/** A call of a tool that has ended, as it stands in the conversation: one line, and below it what it changed, or why it failed. */
import { toCallDuration, type CallView } from "@retinue/client";
import type { Json } from "@retinue/protocol";
import { seconds } from "../../cli/amounts.ts";
import type { Row } from "../screen/row.ts";
import { row, safeName, span } from "../screen/row.ts";
import { withRight, wrapRow } from "../screen/fit-row.ts";
import { describeCall, targetOf } from "./describe-call.ts";
import { createDiffRows } from "./draw-diff.ts";

const MOST_DIFF_ROWS = 12;

type Edit = { readonly removed: readonly string[]; readonly added: readonly string[] };

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const linesOf = (value: Json | undefined): readonly string[] =>
  typeof value === "string" && value !== "" ? value.replace(/\n$/, "").split("\n") : [];

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** What `edit` and `write` were told to put where; other tools change nothing that could be shown so. */
const editsOf = ({ tool, input }: CallView): readonly Edit[] => {
  if (!isObject(input)) return [];
  if (tool === "write") return [{ removed: [], added: linesOf(input["content"]) }];
  if (tool !== "edit") return [];
  const files = input["files"] === undefined ? [input] : listOf(input["files"]);
  return files
    .flatMap((file) => (isObject(file) ? listOf(file["edits"]) : []))
    .flatMap((one) => (isObject(one) ? [{ removed: linesOf(one["old"]), added: linesOf(one["new"]) }] : []));
};

const drawEdits = (edits: readonly Edit[], file: string, width: number): readonly Row[] => {
  const draw = createDiffRows();
  draw(`+++ ${file}`);
  const rows = edits.flatMap(({ removed, added }) => [
    ...removed.map((line) => draw(`- ${line}`)),
    ...added.map((line) => draw(`+ ${line}`)),
  ]);
  const left = rows.length - MOST_DIFF_ROWS;
  return [
    ...rows.slice(0, MOST_DIFF_ROWS).flatMap((one) => wrapRow([span("    "), ...one], width, "      ")),
    ...(left > 0 ? [[span(`    … ${left} more changed lines`, "dim")]] : []),
  ];
};

const OUTCOMES = {
  ok: ["✓", "completed"],
  error: ["✗", "failed"],
  denied: ["⊘", "waiting"],
  cancelled: ["○", "cancelled"],
  unknown: ["?", "partial"],
} as const;

export const drawToolCard = (call: CallView, redact: (text: string) => string, width: number): readonly Row[] => {
  const [glyph, style] = OUTCOMES[call.outcome ?? "unknown"];
  const took = toCallDuration(call);
  const word = call.outcome === "ok" ? "" : `  ${call.outcome ?? "unknown"}`;
  const tests = call.tests === null ? "" : `  ${call.tests.passed} of ${call.tests.run} tests passed`;
  const left = row("  ", span(`${glyph} `, style), redact(describeCall(call)), span(word, style), span(tests, "dim"));
  const head = withRight(left, took === null || took < 100 ? [] : [span(seconds(took), "dim")], width);
  const why =
    call.error === null
      ? []
      : wrapRow([span(`    ${safeName(redact(call.error.message))} [${call.error.code}]`, "dim")], width, "    ");
  const edits =
    call.outcome === "ok"
      ? drawEdits(
          editsOf(call).map((edit) => redactEdit(edit, redact)),
          targetOf(call.input),
          width,
        )
      : [];
  return [head, ...why, ...edits];
};

const redactEdit = ({ removed, added }: Edit, redact: (text: string) => string): Edit => ({
  removed: removed.map(redact),
  added: added.map(redact),
});
