/** `retinue stop`: cancels a run and everything below it, whichever process drives it. One that no living process drives is brought to its end here. */
import type { ErrorCode, RunResult } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { formatBill } from "../progress-renderer.ts";
import type { CommandRecord } from "../record/open-for-command.ts";
import { withRecord } from "../record/open-for-command.ts";
import { settingsOf } from "../record/settings-of-session.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { FoundRun } from "./find-run.ts";
import { findRun, toIdentity } from "./find-run.ts";
import { recordInput } from "./record-input.ts";
import { refuseAgents } from "./refuse-agents.ts";
import { readHolder } from "./say-who-drives.ts";

export type StopOptions = Pick<SessionOptions, "workspace"> & {
  readonly finish?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
};

export const stopCommand = (name: string, options: StopOptions, surroundings: Surroundings): Promise<number> => {
  const { finish, reason, json = false, ...where } = options;
  return withRecord(where, surroundings, async (record) => {
    const { stdout, redact } = surroundings;
    await refuseAgents(record.sessions, { env: surroundings.env });
    const found = await findRun(name, record);
    await recordInput(record.store, toIdentity(found), {
      type: "cancel.requested",
      reason: redact(reason ?? "The user stopped the run."),
      ...(finish === true && { finish }),
    });
    const holder = await readHolder(record.sessions, found.session.sessionId);
    if (!holder) return bringToEnd(found, record, { ...where, json }, surroundings);
    if (json) return tell(found, { driver: holder, result: null }, surroundings);
    const what = finish === true ? "hands in what it has" : "is being stopped";
    await stdout.write(`${toWho(found, surroundings)} ${what} by process ${holder.pid} on ${holder.host}\n`);
    return EXIT.done;
  });
};

const tell = async (
  { session, run }: FoundRun,
  more: { readonly driver: unknown; readonly result: unknown },
  { stdout, redact }: Surroundings,
): Promise<number> => {
  await stdout.write(`${toJsonLine({ sessionId: session.sessionId, runId: run.runId, ...more }, redact)}\n`);
  return EXIT.done;
};

const toWho = ({ run }: FoundRun, { redact }: Surroundings): string => `${run.runId} (${toPrintable(redact(run.agent), "line")})`;

/** The cancel stands in the record and nobody would take it: the run is driven on here, until it is settled by it. */
const bringToEnd = async (
  found: FoundRun,
  record: CommandRecord,
  { json, ...where }: Pick<SessionOptions, "workspace"> & { readonly json: boolean },
  surroundings: Surroundings,
): Promise<number> => {
  const { session, run } = found;
  const settings = await settingsOf(session, record, where, surroundings);
  const more = { store: record.store, model: run.model };
  const at = { workspace: session.workspace, settings, view: { type: "quiet" as const }, more };
  const { workWith } = await import("../work-with.ts");
  return workWith(at, surroundings, ({ retinue }) =>
    tellEnd({ found, json, resume: async () => (await retinue.resume(run.runId)).result }, surroundings),
  );
};

export type Ending = {
  readonly found: FoundRun;
  readonly json: boolean;
  /** Drives the run until the cancel has settled it. */
  readonly resume: () => Promise<RunResult>;
};

/** Says how the run ended here, or that another process was faster: that one takes the cancel as well, whether it had the run before this one or took it away. */
export const tellEnd = async ({ found, json, resume }: Ending, surroundings: Surroundings): Promise<number> => {
  const who = toWho(found, surroundings);
  try {
    const result = await resume();
    if (json) return await tell(found, { driver: null, result }, surroundings);
    await surroundings.stdout.write(`${who} was driven by no living process; ${formatBill(result)}\n`);
  } catch (thrown) {
    if (!(thrown instanceof RetinueError && DRIVEN_ELSEWHERE.has(thrown.code))) throw thrown;
    if (json) return tell(found, { driver: "another process", result: null }, surroundings);
    await surroundings.stdout.write(`${who} is being stopped by another process\n`);
  }
  return EXIT.done;
};

const DRIVEN_ELSEWHERE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["session_running", "lease_lost"]);
