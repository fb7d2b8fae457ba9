/** The runs of a session as a tree in a terminal: who, how it went, time, tokens, money. */
import type { RunNode } from "@retinue/store";
import { fromEventKey } from "@retinue/store";
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

export const formatRunTree = (roots: readonly RunNode[], options: RunTreeOptions): readonly string[] =>
  formatTable(
    COLUMNS,
    roots.flatMap((root) => toRows(root, "", "", options)),
  );

const toRows = (run: RunNode, lead: string, below: string, options: RunTreeOptions): readonly (readonly string[])[] => {
  const { redact, icons } = options;
  const icon = icons.get(run.agent);
  const who = `${lead}${icon === undefined ? "" : `${toIcon(icon)} `}${toCell(run.agent, redact)}`;
  const status = run.outcome ?? run.status;
  return [
    [
      who,
      `#${fromEventKey(run.messageId).seq}`,
      run.bailoutReason === null || run.bailoutReason === status ? status : `${status}: ${toCell(run.bailoutReason, redact)}`,
      run.durationMs === null ? "" : duration(run.durationMs),
      run.promptTokens === null ? "" : brief(run.promptTokens),
      run.completionTokens === null ? "" : brief(run.completionTokens),
      run.costUsd === null ? "?" : money(run.costUsd),
    ],
    ...run.children.flatMap((child, index) => {
      const isLast = index === run.children.length - 1;
      return toRows(child, `${below}${isLast ? "└─ " : "├─ "}`, `${below}${isLast ? "   " : "│  "}`, options);
    }),
  ];
};

const MOST_ICON_CHARS = 8;

/** Agent files are anybody's: an icon is a sign, not a text. */
export const toIcon = (icon: string): string => toPrintable(icon.replace(/\s+/g, "").slice(0, MOST_ICON_CHARS), "prose");
