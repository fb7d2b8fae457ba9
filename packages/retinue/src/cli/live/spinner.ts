/**
 * A sign of life while a command takes its time: a line that turns on a terminal and is gone when the work is done, plain lines now and then where there is
 * none, and nothing at all where the caller wants JSON or quiet.
 */
import { cutToWidth } from "../../terminal/text-width.ts";
import { toPrintable } from "../../terminal/printable.ts";
import type { Output } from "../output.ts";
import { canLive } from "./can-live.ts";
import { SIGN_MS, spinnerSign } from "./spinner-sign.ts";

/** What is done sooner shows nothing. */
const PATIENCE_MS = 300;
/** In a log, a line at most this often. */
const PLAIN_MS = 5000;
const CLEAR = "\r\u001B[K";

export type SpinnerOptions = {
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** For --json and --quiet: nothing is told. */
  readonly isSilent?: boolean;
  /** The work holds the process up, so that a first sign could not be drawn later. */
  readonly atOnce?: boolean;
  /** How long the work may take without a sign. */
  readonly patienceMs?: number | undefined;
  readonly now?: () => number;
};

/** How far the work is, in the place of what it is. Also drawn where the work leaves no time for anything else. */
export type TellProgress = (howFar: string) => void;

export const withSpinner = async <T>(
  what: string,
  { stderr, env, isSilent = false, atOnce = false, patienceMs, now = Date.now }: SpinnerOptions,
  work: (tell: TellProgress) => Promise<T> | T,
): Promise<T> => {
  if (isSilent) return work(() => undefined);
  const isLive = canLive({ stderr, env });
  const patience = isLive && atOnce ? 0 : (patienceMs ?? (isLive ? PATIENCE_MS : PLAIN_MS));
  const write = (text: string): void => void stderr.write(text).catch(() => undefined);
  let text = what;
  let isDrawn = false;
  let drawnAt = now();
  const draw = (): void => {
    drawnAt = now();
    isDrawn = true;
    if (!isLive) return write(`retinue: ${toPrintable(text, "line")}\n`);
    const line = `${spinnerSign(now(), env)} ${toPrintable(text, "line")}`;
    write(`${CLEAR}${cutToWidth(line, Math.max(10, (stderr.columns() || 80) - 1))}`);
  };
  const drawIfDue = (): void => {
    const wait = !isDrawn ? patience : isLive ? SIGN_MS : PLAIN_MS;
    if (now() - drawnAt >= wait) draw();
  };
  if (patience === 0) draw();
  const ticking = setInterval(drawIfDue, SIGN_MS);
  try {
    return await work((howFar) => {
      text = howFar;
      drawIfDue();
    });
  } finally {
    clearInterval(ticking);
    if (isDrawn && isLive) await stderr.write(CLEAR);
  }
};
