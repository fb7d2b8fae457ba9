/**
 * `retinue fanout`: several tasks for several agents at once. Results come in the order of the tasks; a failing one loses no other. All tasks are
 * written down before the first is started, so that a fan-out that was cut off is resumed with those not yet started.
 */
import type { MergeOrder, RunHandle } from "@retinue/engine";
import { createMergeOrder } from "@retinue/engine";
import type { RunResult } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { heldError } from "@retinue/store";
import type { Retinue } from "../../create-retinue.ts";
import type { FanOutTask } from "../../host/workspace.ts";
import { fanOut } from "../../fan-out.ts";
import { count } from "../amounts.ts";
import type { Denial, WatchedRun } from "../denials.ts";
import { formatDenials, watchDenials } from "../denials.ts";
import { EXIT, resultExitCode, withDenials } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { writeMarkdown } from "../live/write-markdown.ts";
import { followLines } from "../live/follow-lines.ts";
import { toCell } from "../record/to-cell.ts";
import { wholeNumber } from "../record/whole-number.ts";
import type { Flagged } from "../session-options.ts";
import type { View } from "../show-run.ts";
import { followJson, readToEnd, toView } from "../show-run.ts";
import { tellWaiting } from "../show-until-parked.ts";
import type { Surroundings } from "../surroundings.ts";
import type { AtWork } from "../work-with.ts";
import { workWith } from "../work-with.ts";
import type { RecordedTask } from "./fan-out-record.ts";
import { removeFanOut, writeFanOut } from "./fan-out-record.ts";
import { findAgent } from "./find-agent.ts";
import { writeResult } from "./write-result.ts";
import { parseIsolation } from "./parse-isolation.ts";
import { parseTools } from "./parse-tools.ts";
import type { FanOutCommandOptions } from "./prepare-fan-out.ts";
import { prepareFanOut } from "./prepare-fan-out.ts";
import { toResultsLine } from "./results-line.ts";

/** Null: it waits for an answer, and is kept in the record. */
type TaskResult = RunResult | null;

export const fanOutCommand = async (
  words: readonly string[],
  given: FanOutCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, redact, env } = surroundings;
  const { record, options, loaded, isResumed } = await prepareFanOut(words, given, surroundings);
  const isolation = parseIsolation(options.isolation);
  const { settings, workspace, flagged } = loaded;
  const maxConcurrent =
    options.concurrency === undefined ? settings.agent.maxConcurrent : wholeNumber(options.concurrency, "--concurrency", 1);
  const view = toView(options);
  return workWith({ workspace, settings, view }, surroundings, async (at) => {
    const { retinue, signal } = at;
    const { tasks } = record;
    checkAgents(tasks, retinue);
    if (isResumed) await refuseHeld(tasks, retinue);
    else await writeFanOut(record, env);
    const tools = options.tools === undefined ? undefined : parseTools(options.tools, retinue);
    if (view.type === "text")
      await stderr.write(`retinue: ${count(tasks.length, "task")}, at most ${maxConcurrent} at a time, as ${record.id}\n`);
    const begin = createBeginner({ retinue, mergeOrder: createMergeOrder(), signal, options, flagged, isolation, tools });
    const numbered = tasks.map((task, index) => ({ task, mark: toMark(index + 1, tasks.length) }));
    let left: RetinueError | undefined;
    const denials: Denial[] = [];
    const results = await fanOut(numbered, maxConcurrent, async ({ task, mark }): Promise<TaskResult> => {
      if (left) throw left;
      const run = await begin(task);
      // Of one that parks, the events end with the command.
      const watched = watchDenials(run);
      const following = follow(watched, { view, mark }, at);
      following.catch(() => undefined);
      try {
        const outcome = await run.outcome;
        if (outcome.type === "parked") return null;
        await following;
        denials.push(...watched.denials());
        return outcome.result;
      } catch (thrown) {
        if (thrown instanceof RetinueError && thrown.code === "run_left_open") left = thrown;
        throw thrown;
      }
    });
    if (left ?? stdout.closed.aborted) {
      await stderr.write(`retinue: ${record.id} is left open; retinue fanout --resume ${record.id} goes on.\n`);
      throw left ?? new RetinueError("run_left_open", "Nobody reads the output any more.");
    }
    await printResults(results, { tasks, view }, surroundings);
    for (const [index, result] of results.entries()) {
      const mark = toMark(index + 1, tasks.length);
      const sessionId = tasks[index]?.sessionId;
      if (result === null && sessionId !== undefined)
        await tellWaiting(sessionId, { view, open: await retinue.live.approvals(sessionId) }, surroundings);
      if (result?.error) await stderr.write(`${mark}${formatErrorValue(result.error, redact)}`);
    }
    if (results.includes(null)) {
      if (view.type !== "json") await stderr.write(`retinue: then retinue fanout --resume ${record.id} gives all results.\n`);
    } else await removeFanOut(record, env);
    await stderr.write(formatDenials(denials, at.effectOf, redact));
    return withDenials(fanOutExitCode(results), denials);
  });
};

/** A name that is wrong is told before anything is spent. */
const checkAgents = (tasks: readonly RecordedTask[], { agents }: Retinue): void => {
  const aliases = new Map([...agents.values()].flatMap((agent) => agent.aliases.map((alias) => [alias, agent.name])));
  for (const { agent } of tasks) findAgent(agent, { agents, aliases });
};

/** Throws `session_running` where the fan-out, or somebody else, is still at work on one of the sessions. */
const refuseHeld = async (tasks: readonly RecordedTask[], { sessions }: Retinue): Promise<void> => {
  const holders = await sessions.holders(tasks.map(({ sessionId }) => sessionId));
  for (const [sessionId, holder] of holders) throw heldError(sessionId, holder);
};

type BeginnerOptions = {
  readonly retinue: Retinue;
  readonly mergeOrder: MergeOrder;
  readonly signal: AbortSignal;
  readonly options: FanOutCommandOptions;
  readonly flagged: Flagged;
  readonly isolation: FanOutTask["isolation"];
  readonly tools: readonly string[] | undefined;
};

/** Starts a task in its session, or goes on with the session where there is one. */
const createBeginner =
  ({ retinue, mergeOrder, signal, options, flagged, isolation, tools }: BeginnerOptions) =>
  async ({ agent, task, model = options.model, sessionId }: RecordedTask): Promise<RunHandle> => {
    if (await retinue.sessions.session(sessionId)) return retinue.resume(sessionId, { signal });
    return retinue.run(task, {
      agent,
      signal,
      mergeOrder,
      newSessionId: sessionId,
      ...(isolation !== undefined && { isolation }),
      ...(tools !== undefined && { tools }),
      ...flagged,
      ...(model !== undefined && { model }),
    });
  };

/** `[2] ` before the lines of the second, as wide as that of the last. */
const toMark = (number: number, of: number): string => `${`[${number}]`.padEnd(String(of).length + 2)} `;

const follow = async (
  run: WatchedRun,
  { view, mark }: { readonly view: View; readonly mark: string },
  at: AtWork,
): Promise<void> => {
  switch (view.type) {
    case "json":
      return followJson(run, at.surroundings);
    case "text":
      return followLines(run, at, { mark, tellsEnd: true });
    case "quiet":
      return readToEnd(run);
    default:
      return view satisfies never;
  }
};

const printResults = async (
  results: readonly TaskResult[],
  { tasks, view }: { readonly tasks: readonly RecordedTask[]; readonly view: View },
  surroundings: Surroundings,
): Promise<void> => {
  const { stdout, redact } = surroundings;
  if (view.type === "json") return stdout.write(toResultsLine(results, redact));
  for (const [index, result] of results.entries()) {
    const { agent = "", task = "" } = tasks[index] ?? {};
    if (index > 0) await stdout.write("\n");
    await writeMarkdown(`## ${index + 1}. ${toCell(agent, redact)}: ${toCell(task, redact)}`, surroundings);
    await stdout.write("\n");
    if (result === null) await stdout.write("Waits for an approval.\n");
    else await writeResult(result, surroundings);
  }
};

/** Waiting if any of them waits; else done if all are, stopped by a limit if nothing worse happened to any, failed otherwise. */
export const fanOutExitCode = (results: readonly TaskResult[]): number => {
  const codes = new Set(results.map((result) => (result === null ? EXIT.waiting : resultExitCode(result))));
  if (codes.has(EXIT.waiting)) return EXIT.waiting;
  codes.delete(EXIT.done);
  if (codes.size === 0) return EXIT.done;
  codes.delete(EXIT.limit);
  return codes.size === 0 ? EXIT.limit : EXIT.failed;
};
