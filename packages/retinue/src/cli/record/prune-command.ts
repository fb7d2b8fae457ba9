/** `retinue sessions prune`: deletes what is too old or too many. What has not ended stays. */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { KeptRoom } from "@retinue/store";
import { forgetSessions } from "../../host/forget-sessions.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import { brief, count } from "../amounts.ts";
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

const tellKept = ({ bytes, needed }: KeptRoom): string =>
  `${brief(bytes)}B stay in the store for new sessions; with ${brief(needed)}B free, they go back to the disk.`;

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
    const { stdout, stderr, redact } = surroundings;
    let kept: KeptRoom | undefined;
    const deleted = await withSpinner("deleting sessions", { ...surroundings, isSilent: json === true }, async () => {
      const removed: SessionId[] = [];
      try {
        return await sessions.retain(retention, {
          removed: (sessionId) => void removed.push(sessionId),
          kept: (room) => (kept = room),
        });
      } finally {
        await forgetSessions(removed, surroundings.env);
      }
    });
    await stdout.write(json === true ? `${toJsonLine({ deleted }, redact)}\n` : `${count(deleted.length, "session")} deleted.\n`);
    if (kept !== undefined) await stderr.write(`retinue: ${tellKept(kept)}\n`);
    return EXIT.done;
  });
};
