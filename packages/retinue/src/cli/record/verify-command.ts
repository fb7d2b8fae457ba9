/** `retinue sessions verify`: whether what is kept is what was written; what is not is named. */
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { Damage, VerifyProgress } from "@retinue/store";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { findSession } from "./find-session.ts";
import { withRecord } from "./open-for-command.ts";

export type VerifyOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean };

export const verifyCommand = async (
  name: string | undefined,
  { json, ...options }: VerifyOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, redact } = surroundings;
  try {
    return await withRecord(options, surroundings, async ({ sessions, workspace }) => {
      const session = name === undefined ? undefined : await findSession(name, { sessions, workspace });
      const found = await withSpinner("verifying the record", { ...surroundings, isSilent: json === true }, (tell) =>
        sessions.verify(session?.sessionId, (progress) => tell(toHowFar(progress))),
      );
      if (json === true) await stdout.write(`${toJsonLine(found, redact)}\n`);
      else {
        for (const warning of found.warnings ?? []) await stdout.write(`${toPrintable(redact(`warning: ${warning}`), "line")}\n`);
        for (const damage of found.damage) await stdout.write(`${toPrintable(redact(toSentence(damage)), "line")}\n`);
        if (found.damage.length === 0)
          await stdout.write(
            `${count(found.sessions, "session")} with ${count(found.events, "event")} verified: nothing is damaged.\n`,
          );
      }
      return found.damage.length === 0 ? EXIT.done : EXIT.failed;
    });
  } catch (thrown) {
    // So damaged that it cannot even be opened or asked: that is an answer, too.
    if (!(thrown instanceof RetinueError) || thrown.code !== "store_corrupt") throw thrown;
    const damage: Damage = { sessionId: null, seq: null, what: thrown.message };
    if (json === true) await stdout.write(`${toJsonLine({ sessions: 0, events: 0, damage: [damage] }, redact)}\n`);
    else await stderr.write(formatErrorValue(toErrorValue(thrown), redact));
    return EXIT.failed;
  }
};

const toHowFar = ({ of, done, all }: VerifyProgress): string =>
  `verifying the ${of}${of === "sessions" ? `: ${done} of ${all}` : ""}`;

const toSentence = ({ sessionId, seq, what }: Damage): string => {
  const where = [sessionId ?? "the store", ...(seq === null ? [] : [`event #${seq}`])].join(", ");
  return `damaged: ${where}: ${what}`;
};
