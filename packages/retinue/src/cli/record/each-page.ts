/** Everything that a question to the record has as its answer, a page at a time. */
import type { Page, PageOptions } from "@retinue/store";

const PAGE = 500;

export async function* eachPage<T>(read: (page: PageOptions) => Page<T> | Promise<Page<T>>): AsyncGenerator<readonly T[]> {
  let after: string | null | undefined;
  while (after !== null) {
    const page = await read({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield page.items;
    after = page.next;
  }
}
