/** `retinue sessions search`: everything that was ever said, the latest first. */
import { RetinueError } from "@retinue/protocol";
import type { SearchHit } from "@retinue/store";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { cutToWidth } from "../../terminal/text-width.ts";
import { age } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Redact } from "../format-error.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { findSession, shortId } from "./find-session.ts";
import { withRecord } from "./open-for-command.ts";
import { toCell } from "./to-cell.ts";
import { wholeNumber } from "./whole-number.ts";

export type SearchOptions = Pick<SessionOptions, "workspace"> & {
  readonly limit?: string;
  readonly session?: string;
  readonly json?: boolean;
};

const DEFAULT_LIMIT = 20;
const MOST = 500;

export const searchCommand = (
  words: readonly string[],
  { limit, session, json, ...options }: SearchOptions,
  surroundings: Surroundings,
): Promise<number> =>
  withRecord(options, surroundings, async ({ sessions, workspace }) => {
    const { stdout, stderr, redact } = surroundings;
    const text = words.join(" ");
    if (text.trim() === "") throw new RetinueError("usage", "There is nothing to search for.");
    const within = session === undefined ? undefined : await findSession(session, { sessions, workspace });
    const most = limit === undefined ? DEFAULT_LIMIT : Math.min(MOST, wholeNumber(limit, "--limit", 1));
    const { items, next } = await withSpinner("searching", { ...surroundings, isSilent: json === true }, () =>
      sessions.search(text, { limit: most, ...(within === undefined ? {} : { sessionId: within.sessionId }) }),
    );
    if (json === true) {
      await stdout.write(`${toJsonLine({ hits: items, isMore: next !== null }, redact)}\n`);
      return EXIT.done;
    }
    for (const hit of items) for (const line of formatHit(hit, Date.now(), redact)) await stdout.write(`${line}\n`);
    if (items.length === 0) await stderr.write("retinue: nothing was found.\n");
    if (next !== null) await stderr.write("retinue: there are more; --limit lists them.\n");
    return EXIT.done;
  });

const LINE = 74;
const MOST_LINES = 4;

const formatHit = (hit: SearchHit, now: number, redact: Redact): readonly string[] => {
  const head = `${shortId(hit.sessionId)} #${hit.seq}  ${toCell(hit.agent, redact)}, ${hit.type}, ${age(now - Date.parse(hit.at))}`;
  return [head, ...wrap(toPrintable(redact(hit.snippet).replace(/\s+/g, " ").trim(), "line")).map((line) => `    ${line}`)];
};

const wrap = (text: string): readonly string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > LINE) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].slice(0, MOST_LINES).map((one) => cutToWidth(one, LINE));
};
