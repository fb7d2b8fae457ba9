/** Shows a run while it works and tells how it ended. The one way from events to a terminal or a pipe. */
import { hasConversation, type RunView } from "@retinue/client";
import type { RunHandle } from "@retinue/engine";
import type { RetinueEvent, RunId, RunResult, ToolEffect } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";
import { createAnswerRenderer } from "./answer-renderer.ts";
import type { ShownRun } from "./denials.ts";
import { findDenials, formatDenials, watchDenials } from "./denials.ts";
import { EXIT, resultExitCode, withDenials } from "./exit-code.ts";
import { formatErrorValue } from "./format-error.ts";
import { formatDoubts } from "./format-doubts.ts";
import { formatMeasured } from "./format-measured.ts";
import { createJsonEvents } from "./json-events.ts";
import { followAnswer } from "./live/follow-answer.ts";
import type { LiveStatus } from "./live/live-status.ts";
import { createProgressRenderer, formatBill } from "./progress-renderer.ts";
import type { Surroundings } from "./surroundings.ts";
import { treeBillOf } from "./tree-bill.ts";

/** text: the words as they come, progress beside. quiet: the last words alone, once they are whole. json: the events. */
export type View = { readonly type: "text" } | { readonly type: "quiet" } | { readonly type: "json" };

export type ViewOptions = { readonly json?: boolean; readonly quiet?: boolean };

export const toView = ({ json, quiet }: ViewOptions): View => {
  if (json === true) return { type: "json" };
  return { type: quiet === true ? "quiet" : "text" };
};

/** Said wherever the built-in model answers, so that nobody takes it for an LLM. */
export const offlineNotice = (model: string): string =>
  model.startsWith("offline/")
    ? "retinue: built-in rules answer, not an LLM; `retinue doctor` tells which models were looked for.\n"
    : "";

/** Why no plan came about, where the rules were asked for one. */
export const offlinePlanNotice = (model: string): string =>
  model.startsWith("offline/")
    ? "the built-in rules make no plans, which takes a real model; `retinue doctor` tells which were looked for."
    : "";

const withLineEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

export type Followed = AsyncIterable<RetinueEvent> & { readonly runId: RunId };

/** The words of the run, or of whoever goes on with its conversation, to stdout, what it and those below it do to stderr. Gives the run as it was seen. */
export const followText = async (
  run: Followed,
  { stdout, stderr, secrets, redact }: Surroundings,
): Promise<RunView | undefined> => {
  const progress = createProgressRenderer(redact);
  let speaker = run.runId;
  let answer = createAnswerRenderer({ runId: speaker, secrets: secrets() });
  // On a terminal both go to the same screen: what is told beside ends the line that the words have begun, once.
  const isShared = stdout.isTerminal && stderr.isTerminal;
  let isLineEnded = false;
  const say = async (text: string): Promise<void> => {
    if (text === "") return;
    await stdout.write(isLineEnded ? text.replace(/^\n/, "") : text);
    isLineEnded = false;
  };
  for await (const event of run) {
    const line = progress.take(event, stderr.columns());
    if (line !== undefined) {
      const endsLine: boolean = isShared && answer.isMidLine() && !isLineEnded;
      await stderr.write(`${endsLine ? "\n" : ""}${line}\n`);
      isLineEnded ||= endsLine;
    }
    const told = progress.runs().get(event.runId);
    if (event.runId !== speaker && event.type === "model.requested" && told && hasConversation(told, progress.runs())) {
      await say(answer.end());
      speaker = event.runId;
      answer = createAnswerRenderer({ runId: speaker, secrets: secrets() });
    }
    await say(answer.take(event));
  }
  await say(answer.end());
  return progress.runs().get(run.runId);
};

/** The closing lines: what the run spent, and with those below it where there are any. */
export const formatClosing = (result: RunResult, run: RunView | undefined): string =>
  [formatBill(result), run && treeBillOf(run, result)].map((line) => (line === undefined ? "" : `retinue: ${line}\n`)).join("");

export const followJson = async (events: AsyncIterable<RetinueEvent>, { stdout, secrets }: Surroundings): Promise<void> => {
  const toLines = createJsonEvents(secrets());
  for await (const event of events) await stdout.write(toLines(event));
};

/** Waits for the end of the events, which somebody has to read. */
export const readToEnd = async (events: AsyncIterable<RetinueEvent>): Promise<void> => {
  for await (const _ of events);
};

export type ShowOptions = {
  /** Where the line that lives is drawn; absent where there is no terminal. */
  readonly status?: LiveStatus | undefined;
  readonly effectOf: (tool: string) => ToolEffect | undefined;
};

const tellEnd = async (result: RunResult, seen: RunView | undefined, { stderr, redact }: Surroundings): Promise<void> => {
  await stderr.write(`${formatMeasured(result, redact)}${formatClosing(result, seen)}${formatDoubts(result, redact)}`);
  if (result.error) await stderr.write(formatErrorValue(result.error, redact));
};

/** One turn of a conversation in lines: its words as they come. Gives the exit code of its end. */
export const showTurn = async (run: RunHandle, surroundings: Surroundings): Promise<number> => {
  const seen = await followText(run, surroundings);
  const result = await run.result;
  await tellEnd(result, seen, surroundings);
  return resultExitCode(result);
};

/** A run whose answer is what counts. Gives the exit code of its end: what was denied unasked, and what rules cannot do, is not done. */
export const showRun = async (
  run: ShownRun,
  view: View,
  { status, effectOf }: ShowOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, redact } = surroundings;
  const seen = view.type === "text" ? await followAnswer(run, status, surroundings) : undefined;
  const watched = watchDenials(run);
  if (view.type === "json") await followJson(watched, surroundings);
  if (view.type === "quiet") {
    await readToEnd(watched);
    await stdout.write(withLineEnd(toPrintable(redact((await run.result).details), "prose")));
  }
  const result = await run.result;
  if (view.type === "text") await tellEnd(result, seen?.runs.get(run.runId), surroundings);
  else await stderr.write(`${formatDoubts(result, redact)}${result.error ? formatErrorValue(result.error, redact) : ""}`);
  const denials = seen ? findDenials(seen, run.approve) : watched.denials();
  await stderr.write(formatDenials(denials, effectOf, redact));
  const exitCode = resultExitCode(result);
  if (exitCode !== EXIT.done) return exitCode;
  // Loaded by now, since the run has asked a model.
  const { isOfflineUnable } = await import("@retinue/model");
  if (isOfflineUnable(result.details)) return EXIT.failed;
  return withDenials(exitCode, denials);
};
