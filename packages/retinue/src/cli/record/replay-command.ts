/** `retinue replay`: a recorded session once more, without any model or tool; or whether the loop would do the same again. */
import type { RecordedEvent, RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { SessionRow } from "@retinue/store";
import { statSync } from "node:fs";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count, localTime } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import { followJson, followText, formatClosing } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { findSession, shortId } from "./find-session.ts";
import type { CommandRecord } from "./open-for-command.ts";
import { withRecord } from "./open-for-command.ts";
import { paced } from "./paced.ts";
import { toCell } from "./to-cell.ts";

export type ReplayOptions = Pick<SessionOptions, "workspace"> & {
  readonly speed?: string;
  readonly json?: boolean;
  readonly verify?: boolean;
};

export const replayCommand = (
  name: string,
  { speed, json, verify, ...options }: ReplayOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const pace = toSpeed(speed ?? "1");
  return withRecord(options, surroundings, async (record) => {
    const session = await findSession(name, record);
    if (verify === true) return verifyAgain(session, json === true, record, surroundings);
    const events = await record.store.read(session.sessionId);
    const interrupts = listenForInterrupts(() => undefined);
    try {
      const signal = AbortSignal.any([interrupts.signal, surroundings.stdout.closed]);
      if (json === true) await followJson(paced(events, { speed: pace, signal }), surroundings);
      else await showTurns(session, events, { speed: pace, signal }, surroundings);
      if (surroundings.stdout.closed.aborted) return EXIT.unread;
      return interrupts.exitCode() ?? EXIT.done;
    } finally {
      interrupts.release();
    }
  });
};

const toSpeed = (text: string): number => {
  const speed = Number(text);
  if (text.trim() === "" || !Number.isFinite(speed) || speed < 0)
    throw new RetinueError("usage", `--speed ${text} is no speed.`, {
      hint: "0 shows all at once, 1 as it was, 10 ten times as fast.",
    });
  return speed;
};

type Pace = { readonly speed: number; readonly signal: AbortSignal };

/** Turn by turn, as the runs were shown: words to stdout, what was done to stderr. */
const showTurns = async (
  session: SessionRow,
  events: readonly RecordedEvent[],
  pace: Pace,
  surroundings: Surroundings,
): Promise<void> => {
  const { stderr, redact } = surroundings;
  const when = localTime(session.createdAt);
  await stderr.write(`retinue: replays ${session.sessionId}, ${count(session.headSeq, "event")} recorded from ${when} on\n`);
  const turns = toTurns(events);
  for (const { runId, events: turn } of turns) {
    if (pace.signal.aborted) return;
    const [requested] = turn;
    if (turns.length > 1 && requested?.type === "run.requested") {
      const task = requested.task.map((part) => (part.type === "text" ? part.text : "(image)")).join(" ");
      await stderr.write(`retinue: turn: ${toCell(task, redact)}\n`);
    }
    const seen = await followText({ runId, [Symbol.asyncIterator]: () => paced(turn, pace) }, surroundings);
    if (pace.signal.aborted) return;
    const end = turn.findLast((event) => event.type === "run.settled" && event.runId === runId);
    if (end?.type === "run.settled") {
      await stderr.write(formatClosing(end.result, seen));
      if (end.result.error) await stderr.write(formatErrorValue(end.result.error, redact));
    } else await stderr.write(`retinue: the record ends here; retinue sessions resume ${shortId(session.sessionId)} goes on.\n`);
  }
};

type Turn = { readonly runId: RunId; readonly events: readonly RecordedEvent[] };

/** The events of each run at depth 0 and of all below it. */
const toTurns = (events: readonly RecordedEvent[]): readonly Turn[] => {
  const rootOf = new Map<RunId, RunId>();
  const turns = new Map<RunId, RecordedEvent[]>();
  for (const event of events) {
    const parent = event.parentRunId === null ? undefined : rootOf.get(event.parentRunId);
    const root = rootOf.get(event.runId) ?? parent ?? event.runId;
    rootOf.set(event.runId, root);
    const turn = turns.get(root);
    if (turn) turn.push(event);
    else turns.set(root, [event]);
  }
  return [...turns].map(([runId, turn]) => ({ runId, events: turn }));
};

const verifyAgain = async (
  session: SessionRow,
  asJson: boolean,
  { store, workspace, loaded }: CommandRecord,
  surroundings: Surroundings,
): Promise<number> => {
  const { env, stdout, redact } = surroundings;
  const isThere = statSync(session.workspace, { throwIfNoEntry: false })?.isDirectory() === true;
  const { createRetinue } = await import("../../create-retinue.ts");
  const retinue = await createRetinue({
    // Nothing is asked or touched; the folder only says which agents and tools there are.
    workspace: isThere ? session.workspace : workspace,
    settings: loaded.settings,
    env,
    store,
    model: session.model,
  });
  try {
    const spinner = { ...surroundings, isSilent: asJson };
    const what = `going through ${count(session.headSeq, "event")} again`;
    const { verified, divergence, definitions } = await withSpinner(what, spinner, () => retinue.verify(session.sessionId));
    const isSame = divergence === null && definitions.length === 0;
    if (asJson)
      await stdout.write(`${toJsonLine({ sessionId: session.sessionId, verified, divergence, definitions }, redact)}\n`);
    else {
      const where =
        divergence && `differs at event #${divergence.seq} of ${divergence.runId} (${divergence.agent}): ${divergence.message}`;
      const text =
        where ?? (isSame ? "the loop would do the same again" : "the loop would do the same again on what was recorded");
      const lines = [
        `${session.sessionId}: ${count(verified, "event")} verified; ${text}`,
        ...definitions.map(({ runId, message }) => `${runId}: ${message}`),
      ];
      for (const line of lines) await stdout.write(`${toPrintable(redact(line), "line")}\n`);
    }
    return isSame ? EXIT.done : EXIT.failed;
  } finally {
    await retinue.close();
  }
};
