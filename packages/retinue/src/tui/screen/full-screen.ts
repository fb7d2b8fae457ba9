/**
 * Draws on a screen of its own, for whoever set `terminal.fullscreen`: what is finished stands above what lives and is paged through here, and the
 * terminal's own scrollback is not touched until the end, when everything that was finished is written there.
 */
import { cutRow, wrapRow } from "./fit-row.ts";
import type { Frame, LiveScreen, LiveScreenOptions } from "./live-screen.ts";
import { ERASE_LINE, HIDE_CURSOR, SHOW_CURSOR } from "./live-screen.ts";
import type { Row } from "./row.ts";
import { encodeRow, rowWidth, span } from "./row.ts";

const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";
/** What can be paged through; what is older is in the record, and written out at the end. */
const MOST_ROWS = 20_000;

const moveTo = (row: number, column: number): string => `\u001b[${row + 1};${column + 1}H`;

export const createFullScreen = ({ write, size, colours }: LiveScreenOptions): LiveScreen => {
  const all: Row[] = [];
  let drawn: string[] = [];
  let lastLive: Frame = { finished: [], live: [] };
  /** How many rows of what is finished stand below the screen. */
  let scrolled = 0;
  let isEntered = false;
  let hasLeft = false;

  const room = (): number => Math.max(3, size().rows - 1);

  /** The last rows of what is finished, as wide as the window is now. */
  const finishedRows = (count: number): readonly Row[] => {
    const width = Math.max(4, size().columns - 1);
    const shown: Row[] = [];
    const end = all.length - scrolled;
    for (let at = end - 1; at >= 0 && shown.length < count; at -= 1) {
      const one = all[at] ?? [];
      shown.unshift(...(rowWidth(one) > width ? wrapRow(one, width) : [one]));
    }
    return shown.slice(-count);
  };

  const redraw = (): void => {
    const { rows, columns } = size();
    const width = Math.max(4, columns - 1);
    const live = lastLive.live.slice(-room()).map((one) => cutRow(one, width));
    const above = finishedRows(rows - live.length);
    const page: Row[] = [...above, ...live];
    if (scrolled > 0 && above.length > 0)
      page[above.length - 1] = cutRow([span(`  ${scrolled} more rows below; page down shows them`, "dim")], width);
    const next = Array.from({ length: rows }, (_, at) => encodeRow(page[at] ?? [], colours));
    let bytes = isEntered ? HIDE_CURSOR : `${ENTER}${HIDE_CURSOR}`;
    isEntered = true;
    for (const [at, text] of next.entries()) if (drawn[at] !== text) bytes += `${moveTo(at, 0)}${text}${ERASE_LINE}`;
    const { cursor } = lastLive;
    if (cursor !== undefined) {
      const dropped = lastLive.live.length - live.length;
      bytes += `${moveTo(above.length + Math.max(0, cursor.row - dropped), cursor.column)}${SHOW_CURSOR}`;
    }
    write(bytes);
    drawn = next;
  };

  const writeOut = (rows: readonly Row[]): void => {
    if (rows.length > 0) write(rows.map((one) => `${encodeRow(one, colours)}\r\n`).join(""));
  };

  return {
    room,
    draw: (frame) => {
      if (hasLeft) return writeOut(frame.finished);
      all.push(...frame.finished);
      if (all.length > MOST_ROWS) all.splice(0, all.length - MOST_ROWS);
      // Whoever reads further up goes on reading there.
      if (scrolled > 0) scrolled = Math.min(scrolled + frame.finished.length, Math.max(0, all.length - 1));
      lastLive = frame;
      redraw();
    },
    page: (pages) => {
      const step = Math.max(1, size().rows - lastLive.live.length - 1);
      scrolled = Math.max(0, Math.min(all.length - step, scrolled + pages * step));
    },
    resized: () => {
      drawn = [];
    },
    clear: () => {
      if (hasLeft) return;
      hasLeft = true;
      write(`${isEntered ? LEAVE : ""}${SHOW_CURSOR}`);
      writeOut(all);
    },
  };
};
