/** A row of `messages` for people: in one line, or whole. */
import type { MessageRow } from "@retinue/store";
import { toPrintable } from "../../terminal/printable.ts";
import { cutToWidth, padToWidth } from "../../terminal/text-width.ts";
import { count, duration, money } from "../amounts.ts";
import type { Redact } from "../format-error.ts";
import { WIDTH } from "../table.ts";
import { sandboxOf } from "./sandbox-of.ts";
import { toCell } from "./to-cell.ts";

const NUMBER_WIDTH = 6;
const WHO_WIDTH = 18;

type RecordedCall = { readonly tool: string; readonly arguments: string };

/** What the model called, as the row keeps it. */
const toCalls = (row: MessageRow): readonly RecordedCall[] => {
  if (row.tool_calls_json === null) return [];
  const calls: unknown = JSON.parse(row.tool_calls_json);
  // Written by the projection alone.
  return Array.isArray(calls) ? (calls as readonly RecordedCall[]) : [];
};

const toWhat = (row: MessageRow): string => {
  switch (row.request_type) {
    case "prompt":
    case "delegation":
      return `task: ${row.request_content ?? ""}`;
    case "continuation": {
      const calls = toCalls(row).map(({ tool }) => `→ ${tool}`);
      return [row.response_content ?? row.error_message ?? `(${row.status})`, ...calls].filter((part) => part !== "").join(" ");
    }
    case "tool_call":
      return `${row.tool_name ?? ""} ${row.outcome ?? row.status}: ${row.request_content ?? ""}`;
    default:
      return row.request_type satisfies never;
  }
};

export const formatMessageLine = (row: MessageRow, redact: Redact): string => {
  const who = `${"  ".repeat(Math.min(row.agent_depth, 4))}${toCell(row.agent_role ?? "", redact)}`;
  const lead = `${padToWidth(`#${row.seq}`, NUMBER_WIDTH)} ${padToWidth(cutToWidth(who, WHO_WIDTH), WHO_WIDTH)} `;
  return lead + cutToWidth(toCell(toWhat(row), redact), WIDTH - NUMBER_WIDTH - WHO_WIDTH - 2);
};

const indent = (text: string, redact: Redact): readonly string[] =>
  toPrintable(redact(text), "prose")
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => `  ${line}`.trimEnd());

const took = ({ started_at: startedAt, completed_at: completedAt }: MessageRow): readonly string[] =>
  completedAt === null ? [] : [duration(Date.parse(completedAt) - Date.parse(startedAt))];

const spent = (row: MessageRow): readonly string[] =>
  row.prompt_tokens === null ? [] : [`${row.prompt_tokens} tokens in, ${row.completion_tokens ?? 0} out`, money(row.cost_usd)];

/** A head line, then everything that was said. */
export const formatMessage = (row: MessageRow, redact: Redact): readonly string[] => {
  const head = (...parts: readonly string[]): string =>
    toPrintable(redact([`#${row.seq} ${row.agent_role ?? ""}`, ...parts].join(", ")), "line");
  const status = row.outcome ?? row.status;
  const failure = row.error_message === null ? [] : indent(`error: ${row.error_message}`, redact);
  switch (row.request_type) {
    case "prompt":
    case "delegation": {
      const summary = row.bailout_reason === null ? status : `${status} (${row.bailout_reason})`;
      const calls = row.iteration_count > 0 ? [count(row.iteration_count, "model call")] : [];
      return [
        head("task", summary, ...took(row), ...calls, ...spent(row)),
        ...indent(row.request_content ?? "", redact),
        ...failure,
      ];
    }
    case "continuation":
      return [
        head(`answer of ${row.model_id ?? "a model"}`, status, ...took(row), ...spent(row)),
        ...(row.response_content === null || row.response_content === "" ? [] : indent(row.response_content, redact)),
        ...toCalls(row).flatMap(({ tool, arguments: text }) => indent(`→ ${tool} ${text}`, redact)),
        ...failure,
      ];
    case "tool_call":
      return [
        head(row.tool_name ?? "tool", status, ...took(row), ...toSandbox(row), ...toApproval(row)),
        ...indent(row.request_content ?? "", redact),
        ...(row.response_content === null ? [] : ["  ───", ...indent(row.response_content, redact)]),
        ...failure,
      ];
    default:
      return row.request_type satisfies never;
  }
};

const toSandbox = (row: MessageRow): readonly string[] => {
  const sandbox = sandboxOf(row);
  return sandbox === undefined ? [] : [`sandbox ${sandbox}`];
};

const toApproval = ({ approval, approval_reason: reason }: MessageRow): readonly string[] => {
  if (approval === null) return [];
  return [reason === null ? approval : `${approval}: ${reason}`];
};
