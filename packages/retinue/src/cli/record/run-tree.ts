/** The runs of a session as a tree in a terminal: who, how it went, time, tokens, money; own, and with everything below where there is any. */
import type { RunState, RunView, Spending } from "@retinue/client";
import { toPrintable } from "../../terminal/printable.ts";
import { brief, duration, money } from "../amounts.ts";
import type { Redact } from "../format-error.ts";
import type { Column } from "../table.ts";
import { formatTable } from "../table.ts";
import { toCell } from "./to-cell.ts";

export type RunTreeOptions = {
  readonly redact: Redact;
  /** By agent. */
  readonly icons: ReadonlyMap<string, string>;
};

const COLUMNS: readonly Column[] = [
  { title: "run", isFlexible: true },
  { title: "event", align: "right" },
  { title: "status" },
  { title: "time", align: "right" },
  { title: "in", align: "right" },
  { title: "out", align: "right" },
  { title: "cost", align: "right" },
];

export const formatRunTree = (roots: readonly RunView[], options: RunTreeOptions): readonly string[] =>
  formatTable(
    COLUMNS,
    roots.flatMap((root) => toRows(root, "", "", options)),
  );

const toRows = (run: RunView, lead: string, below: string, options: RunTreeOptions): readonly (readonly string[])[] => {
  const { redact, icons } = options;
  const icon = icons.get(run.agent);
  const who = `${lead}${icon === undefined ? "" : `${toIcon(icon)} `}${toCell(run.agent, redact)}`;
  const ms = run.result?.durationMs ?? run.activeMs;
  return [
    [
      who,
      run.requested === null ? "" : `#${run.requested.seq}`,
      toCell(toStatus(run), redact),
      ms === 0 && run.result === null ? "" : duration(ms),
      ...toAmounts(run.own),
    ],
    ...(run.children.length === 0 ? [] : [[`${below}│  with all below`, "", "", "", ...toAmounts(run.inclusive)]]),
    ...run.children.flatMap((child, index) => {
      const isLast = index === run.children.length - 1;
      return toRows(child, `${below}${isLast ? "└─ " : "├─ "}`, `${below}${isLast ? "   " : "│  "}`, options);
    }),
  ];
};

const toAmounts = ({ usage, costUsd, unpricedCalls }: Spending): readonly string[] => [
  brief(usage.input),
  brief(usage.output),
  unpricedCalls > 0 ? `${costUsd > 0 ? money(costUsd) : ""}?` : money(costUsd),
];

const toStatus = ({ state, result }: RunView): string => {
  if (result === null) return stateText(state);
  const { status, bailoutReason } = result;
  return bailoutReason === undefined || bailoutReason === status ? status : `${status}: ${bailoutReason}`;
};

/** What a run is doing as far as the record tells; whether a process is at it stands above the tree. */
const stateText = (state: RunState): string => {
  switch (state.type) {
    case "waiting":
      return `${state.isParked ? "parked" : "waiting"}: ${state.on}`;
    case "settled":
      return state.status;
    case "unseen":
      return "not in the record";
    case "requested":
    case "running":
    case "finishing":
      return state.type;
    default:
      return state satisfies never;
  }
};

const MOST_ICON_CHARS = 8;

/** Agent files are anybody's: an icon is a sign, not a text. */
export const toIcon = (icon: string): string => toPrintable(icon.replace(/\s+/g, "").slice(0, MOST_ICON_CHARS), "prose");
