/** `retinue sessions resume`: a session that was cut off goes on where it was; of one that has ended, the end is told. */
import { RetinueError } from "@retinue/protocol";
import type { RecordedEvent } from "@retinue/protocol";
import { EXIT, resultExitCode } from "../exit-code.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { formatErrorValue } from "../format-error.ts";
import { createJsonEvents } from "../json-events.ts";
import { formatBill } from "../progress-renderer.ts";
import type { SessionOptions } from "../session-options.ts";
import type { ViewOptions } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { findSession, isUnsettled, shortId } from "./find-session.ts";
import { resumeSession } from "./resume-session.ts";
import { withRecord } from "./open-for-command.ts";

export type ResumeOptions = Pick<SessionOptions, "workspace" | "approve" | "limit"> &
  ViewOptions & { readonly takeOver?: boolean };

export const resumeCommand = async (name: string, options: ResumeOptions, surroundings: Surroundings): Promise<number> => {
  const { json, quiet, takeOver: _takeOver, ...where } = options;
  const ended = await withRecord(where, surroundings, async ({ sessions, workspace, store }) => {
    const session = await findSession(name, { sessions, workspace });
    if (isUnsettled(session)) return undefined;
    return { session, end: (await store.read(session.sessionId)).findLast(isEndOfRoot) };
  });
  if (ended === undefined) return resumeSession({ name, task: undefined }, options, surroundings);
  const { session, end } = ended;
  const { stdout, stderr, secrets, redact } = surroundings;
  if (!end) throw new RetinueError("internal", `${session.sessionId} has ended, but its record does not say how.`);
  if (json === true) await stdout.write(createJsonEvents(secrets())(end));
  else await stdout.write(`${toPrintable(redact(end.result.details), "prose").replace(/\n*$/, "")}\n`);
  if (json !== true && quiet !== true)
    await stderr.write(
      `retinue: ${formatBill(end.result)}\n` +
        `retinue: it had ended already; retinue run --session ${shortId(session.sessionId)} "…" says what to do next.\n`,
    );
  if (end.result.error) await stderr.write(formatErrorValue(end.result.error, redact));
  return end.result.status === "cancelled" ? EXIT.failed : resultExitCode(end.result);
};

const isEndOfRoot = (event: RecordedEvent): event is RecordedEvent & { readonly type: "run.settled" } =>
  event.type === "run.settled" && event.depth === 0;
