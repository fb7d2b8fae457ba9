/** `retinue follow`: what a session records, as it is recorded by whichever process, until its latest run has settled. */
import type { RecordedEvent, RetinueEvent, RunId, RunResult } from "@retinue/protocol";
import { isLive, RetinueError } from "@retinue/protocol";
import type { RootRun } from "@retinue/store";
import { EXIT, resultExitCode } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { formatBill } from "../progress-renderer.ts";
import { findSession } from "../record/find-session.ts";
import { withRecord } from "../record/open-for-command.ts";
import { wholeNumber } from "../record/whole-number.ts";
import type { SessionOptions } from "../session-options.ts";
import { followJson, followText } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { readHolder, sayWhoDrives } from "./say-who-drives.ts";

export type FollowCommandOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean; readonly after?: string };

export const followCommand = async (
  name: string,
  { json, after, ...options }: FollowCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const asked = after === undefined ? undefined : wholeNumber(after, "--after", 0);
  return withRecord(options, surroundings, async (record) => {
    const { stdout, stderr, redact } = surroundings;
    // Read before the run is asked for: what settles it has a later number than this.
    const { sessionId, headSeq } = await findSession(name, record);
    const root = await record.store.latestRoot(sessionId);
    if (!root) throw new RetinueError("session_unknown", `There is no run in ${sessionId}.`);
    const afterSeq = asked === undefined ? root.seq - 1 : Math.min(asked, headSeq);
    const interrupts = listenForInterrupts(() => undefined);
    // Looking at the record now and then keeps no process alive.
    const awake = setInterval(() => undefined, 60_000);
    try {
      const signal = AbortSignal.any([interrupts.signal, stdout.closed]);
      const { followSession } = await import("@retinue/engine");
      const end: { result?: RunResult } = {};
      const events = root.isSettled
        ? untilSettled(await record.store.read(sessionId, afterSeq), root, end)
        : untilSettled(followSession({ log: record.store }, sessionId, { afterSeq, signal }), root, end);
      const holder = root.isSettled ? undefined : await readHolder(record.sessions, sessionId);
      if (!root.isSettled && !holder) await stderr.write(`retinue: ${sayWhoDrives(sessionId, undefined)}.\n`);
      if (json === true) await followJson(events, surroundings);
      else await followText({ runId: root.runId, [Symbol.asyncIterator]: () => events }, surroundings);
      if (stdout.closed.aborted) return EXIT.unread;
      const { result } = end;
      if (result === undefined) return interrupts.exitCode() ?? EXIT.done;
      if (json !== true) await stderr.write(`retinue: ${formatBill(result)}\n`);
      if (json !== true && result.error) await stderr.write(formatErrorValue(result.error, redact));
      return result.status === "cancelled" ? EXIT.failed : resultExitCode(result);
    } finally {
      clearInterval(awake);
      interrupts.release();
    }
  });
};

/** Ends with the end of the session's latest main run, also where another turn is begun meanwhile. */
async function* untilSettled(
  events: AsyncIterable<RetinueEvent> | readonly RecordedEvent[],
  root: RootRun,
  end: { result?: RunResult },
): AsyncGenerator<RetinueEvent> {
  let latest: RunId = root.runId;
  for await (const event of events) {
    if (event.type === "run.requested" && event.depth === 0 && event.seq > root.seq) latest = event.runId;
    yield event;
    if (isLive(event) || event.type !== "run.settled" || event.runId !== latest) continue;
    end.result = event.result;
    return;
  }
}
