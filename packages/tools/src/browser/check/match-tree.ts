/** Finds elements as test cases name them in a page tree of before, for what was shown only for a moment. */
import type { Target } from "@retinue/protocol/test-case";
import { parseShortTarget } from "@retinue/protocol/test-case";
import type { PageNode, PageTree } from "../page-tree.ts";
import { textOf, walk } from "../page-tree.ts";

/** Undefined where a tree cannot tell, as by CSS. */
export const matchTree = (tree: PageTree, target: Target): readonly PageNode[] | undefined => {
  if (target.css !== undefined || target.testId !== undefined) return undefined;
  return [...walk(tree.roots)].filter((node) => isMeant(node, target) && isWithin(node, target.within));
};

const isMeant = (node: PageNode, { role, name, label, placeholder, text, exact = true }: Target): boolean =>
  node.role !== "text" &&
  (role === undefined || node.role === role) &&
  isSame(node.name, name ?? label, exact) &&
  isSame(node.placeholder ?? "", placeholder, exact) &&
  (text === undefined || (role === undefined ? isSame(textOf(node), text, exact) : textOf(node).includes(text)));

const isSame = (seen: string, wanted: string | undefined, exact: boolean): boolean =>
  wanted === undefined || (exact ? seen === wanted : seen.toLowerCase().includes(wanted.toLowerCase()));

const isWithin = (node: PageNode, within: string | undefined): boolean => {
  const target = within === undefined ? undefined : parseShortTarget(within);
  if (!target) return within === undefined;
  for (let at = node.parent; at; at = at.parent) if (isMeant(at, target)) return true;
  return false;
};
