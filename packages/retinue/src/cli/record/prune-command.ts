/** `retinue sessions prune`: deletes what is too old or too many. What has not ended stays. */
import { RetinueError } from "@retinue/protocol";
import { forgetSessions } from "../../host/forget-sessions.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { withRecord } from "./open-for-command.ts";
import { parseSince } from "./parse-since.ts";
import { wholeNumber } from "./whole-number.ts";

export type PruneOptions = Pick<SessionOptions, "workspace"> & {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly json?: boolean;
};

export const pruneCommand = (
  { olderThan, keep, json, ...options }: PruneOptions,
  surroundings: Surroundings,
): Promise<number> => {
  if (olderThan === undefined && keep === undefined)
    throw new RetinueError("usage", "Nothing says what to delete.", {
      hint: "Give --older-than 30d, --keep 100 or both; what has not ended always stays.",
    });
  const retention = {
    ...(olderThan === undefined ? {} : { before: parseSince(olderThan, "--older-than", Date.now()) }),
    ...(keep === undefined ? {} : { keep: wholeNumber(keep, "--keep", 0) }),
  };
  return withRecord(options, surroundings, async ({ sessions }) => {
    const { stdout, redact } = surroundings;
    const deleted = await withSpinner("deleting sessions", { ...surroundings, isSilent: json === true }, async () => {
      const gone = await sessions.retain(retention);
      await forgetSessions(gone, surroundings.env);
      return gone;
    });
    await stdout.write(json === true ? `${toJsonLine({ deleted }, redact)}\n` : `${count(deleted.length, "session")} deleted.\n`);
    return EXIT.done;
  });
};
