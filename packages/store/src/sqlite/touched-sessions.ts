/** Which sessions were written to, by anybody, since it was last asked: found by their touches, without a number kept for each session. */
import type { SessionId } from "@retinue/protocol";
import { fromColumnText } from "../column-text.ts";
import type { Statements } from "./statements.ts";

export type TouchedSessions = {
  /** What was touched until now is known. */
  readonly mark: () => void;
  /**
   * Since it was last asked; the latest of that time is always among them, since it is touched no further while it stays the latest. Null where any session
   * may have been written to.
   */
  readonly sinceLast: () => readonly SessionId[] | null;
};

export const createTouchedSessions = (statements: Statements): TouchedSessions => {
  let last = 0;
  const readLatest = (): number => Number(statements("SELECT max(touch) AS latest FROM sessions").get()?.["latest"] ?? 0);
  return {
    mark: () => {
      last = readLatest();
    },
    sinceLast: () => {
      const from = last;
      last = readLatest();
      // The latest sessions were deleted, and their touches are given away again.
      if (last < from) return null;
      return statements("SELECT session_id FROM sessions WHERE touch >= ? ORDER BY touch")
        .all(from)
        .map((row) => fromColumnText(String(row["session_id"])) as SessionId);
    },
  };
};
