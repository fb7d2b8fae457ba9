/** `retinue sessions list`: the sessions of this folder, or all, the one that was written to last first. */
import type { ReadSide, SessionRow } from "@retinue/store";
import { basename } from "node:path";
import { toJsonLine } from "../../terminal/json-line.ts";
import { age, brief, money } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Redact } from "../format-error.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Column } from "../table.ts";
import { formatTable } from "../table.ts";
import { shortId } from "./find-session.ts";
import { withRecord } from "./open-for-command.ts";
import type { SessionStates } from "./session-state.ts";
import { readStates, statusOf, withState } from "./session-state.ts";
import { toCell } from "./to-cell.ts";
import { wholeNumber } from "./whole-number.ts";
import { wrongFigures } from "./wrong-figures.ts";

export type ListOptions = Pick<SessionOptions, "workspace"> & {
  readonly limit?: string;
  readonly all?: boolean;
  readonly json?: boolean;
};

const DEFAULT_LIMIT = 20;
const PAGE = 500;

export const listCommand = ({ limit, all, json, ...options }: ListOptions, surroundings: Surroundings): Promise<number> =>
  withRecord(options, surroundings, async ({ store, sessions, workspace }) => {
    const { stdout, stderr, redact } = surroundings;
    const most = limit === undefined ? DEFAULT_LIMIT : wholeNumber(limit, "--limit", 1);
    const { rows, isMore } = await readRows(sessions, { most, ...(all === true ? {} : { workspace }) });
    const states = await readStates({ sessions, approvals: store.approvals }, rows);
    for (const line of wrongFigures(rows, ({ sessionId }) => shortId(sessionId))) await stderr.write(`${line}\n`);
    if (json === true) {
      const shown = rows.map((row) => withState(row, states));
      await stdout.write(`${toJsonLine({ sessions: shown, isMore }, redact)}\n`);
      return EXIT.done;
    }
    for (const line of formatSessions(rows, { now: Date.now(), redact, withFolder: all === true, states }))
      await stdout.write(`${line}\n`);
    if (isMore) await stderr.write(`retinue: there are more; --limit ${most * 5} lists them.\n`);
    if (rows.length === 0) {
      const others = all === true ? [] : (await sessions.listSessions({ limit: 1 })).items;
      const what = all === true ? "No session is recorded yet" : "No session of this folder is recorded yet";
      await stderr.write(`retinue: ${what}${others.length > 0 ? "; --all lists those of other folders" : ""}.\n`);
    }
    return EXIT.done;
  });

export type RowsOptions = { readonly most: number; readonly workspace?: string };

/** The sessions written to last. */
export const readRows = async (
  sessions: ReadSide,
  { most, workspace }: RowsOptions,
): Promise<{ readonly rows: readonly SessionRow[]; readonly isMore: boolean }> => {
  const rows: SessionRow[] = [];
  let after: string | null | undefined;
  while (rows.length < most && after !== null) {
    const page = await sessions.listSessions({
      order: "updated",
      limit: Math.min(PAGE, most - rows.length),
      ...(workspace === undefined ? {} : { workspace }),
      ...(after === undefined ? {} : { after }),
    });
    rows.push(...page.items);
    after = page.next;
  }
  return { rows, isMore: typeof after === "string" };
};

export type FormatSessionsOptions = {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly redact: Redact;
  readonly withFolder: boolean;
  readonly states: SessionStates;
};

const COLUMNS: readonly Column[] = [
  { title: "session" },
  { title: "last", align: "right" },
  { title: "status" },
  { title: "runs", align: "right" },
  { title: "tokens", align: "right" },
  { title: "cost", align: "right" },
];

const TITLE: Column = { title: "task", isFlexible: true };

export const formatSessions = (
  rows: readonly SessionRow[],
  { now, redact, withFolder, states }: FormatSessionsOptions,
): readonly string[] => {
  if (rows.length === 0) return [];
  const columns = [...COLUMNS, ...(withFolder ? [{ title: "folder" }] : []), TITLE];
  return formatTable(
    columns,
    rows.map((row) => [
      shortId(row.sessionId),
      age(now - Date.parse(row.updatedAt)),
      statusOf(row, states),
      brief(row.runCount),
      brief(row.promptTokens + row.completionTokens),
      row.unpricedCalls > 0 && row.costUsd === 0 ? "?" : money(row.costUsd),
      ...(withFolder ? [toCell(basename(row.workspace), redact).slice(0, MOST_FOLDER)] : []),
      toCell(row.title, redact),
    ]),
  );
};

const MOST_FOLDER = 14;
