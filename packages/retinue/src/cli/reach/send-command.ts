/** `retinue send`: says something to a run, which reads it before its next turn, whichever process drives the run. */
import { createId } from "../../create-id.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { readTask } from "../read-task.ts";
import type { CommandRecord } from "../record/open-for-command.ts";
import { withRecord } from "../record/open-for-command.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { FoundRun } from "./find-run.ts";
import { findRun, toIdentity } from "./find-run.ts";
import { recordInput } from "./record-input.ts";
import { refuseAgents } from "./refuse-agents.ts";
import { readHolder, sayWhoDrives } from "./say-who-drives.ts";

export type SendOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean };

export const sendCommand = async (
  name: string,
  words: readonly string[],
  { json, ...options }: SendOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdin, stdout, redact } = surroundings;
  const text = await readTask(words, stdin);
  return withRecord(options, surroundings, async (record) => {
    await refuseAgents(record.sessions, { env: surroundings.env });
    const found = await findSpeakingRun(await findRun(name, record), record);
    const messageId = `msg_${createId()}` as const;
    await recordInput(record.store, toIdentity(found), {
      type: "message.received",
      messageId,
      from: "human",
      content: [{ type: "text", text: redact(text) }],
    });
    const { sessionId } = found.session;
    const holder = await readHolder(record.sessions, sessionId);
    if (json === true) {
      await stdout.write(`${toJsonLine({ sessionId, runId: found.run.runId, messageId, driver: holder ?? null }, redact)}\n`);
      return EXIT.done;
    }
    const who = `${found.run.runId} (${toPrintable(redact(found.run.agent), "line")})`;
    await stdout.write(`sent to ${who}; ${sayWhoDrives(sessionId, holder)}\n`);
    return EXIT.done;
  });
};

/** The run that has the conversation now, where the one that was found is handing it over. */
const findSpeakingRun = async (found: FoundRun, record: CommandRecord): Promise<FoundRun> => {
  const { readSpeaker } = await import("@retinue/engine");
  const speaker = await readSpeaker(record.store, found.session.sessionId, found.run.runId);
  return speaker === found.run.runId ? found : findRun(speaker, record);
};
