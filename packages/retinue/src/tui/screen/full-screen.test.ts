import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { createFullScreen } from "./full-screen.ts";
import { type Row, span } from "./row.ts";

const open = (columns: number, rows: number) => {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const screen = createFullScreen({
    write: (bytes) => terminal.write(bytes),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    colours: "none",
  });
  const lines = async (): Promise<readonly string[]> => {
    await new Promise<void>((resolve) => terminal.write("", resolve));
    const { active } = terminal.buffer;
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true).trimEnd() ?? "");
  };
  return { terminal, screen, lines };
};

const text = (value: string): Row => [span(value)];
const numbered = (count: number): readonly Row[] => Array.from({ length: count }, (_, at) => text(`line ${at}`));

test("what is finished stands above what lives, on a screen of its own", async () => {
  const { terminal, screen, lines } = open(40, 10);
  terminal.write("$ retinue\r\n");
  screen.draw({ finished: numbered(30), live: [text("> type here"), text("ready")], cursor: { row: 0, column: 2 } });
  expect(await lines()).toEqual([...Array.from({ length: 8 }, (_, at) => `line ${22 + at}`), "> type here", "ready"]);
  expect(terminal.buffer.active.type).toBe("alternate");
  expect([terminal.buffer.active.cursorY, terminal.buffer.active.cursorX]).toEqual([8, 2]);
});

test("a page up shows what was before, stays there while more is finished, and a page down comes back", async () => {
  const { screen, lines } = open(40, 10);
  const live = [text("> "), text("ready")];
  screen.draw({ finished: numbered(30), live });
  screen.page?.(1);
  screen.draw({ finished: [], live });
  const before = await lines();
  expect(before.slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, at) => `line ${15 + at}`));
  expect(before[7]).toContain("7 more rows below");
  screen.draw({ finished: [text("new")], live });
  expect((await lines()).slice(0, 7)).toEqual(before.slice(0, 7));
  screen.page?.(-2);
  screen.draw({ finished: [], live });
  expect((await lines())[7]).toBe("new");
});

test("the terminal is given back with everything that was finished, nothing lost or doubled", async () => {
  const { terminal, screen, lines } = open(40, 10);
  terminal.write("$ retinue\r\n");
  for (const one of numbered(50)) screen.draw({ finished: [one], live: [text("busy")] });
  screen.clear();
  screen.draw({ finished: [text("bye")], live: [] });
  const seen = (await lines()).filter((line) => line !== "");
  expect(terminal.buffer.active.type).toBe("normal");
  expect(seen).toEqual(["$ retinue", ...Array.from({ length: 50 }, (_, at) => `line ${at}`), "bye"]);
});

test("another size is drawn anew, and long rows are wrapped to it", async () => {
  const { terminal, screen, lines } = open(40, 10);
  screen.draw({ finished: [text(`start ${"word ".repeat(6)}end`)], live: [text("ready")] });
  terminal.resize(20, 6);
  screen.resized();
  screen.draw({ finished: [], live: [text("ready")] });
  const seen = await lines();
  expect(seen.join(" ")).toMatch(/start( word){6}/);
  expect(seen.filter((line) => line === "ready")).toHaveLength(1);
});
