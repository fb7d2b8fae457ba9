/**
 * Draws on the main screen of a terminal: what is finished is written once and scrolls into the terminal's own scrollback, what lives is redrawn below it.
 * The live part never reaches the height of the terminal, and nothing above it is ever touched again.
 */
import { cutRow } from "./fit-row.ts";
import type { Colours, Row } from "./row.ts";
import { encodeRow, rowWidth } from "./row.ts";

export const HIDE_CURSOR = "\u001b[?25l";
/** Between these a terminal that knows them shows nothing half drawn. */
const BEGIN_FRAME = "\u001b[?2026h";
const END_FRAME = "\u001b[?2026l";
export const SHOW_CURSOR = "\u001b[?25h";
const ERASE_BELOW = "\u001b[J";
export const ERASE_LINE = "\u001b[K";

export type Size = { readonly columns: number; readonly rows: number };

export type Frame = {
  /** Written once, above what lives. */
  readonly finished: readonly Row[];
  readonly live: readonly Row[];
  /** Where in the live part the cursor stands; hidden where absent. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
};

export type LiveScreen = {
  readonly draw: (frame: Frame) => void;
  /** The terminal has another size: what lives is drawn anew with the next frame. */
  readonly resized: () => void;
  /** Takes the live part away and leaves the cursor where it stood. */
  readonly clear: () => void;
  /** How many rows the live part may take. */
  readonly room: () => number;
  /** Shows what is so many pages further up, or down for less than none; only where the screen is not the terminal's own. */
  readonly page?: (pages: number) => void;
};

export type LiveScreenOptions = {
  readonly write: (bytes: string) => void;
  readonly size: () => Size;
  readonly colours: Colours;
  /** Whether frames are marked; they are unless said otherwise. */
  readonly isModern?: boolean;
};

const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "");
const down = (rows: number): string => (rows > 0 ? `\u001b[${rows}B` : "");

export const createLiveScreen = ({ write, size, colours, isModern = true }: LiveScreenOptions): LiveScreen => {
  /** As they stand on the screen. */
  let drawn: readonly { readonly bytes: string; readonly width: number }[] = [];
  let cursorRow = 0;
  let isStale = false;
  const [begin, end] = isModern ? [`${BEGIN_FRAME}${HIDE_CURSOR}`, END_FRAME] : [HIDE_CURSOR, ""];

  /** How many rows of the screen stand between the top of the live part and the cursor. Terminals wrap what a narrower window no longer holds. */
  const rowsAbove = (): number => {
    const { columns } = size();
    const rowsOf = (width: number): number => (isStale ? Math.max(1, Math.ceil(width / Math.max(1, columns))) : 1);
    return drawn.slice(0, cursorRow).reduce((sum, { width }) => sum + rowsOf(width), 0);
  };

  const room = (): number => Math.max(3, size().rows - 1);

  const toDrawn = (live: readonly Row[]): typeof drawn => {
    const width = Math.max(4, size().columns - 1);
    return live.slice(-room()).map((one) => {
      const cut = cutRow(one, width);
      return { bytes: encodeRow(cut, colours), width: rowWidth(cut) };
    });
  };

  /** Only rows that have changed are written: over a slow line each byte counts. */
  const redrawChanged = (next: typeof drawn): string => {
    let bytes = `\r${up(rowsAbove())}`;
    let at = 0;
    for (const [index, { bytes: text }] of next.entries()) {
      if (drawn[index]?.bytes === text) continue;
      bytes += `${down(index - at)}\r${text}${ERASE_LINE}`;
      at = index;
    }
    return `${bytes}${down(next.length - 1 - at)}`;
  };

  const redrawAll = (finished: readonly Row[], next: typeof drawn): string =>
    `\r${up(rowsAbove())}${ERASE_BELOW}` +
    finished.map((one) => `${encodeRow(one, colours)}\r\n`).join("") +
    next.map(({ bytes }) => bytes).join("\r\n");

  return {
    room,
    draw: ({ finished, live, cursor }) => {
      const next = toDrawn(live);
      const dropped = live.length - next.length;
      const target = cursor === undefined ? next.length - 1 : Math.max(0, Math.min(next.length - 1, cursor.row - dropped));
      const isSame = finished.length === 0 && !isStale && next.length === drawn.length && next.length > 0;
      const body = isSame ? redrawChanged(next) : redrawAll(finished, next);
      const back = up(Math.max(0, next.length - 1 - target));
      const column = cursor === undefined ? "" : `\r${cursor.column > 0 ? `\u001b[${cursor.column}C` : ""}`;
      write(`${begin}${body}${back}${column}${cursor === undefined ? "" : SHOW_CURSOR}${end}`);
      drawn = next;
      cursorRow = Math.max(0, target);
      isStale = false;
    },
    resized: () => {
      isStale = true;
    },
    clear: () => {
      write(`\r${up(rowsAbove())}${ERASE_BELOW}${SHOW_CURSOR}`);
      drawn = [];
      cursorRow = 0;
    },
  };
};
