/** The screen of an emulated terminal as an SVG: what a person would see, with its colours. Several screens make a recording that plays by itself. */
import type { Terminal } from "@xterm/headless";

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const BACKGROUND = "#16181d";
const FOREGROUND = "#d8dce3";

/** The first 16 colours; the others follow from the number. */
const COLOURS = [
  "#16181d",
  "#f0717b",
  "#7ec699",
  "#e0b05c",
  "#6ea8fe",
  "#c58af9",
  "#5cc8c8",
  "#d8dce3",
  "#7d8590",
  "#ff8f98",
  "#9be3b4",
  "#f2c877",
  "#8fc1ff",
  "#d9a8ff",
  "#7fe0e0",
  "#ffffff",
];

const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);

const cube = (index: number): string => {
  const at = index - 16;
  const parts = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((value) => level(value).toString(16).padStart(2, "0"));
  return `#${parts.join("")}`;
};

const colourOf = (index: number): string => COLOURS[index] ?? cube(index);

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

type Run = { column: number; width: number; text: string; style: string };

const styleOf = (
  cell: NonNullable<ReturnType<NonNullable<ReturnType<Terminal["buffer"]["active"]["getLine"]>>["getCell"]>>,
): string =>
  [
    `fill="${cell.isFgDefault() ? FOREGROUND : colourOf(cell.getFgColor())}"`,
    ...(cell.isBold() ? ['font-weight="bold"'] : []),
    ...(cell.isItalic() ? ['font-style="italic"'] : []),
    ...(cell.isUnderline() ? ['text-decoration="underline"'] : []),
    ...(cell.isDim() ? ['opacity="0.6"'] : []),
  ].join(" ");

/** Cells that look the same are one text; its length is told, so that every font keeps the columns. */
const toRuns = (terminal: Terminal, row: number): readonly Run[] => {
  const line = terminal.buffer.active.getLine(row);
  const runs: Run[] = [];
  for (let column = 0; column < terminal.cols; column += 1) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const [text, style] = [cell.getChars() || " ", styleOf(cell)];
    const last = runs.at(-1);
    if (last?.style === style) {
      last.text += text;
      last.width += cell.getWidth();
    } else runs.push({ column, width: cell.getWidth(), text, style });
  }
  return runs.filter(({ text }) => text.trim() !== "");
};

const drawScreen = (terminal: Terminal): string =>
  Array.from({ length: terminal.rows }, (_, row) =>
    toRuns(terminal, terminal.buffer.active.baseY + row)
      .map(({ column, width, text, style }) => {
        const [x, y] = [MARGIN + column * CELL.width, MARGIN + (row + 0.75) * CELL.height];
        return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${(width * CELL.width).toFixed(1)}" ${style}>${escapeXml(text)}</text>`;
      })
      .join(""),
  ).join("\n");

/** A picture of what the terminal shows now. */
export const takeScreen = (terminal: Terminal): string => drawScreen(terminal);

export type SvgOptions = { readonly columns: number; readonly rows: number; readonly title: string; readonly frameMs?: number };

/** One screen, or several one after the other, for ever. */
export const toSvg = (screens: readonly string[], { columns, rows, title, frameMs = 1800 }: SvgOptions): string => {
  const [width, height] = [columns * CELL.width + 2 * MARGIN, rows * CELL.height + 2 * MARGIN];
  const share = 100 / screens.length;
  const style =
    screens.length === 1
      ? ""
      : `<style>.f{visibility:hidden;animation:f ${(frameMs * screens.length) / 1000}s step-end infinite}` +
        `@keyframes f{0%{visibility:visible}${share.toFixed(3)}%{visibility:hidden}}` +
        screens.map((_, index) => `.f${index}{animation-delay:${((frameMs * index) / 1000).toFixed(2)}s}`).join("") +
        "</style>";
  const body =
    screens.length === 1 ? (screens[0] ?? "") : screens.map((screen, index) => `<g class="f f${index}">${screen}</g>`).join("\n");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve" role="img">` +
    `<title>${escapeXml(title)}</title>${style}<rect width="100%" height="100%" rx="6" fill="${BACKGROUND}"/>\n${body}\n</svg>\n`
  );
};
