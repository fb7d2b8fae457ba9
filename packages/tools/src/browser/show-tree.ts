/**
 * A page tree as text that fits: whole where there is room; otherwise without what says least, first the layout around content, then what lies deep, each
 * with a word on how much was left out. What can be acted upon and what is announced stays longest.
 */
import type { PageNode, PageTree } from "./page-tree.ts";
import { CLICKABLE_ROLES, textOf, toLine, walk } from "./page-tree.ts";

export type ShowOptions = {
  readonly mostChars: number;
  readonly withRefs?: boolean;
  /** Nodes below the outermost that are shown. */
  readonly depth?: number | undefined;
  /** Only lines that contain it, each with what it is in. */
  readonly search?: string | undefined;
};

export type ShownTree = { readonly text: string; readonly isWhole: boolean; readonly whole: string };

export const showTree = (nodes: readonly PageNode[], options: ShowOptions): ShownTree => {
  const { mostChars, withRefs = true, depth, search } = options;
  const whole = toLines(nodes, withRefs).join("\n");
  if (search !== undefined) return { text: showFound(nodes, search, withRefs, mostChars), isWhole: false, whole };
  if (depth === undefined && whole.length <= mostChars) return { text: whole, isWhole: true, whole };
  if (depth !== undefined) {
    const limited = toLines(nodes, withRefs, depth).join("\n");
    if (limited.length <= mostChars) return { text: limited, isWhole: false, whole };
  }
  return { text: elide(nodes, withRefs, mostChars), isWhole: false, whole };
};

/** Boxes that say nothing by themselves are not shown, what is in them is. */
const isEmptyBox = ({ role, name, text, states, isClickable }: PageNode): boolean =>
  (role === "generic" || role === "rowgroup" || role === "none") &&
  name === "" &&
  text === "" &&
  states.every((state) => state === "active") &&
  !isClickable;

export const toLines = (nodes: readonly PageNode[], withRefs: boolean, depth = Infinity, indent = 0): readonly string[] =>
  nodes.flatMap((node) => {
    if (isEmptyBox(node)) return toLines(node.children, withRefs, depth, indent);
    const line = `${"  ".repeat(indent)}- ${toLine(node, withRefs)}`;
    const children = node.children.filter((child) => child.role !== "text" || !isRepeated(child, node));
    if (children.length === 0) return [line];
    if (indent >= depth) return [`${line} (${countOf(children)} more inside)`];
    return [line, ...toLines(children, withRefs, depth, indent + 1)];
  });

/** Text that stands in the name already. */
const isRepeated = ({ text }: PageNode, { name }: PageNode): boolean => text !== "" && name.includes(text);

const countOf = (nodes: readonly PageNode[]): number => {
  let count = 0;
  for (const node of walk(nodes)) if (!isEmptyBox(node)) count += 1;
  return count;
};

const showFound = (nodes: readonly PageNode[], search: string, withRefs: boolean, mostChars: number): string => {
  const wanted = search.toLowerCase();
  const lines: string[] = [];
  let chars = 0;
  let left = 0;
  for (const node of walk(nodes)) {
    if (isEmptyBox(node) || !toLine(node, false).toLowerCase().includes(wanted)) continue;
    const where = placeOf(node);
    const line = `- ${toLine(node, withRefs)}${where === "" ? "" : `  (in ${where})`}`;
    if (chars + line.length > mostChars - 100) left += 1;
    else lines.push(line);
    chars += line.length + 1;
  }
  if (lines.length === 0) return `Nothing on the page contains ${JSON.stringify(search)}.`;
  return [...lines, ...(left === 0 ? [] : [`… ${left} more lines contain it; search for something longer.`])].join("\n");
};

const NAMED_PLACES: ReadonlySet<string> = new Set([
  "dialog",
  "region",
  "row",
  "listitem",
  "form",
  "navigation",
  "iframe",
  "table",
  "article",
  "group",
  "search",
]);

/** What a node is in, from the inside out. */
export const placeOf = (node: PageNode): string => {
  const places: string[] = [];
  for (let at = node.parent; at && places.length < 2; at = at.parent)
    if (NAMED_PLACES.has(at.role))
      places.push(
        at.name === "" ? `${at.role} ${JSON.stringify(textOf(at).slice(0, 40))}` : `${at.role} ${JSON.stringify(at.name)}`,
      );
  return places.join(", ");
};

const weightOf = ({ role, isClickable, ref }: PageNode): number => {
  if (role === "alert" || role === "status" || role === "dialog" || role === "alertdialog") return 4;
  if (role === "heading") return 3;
  if (CLICKABLE_ROLES.has(role) && ref !== undefined) return 2;
  return isClickable ? 1 : 0;
};

/** Lines of what weighs most, in the order of the page, with marks where something is left out. */
const elide = (nodes: readonly PageNode[], withRefs: boolean, mostChars: number): string => {
  const all: { readonly line: string; readonly weight: number; readonly index: number }[] = [];
  const collect = (list: readonly PageNode[], indent: number): void => {
    for (const node of list) {
      if (isEmptyBox(node)) collect(node.children, indent);
      else {
        const text = toLine(node, withRefs);
        const line = `${"  ".repeat(Math.min(indent, 6))}- ${text.length > 200 ? `${text.slice(0, 199)}…` : text}`;
        all.push({ line, weight: weightOf(node), index: all.length });
        collect(node.children, indent + 1);
      }
    }
  };
  collect(nodes, 0);
  const kept = new Set<number>();
  let room = mostChars - 120;
  for (const { line, index } of all.toSorted((one, other) => other.weight - one.weight || one.index - other.index)) {
    // Marks of what is left out take room too.
    if (line.length + 30 > room) continue;
    room -= line.length + 30;
    kept.add(index);
  }
  const lines: string[] = [];
  let left = 0;
  for (const { line, index } of all) {
    if (!kept.has(index)) {
      left += 1;
      continue;
    }
    if (left > 0) lines.push(`… ${left} lines left out`);
    left = 0;
    lines.push(line);
  }
  if (left > 0) lines.push(`… ${left} lines left out`);
  return lines.join("\n").slice(0, mostChars);
};

/** What can be done on a page, in short: headings, messages and what can be acted upon. */
export const toOutline = (tree: PageTree, mostChars: number): string => {
  const lines: string[] = [];
  let chars = 0;
  let left = 0;
  for (const node of walk(tree.roots)) {
    if (weightOf(node) < 2 || (node.role === "status" && textOf(node) === "")) continue;
    const line = `- ${toLine(node, true)}`;
    if (chars + line.length > mostChars) left += 1;
    else lines.push(line);
    chars += line.length + 1;
  }
  return [...lines, ...(left === 0 ? [] : [`… ${left} more; browser_snapshot shows all.`])].join("\n");
};
