/** All messages of a session, a page at a time. */
import type { MessageRow, ReadSide, SessionRow } from "@retinue/store";
import { eachPage } from "./each-page.ts";

export const pagesOf = (sessions: Pick<ReadSide, "messages">, { sessionId }: SessionRow): AsyncGenerator<readonly MessageRow[]> =>
  eachPage((page) => sessions.messages(sessionId, page));
