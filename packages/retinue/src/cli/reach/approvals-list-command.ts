/** `retinue approvals list`: the questions that wait for an answer, each with the exact act it is about. */
import type { OpenApproval } from "@retinue/store";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { age, duration } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { formatAct } from "../format-act.ts";
import type { Redact } from "../format-error.ts";
import { withRecord } from "../record/open-for-command.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";

export type ApprovalsListOptions = Pick<SessionOptions, "workspace"> & { readonly all?: boolean; readonly json?: boolean };

export const approvalsListCommand = (
  { all, json, ...options }: ApprovalsListOptions,
  surroundings: Surroundings,
): Promise<number> =>
  withRecord(options, surroundings, async ({ store, workspace }) => {
    const { stdout, stderr, redact } = surroundings;
    const everywhere = await store.approvals();
    const shown = all === true ? everywhere : everywhere.filter((one) => one.workspace === workspace);
    if (json === true) {
      await stdout.write(`${toJsonLine({ approvals: shown }, redact)}\n`);
      return EXIT.done;
    }
    const now = Date.now();
    await stdout.write(shown.map((one) => formatApproval(one, { redact, now })).join("\n"));
    const hidden = everywhere.length - shown.length;
    if (shown.length === 0) {
      const where = all === true ? "" : " in this folder";
      const others = hidden === 0 ? "" : `; --all lists ${hidden} of other folders`;
      await stderr.write(`retinue: nothing waits for an answer${where}${others}.\n`);
    } else await stderr.write(`retinue: answer with retinue approvals answer ID ${howToAnswer(shown)}.\n`);
    return EXIT.done;
  });

/** The flags that the questions are answered by. */
export const howToAnswer = (open: readonly OpenApproval[]): string => {
  const [asksWords, asksLeave] = [true, false].map((isQuestion) =>
    open.some(({ act }) => (act.question !== undefined) === isQuestion),
  );
  return [...(asksLeave || !asksWords ? ["--allow"] : []), ...(asksWords ? ["--text ANSWER"] : []), "or --deny"].join(", ");
};

type FormatOptions = { readonly redact: Redact; readonly now: number };

/** Whole, however long the act is: nobody answers what they have not seen. */
export const formatApproval = (one: OpenApproval, { redact, now }: FormatOptions): string => {
  const line = (text: string): string => toPrintable(redact(text), "line");
  return [
    line(one.approvalId),
    `  ${line(one.path.join(" > "))}, asked ${askedAt(one, now)}${expiry(one, now)}`,
    ...formatAct(one.act, redact).map((row) => `  ${row}`),
    `  sha256 ${one.hash}`,
    line(`  ${one.runId} of ${one.sessionId} in ${one.workspace}`),
    "",
  ].join("\n");
};

const askedAt = ({ requestedAt }: OpenApproval, now: number): string => {
  const ago = age(now - Date.parse(requestedAt));
  return ago === "now" ? "just now" : `${ago} ago`;
};

const expiry = ({ expiresAt }: OpenApproval, now: number): string => {
  if (expiresAt === null) return "";
  const leftMs = Date.parse(expiresAt) - now;
  return leftMs > 0 ? `, expires in ${duration(leftMs)}` : `, expired at ${expiresAt}`;
};
