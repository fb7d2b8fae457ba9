/** `retinue sessions delete`: takes sessions away for good, after asking. */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ReadSide, SessionRow } from "@retinue/store";
import { heldError } from "@retinue/store";
import { forgetSessions } from "../../host/forget-sessions.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import type { YesNo } from "../ask-yes-no.ts";
import { askYesNo } from "../ask-yes-no.ts";
import { EXIT } from "../exit-code.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { findSession, shortId } from "./find-session.ts";
import { withRecord } from "./open-for-command.ts";
import { formatSessions } from "./list-command.ts";
import type { SessionStates } from "./session-state.ts";
import { readStates } from "./session-state.ts";
import { toCell } from "./to-cell.ts";

export type DeleteOptions = Pick<SessionOptions, "workspace"> & {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
};

export const deleteCommand = (
  names: readonly string[],
  { yes, force = false, json, ...options }: DeleteOptions,
  surroundings: Surroundings,
): Promise<number> =>
  withRecord(options, surroundings, async ({ store, sessions, workspace }) => {
    const { stdout, stderr, redact } = surroundings;
    const found = new Map<string, SessionRow>();
    // All of them are found before the first is deleted.
    for (const name of names) {
      const session = await findSession(name, { sessions, workspace });
      found.set(session.sessionId, session);
    }
    const rows = [...found.values()];
    const states = await readStates({ sessions, approvals: store.approvals }, rows);
    if (!force) for (const [sessionId, holder] of states.holders) throw refuseRunning(heldError(sessionId, holder));
    const answer = yes === true ? "yes" : await ask(rows, states, surroundings);
    if (answer !== "yes") {
      await stderr.write("retinue: nothing was deleted.\n");
      return answer === "no" ? EXIT.done : EXIT.interrupted;
    }
    await withSpinner("deleting sessions", { ...surroundings, isSilent: json === true }, async (tell) => {
      for (const [index, { sessionId }] of rows.entries()) {
        tell(`deleting sessions: ${index + 1} of ${rows.length}`);
        try {
          await deleteOne(sessions, sessionId, force);
        } finally {
          // On a full disk a session may be gone, and what is left of it go later.
          if ((await sessions.session(sessionId)) === undefined) await forgetSessions([sessionId], surroundings.env);
        }
      }
    });
    if (json === true) await stdout.write(`${toJsonLine({ deleted: rows.map(({ sessionId }) => sessionId) }, redact)}\n`);
    else for (const { sessionId, title } of rows) await stdout.write(`deleted ${shortId(sessionId)} ${toCell(title, redact)}\n`);
    return EXIT.done;
  });

/** A run may have been taken up since the sessions were looked at. */
const deleteOne = async (sessions: ReadSide, sessionId: SessionId, force: boolean): Promise<void> => {
  try {
    await sessions.deleteSession(sessionId, { force });
  } catch (error) {
    throw error instanceof RetinueError && error.code === "session_running" ? refuseRunning(error) : error;
  }
};

const refuseRunning = ({ message }: RetinueError): RetinueError =>
  new RetinueError("session_running", message, { hint: "Wait for it or stop it; --force deletes it all the same." });

const ask = (rows: readonly SessionRow[], states: SessionStates, { stdin, stderr, redact }: Surroundings): Promise<YesNo> => {
  if (stdin.isTTY !== true || !stderr.isTerminal)
    throw new RetinueError("usage", "Nobody can be asked whether to delete.", {
      hint: "Add --yes to delete without being asked.",
    });
  const lines = formatSessions(rows, { now: Date.now(), redact, withFolder: true, states });
  return askYesNo(`${lines.join("\n")}\nDelete for good? [y or n] `, { input: stdin, output: process.stderr });
};
