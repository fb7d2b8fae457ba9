/**
 * Mail that an application under test has sent, for codes that come by mail. An inbox is anything that can tell the mails to an address; the code is taken from the newest
 * that came since the case began.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";

export type Mail = { readonly subject: string; readonly text: string; readonly receivedAt: number };

export type Inbox = {
  /** The mails to an address that came at this time or later, the newest first. */
  readonly mailsTo: (address: string, sinceMs: number, signal: AbortSignal) => Promise<readonly Mail[]>;
};

export type MailCodeOptions = {
  readonly inbox: Inbox;
  readonly address: string;
  readonly sinceMs: number;
  /** A regular expression; its first group is the code, or all of it where it has none. */
  readonly pattern?: string | undefined;
  readonly signal: AbortSignal;
  readonly withinMs?: number;
};

const WITHIN_MS = 30_000;
const LOOK_MS = 250;
/** Digits that stand alone: no part of an amount, a date, an address or a longer number. */
const CODE = /(?<![\d.,:/#&=-])\d{4,8}(?![\d.,:/-]\d|\d)/u;
/** Most codes have this many digits, and years have not. */
const MOST_USUAL = 6;
const SAYS_CODE = /code|pin\b|passcode|otp|einmal/iu;

/** Waits for it. Throws `tool_failed` where none comes in time. */
export const waitForMailCode = async ({
  inbox,
  address,
  sinceMs,
  pattern,
  signal,
  withinMs = WITHIN_MS,
}: MailCodeOptions): Promise<string> => {
  const until = performance.now() + withinMs;
  for (;;) {
    const mails = await inbox.mailsTo(address, sinceMs, signal);
    for (const mail of mails) {
      const code = findCode(mail, pattern);
      if (code !== null) return code;
    }
    if (performance.now() >= until)
      throw new RetinueError(
        "tool_failed",
        `No mail with a code came to ${address} within ${withinMs / 1000} s; ${mails.length} came without one. Nothing was typed.`,
      );
    await sleep(LOOK_MS, undefined, { signal });
  }
};

/** Lines that speak of a code are looked at before others. */
export const findCode = ({ subject, text }: Pick<Mail, "subject" | "text">, pattern?: string): string | null => {
  const whole = `${subject}\n${text}`;
  if (pattern !== undefined) {
    const [all, group] = new RegExp(pattern, "u").exec(whole) ?? [];
    return group ?? all ?? null;
  }
  const lines = whole.split(/\r?\n/u);
  const near = lines.flatMap((line, at) =>
    SAYS_CODE.test(line) ? [line, lines.slice(at + 1).find((one) => one.trim() !== "") ?? ""] : [],
  );
  for (const some of [near, lines]) {
    const codes = some.flatMap((line) => CODE.exec(line)?.[0] ?? []);
    const code = codes.find(({ length }) => length === MOST_USUAL) ?? codes[0];
    if (code !== undefined) return code;
  }
  return null;
};
