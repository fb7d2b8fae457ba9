/** All messages of a session, a page at a time. */
import type { MessageRow, ReadSide, SessionRow } from "@retinue/store";

const PAGE = 500;

export async function* pagesOf(
  sessions: Pick<ReadSide, "messages">,
  { sessionId }: SessionRow,
): AsyncGenerator<readonly MessageRow[]> {
  let after: string | null | undefined;
  while (after !== null) {
    const page = await sessions.messages(sessionId, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield page.items;
    after = page.next;
  }
}
