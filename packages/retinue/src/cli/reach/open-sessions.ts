/** The sessions that have not settled: at work somewhere, waiting or cut off. */
import type { ReadSide, SessionRow } from "@retinue/store";

const PAGE = 500;

export const readOpenSessions = async (sessions: ReadSide): Promise<readonly SessionRow[]> => {
  const open: SessionRow[] = [];
  for (const status of ["running", "pending"] as const) {
    let after: string | null | undefined;
    while (after !== null) {
      const page = await sessions.listSessions({ status, limit: PAGE, ...(after === undefined ? {} : { after }) });
      open.push(...page.items);
      after = page.next;
    }
  }
  return open;
};
