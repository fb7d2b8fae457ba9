/**
 * One living line below everything that a command tells on a terminal. Whatever else is written there goes above it, and while somebody is asked something it
 * is not there at all.
 */
import { createLiveScreen } from "../../tui/screen/live-screen.ts";
import type { Row } from "../../tui/screen/row.ts";
import { terminalKindOf } from "../../tui/screen/terminal-kind.ts";
import type { Output } from "../output.ts";
import { SIGN_MS, spinnerSign } from "./spinner-sign.ts";

export type LiveStatus = {
  /** Draws the line, now and with every tick; undefined takes it away. */
  readonly show: (draw: (() => Row) | undefined) => void;
  /** Rows that stay, above the line. */
  readonly print: (rows: readonly Row[]) => void;
  /** The line is gone until the work is done. */
  readonly without: <T>(work: () => Promise<T>) => Promise<T>;
  /** The same output, kept clear of the line. */
  readonly output: Output;
  readonly width: () => number;
  /** The sign that turns, as it stands now. */
  readonly sign: () => string;
};

export const createLiveStatus = (output: Output, env: NodeJS.ProcessEnv): LiveStatus => {
  const size = (): { readonly columns: number; readonly rows: number } => ({
    columns: output.columns() || 80,
    rows: output.rows() || 24,
  });
  const screen = createLiveScreen({ write: (bytes) => void output.write(bytes), size, ...terminalKindOf(env) });
  let line: (() => Row) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isHidden = false;
  let isDrawn = false;

  const draw = (finished: readonly Row[] = []): void => {
    if (isHidden || !line) {
      if (finished.length > 0) screen.draw({ finished, live: [] });
      return;
    }
    screen.draw({ finished, live: [line()] });
    isDrawn = true;
  };
  const erase = (): void => {
    if (isDrawn) screen.clear();
    isDrawn = false;
  };

  return {
    width: () => Math.max(20, size().columns - 1),
    sign: () => spinnerSign(Date.now(), env),
    show: (next) => {
      clearInterval(timer);
      line = next;
      if (!next) return erase();
      timer = setInterval(draw, SIGN_MS);
      // A line that only shows life keeps no process alive.
      timer.unref();
      draw();
    },
    print: draw,
    without: async (work) => {
      erase();
      isHidden = true;
      try {
        return await work();
      } finally {
        isHidden = false;
        draw();
      }
    },
    output: {
      ...output,
      write: async (text) => {
        erase();
        await output.write(text);
        if (text.endsWith("\n")) draw();
      },
    },
  };
};
