import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { createLiveScreen } from "./live-screen.ts";
import { coloursOf, encodeRow, type Row, span } from "./row.ts";

const open = (columns: number, rows: number) => {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const screen = createLiveScreen({
    write: (bytes) => terminal.write(bytes),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    colours: "none",
  });
  const lines = async (): Promise<readonly string[]> => {
    await new Promise<void>((resolve) => terminal.write("", resolve));
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length }, (_, index) => active.getLine(index));
    const joined: string[] = [];
    for (const line of all) {
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped === true) joined.push(`${joined.pop() ?? ""}${text}`);
      else joined.push(text);
    }
    return joined.map((line) => line.trimEnd());
  };
  return { terminal, screen, lines };
};

const text = (value: string): Row => [span(value)];
const live = (count: number, mark: string): readonly Row[] =>
  Array.from({ length: count }, (_, index) => text(`${mark} ${index}`));

test("of 2,000 finished lines none is lost or doubled, whatever lives below them", async () => {
  const { screen, lines } = open(80, 24);
  for (let at = 0; at < 2000; at += 1)
    screen.draw({
      finished: [text(`line ${at} ${"x".repeat(at % 120)}`)],
      live: live((at % 20) + 1, `live ${at}`),
      cursor: { row: 0, column: 2 },
    });
  screen.draw({ finished: [], live: live(2, "last") });
  const seen = await lines();
  expect(seen.filter((line) => line.startsWith("line "))).toEqual(
    Array.from({ length: 2000 }, (_, at) => `line ${at} ${"x".repeat(at % 120)}`.trimEnd()),
  );
  expect(seen.filter((line) => line.startsWith("live "))).toEqual([]);
  expect(seen.filter((line) => line.startsWith("last "))).toEqual(["last 0", "last 1"]);
});

test.each([
  [40, 24],
  [120, 30],
  [60, 20],
])("a window that becomes %i x %i loses and doubles nothing", async (columns, rows) => {
  const { terminal, screen, lines } = open(80, 24);
  const finished = Array.from({ length: 60 }, (_, at) => text(`line ${at} ${"y".repeat(70)}`));
  screen.draw({ finished, live: live(8, `live ${"z".repeat(60)}`), cursor: { row: 7, column: 3 } });
  await lines();
  terminal.resize(columns, rows);
  screen.resized();
  screen.draw({ finished: [text("after")], live: live(3, "small"), cursor: { row: 2, column: 0 } });
  const seen = await lines();
  expect(seen.filter((line) => line.startsWith("line "))).toHaveLength(60);
  expect(seen.filter((line) => line.startsWith("live "))).toEqual([]);
  expect(seen.filter((line) => line.startsWith("after"))).toHaveLength(1);
  expect(seen.filter((line) => line.startsWith("small "))).toEqual(["small 0", "small 1", "small 2"]);
});

test("only rows that have changed are sent again, and scrollback is never cleared", () => {
  const sent: string[] = [];
  const screen = createLiveScreen({
    write: (bytes) => void sent.push(bytes),
    size: () => ({ columns: 80, rows: 24 }),
    colours: "16",
  });
  screen.draw({ finished: [], live: [text("one"), text("two"), text("three")] });
  screen.draw({ finished: [], live: [text("one"), text("2"), text("three")] });
  expect(sent[1]).toContain("2");
  expect(sent[1]).not.toContain("one");
  expect(sent[1]).not.toContain("three");
  expect(sent.join("")).not.toMatch(/\[[23]J|\[\?1049/);
});

test("wide characters are cut before the edge, so that no row of the live part wraps", async () => {
  const { terminal, screen, lines } = open(40, 10);
  screen.draw({
    finished: [],
    live: [text("漢字かな交じり文の長い行は端の手前で切られる、必ず。"), text("🙂".repeat(40)), text("end")],
  });
  const seen = await lines();
  expect(seen.slice(0, 3)).toEqual([expect.stringMatching(/^漢字.*…$/), expect.stringMatching(/^🙂.*…$/u), "end"]);
  expect(terminal.buffer.active.getLine(1)?.isWrapped).toBe(false);
});

test("NO_COLOR sends no colour, and terminals of 16 colours get only those", () => {
  const styled: Row = [span("a", "partial"), span("b", "failed")];
  expect(encodeRow(styled, coloursOf({ NO_COLOR: "1", TERM: "xterm-256color" }))).toBe("ab");
  expect(encodeRow(styled, coloursOf({ TERM: "xterm" }))).not.toContain("38;5");
  expect(encodeRow(styled, coloursOf({ TERM: "xterm-256color" }))).toContain("38;5;100");
});
