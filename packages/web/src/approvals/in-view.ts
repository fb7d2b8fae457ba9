/** What of a question is on the screen now, and what of its act was there at some time. */

type Span = { readonly top: number; readonly bottom: number };

/** The part of an element that no box around it cuts off, in the coordinates of the window. */
const visibleSpan = (element: Element): Span => {
  let { top, bottom } = element.getBoundingClientRect();
  [top, bottom] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  for (let box = element.parentElement; box !== null; box = box.parentElement) {
    if (getComputedStyle(box).overflowY === "visible") continue;
    const around = box.getBoundingClientRect();
    [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
  }
  return { top, bottom };
};

/** Parts of a pixel are nothing to read. */
const TOLERANCE_PX = 2;

const isWhole = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  const seen = visibleSpan(element);
  return seen.top - top < TOLERANCE_PX && bottom - seen.bottom < TOLERANCE_PX;
};

/** All of the card; of one that is higher than the window, its answers: what they answer has to be read first. */
export const isInView = (card: Element): boolean => {
  if (isWhole(card)) return true;
  const answers = card.querySelector("[data-answers]");
  const { height } = card.getBoundingClientRect();
  const box = card.closest("dialog, .virtual");
  return answers !== null && height > (box?.clientHeight ?? innerHeight) && isWhole(answers);
};

const partsOf = (card: Element): readonly Element[] => [...card.querySelectorAll("[data-act] pre, [data-act] .rows")];

/** By question, part and height: another height is another text, or the same in other lines. */
const read = new Map<string, readonly Span[]>();
const keyOf = (approvalId: string, part: Element, at: number): string => `${approvalId} ${at} ${part.scrollHeight}`;

/** The first place that was not on the screen; undefined where all of it was. */
const firstUnread = (spans: readonly Span[], height: number): number | undefined => {
  let end = 0;
  for (const { top, bottom } of spans.toSorted((a, b) => a.top - b.top)) {
    if (top > end + TOLERANCE_PX) break;
    end = Math.max(end, bottom);
  }
  return end < height - TOLERANCE_PX ? end : undefined;
};

/** Notes what of the act is on the screen now. */
export const noteRead = (approvalId: string, card: Element): void => {
  for (const [at, part] of partsOf(card).entries()) {
    const { top, bottom } = visibleSpan(part);
    if (bottom <= top) continue;
    const from = part.getBoundingClientRect().top + part.clientTop - part.scrollTop;
    const key = keyOf(approvalId, part, at);
    const spans = read.get(key) ?? [];
    if (firstUnread(spans, part.scrollHeight) === undefined) continue;
    read.set(key, [...spans, { top: top - from, bottom: bottom - from }]);
  }
};

const unreadPart = (approvalId: string, card: Element): { readonly part: Element; readonly from: number } | undefined => {
  for (const [at, part] of partsOf(card).entries()) {
    const from = firstUnread(read.get(keyOf(approvalId, part, at)) ?? [], part.scrollHeight);
    if (from !== undefined) return { part, from };
  }
  return undefined;
};

export const wasRead = (approvalId: string, card: Element): boolean => unreadPart(approvalId, card) === undefined;

/** Shows what was not on the screen yet. */
export const showUnread = (approvalId: string, card: Element): void => {
  const unread = unreadPart(approvalId, card);
  if (unread === undefined) return;
  unread.part.scrollTop = unread.from;
  unread.part.scrollIntoView({ block: unread.from === 0 ? "start" : "nearest" });
};

export const reveal = (card: HTMLElement): void => {
  card.scrollIntoView({ block: "end" });
};
