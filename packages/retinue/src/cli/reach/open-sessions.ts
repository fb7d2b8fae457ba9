/** The sessions that have not settled: at work somewhere, waiting or cut off. */
import type { ReadSide, SessionRow } from "@retinue/store";
import { eachPage } from "../record/each-page.ts";

export const readOpenSessions = async (sessions: ReadSide): Promise<readonly SessionRow[]> => {
  const open: SessionRow[] = [];
  for (const status of ["running", "pending"] as const)
    for await (const items of eachPage((page) => sessions.listSessions({ status, ...page }))) open.push(...items);
  return open;
};
