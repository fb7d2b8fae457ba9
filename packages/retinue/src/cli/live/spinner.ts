/** A sign of life on a terminal while something takes its time. Elsewhere nothing is written, and the line is gone when the work is done. */
import type { Output } from "../output.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** What is done sooner shows nothing. */
const PATIENCE_MS = 300;
const CLEAR = "\r\u001B[K";

export type SpinnerOptions = { readonly stderr: Output; readonly env: NodeJS.ProcessEnv };

export const withSpinner = async <T>(what: string, { stderr, env }: SpinnerOptions, work: () => Promise<T>): Promise<T> => {
  if (!stderr.isTerminal || env["TERM"] === "dumb") return work();
  let frame = 0;
  let isShown = false;
  let spinning: NodeJS.Timeout | undefined;
  const draw = (): void => void stderr.write(`${CLEAR}${FRAMES[frame++ % FRAMES.length]} ${what}`).catch(() => undefined);
  const begin = setTimeout(() => {
    isShown = true;
    draw();
    spinning = setInterval(draw, FRAME_MS);
  }, PATIENCE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(begin);
    clearInterval(spinning);
    if (isShown) await stderr.write(CLEAR);
  }
};
