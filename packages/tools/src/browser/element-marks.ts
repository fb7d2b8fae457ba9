/** Reads by what else than its role and name an element is known: stable attributes, and its place among its like. */
import type { ElementPlace } from "@retinue/protocol/test-case";
import { STABLE_ATTRIBUTES } from "@retinue/protocol/test-case";
import type { Locator } from "playwright-core";
import { evaluateOn } from "./evaluate-on.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import { walk } from "./page-tree.ts";

const ATTRIBUTES = `(element) => Object.fromEntries(${JSON.stringify(STABLE_ATTRIBUTES)}.flatMap((name) => {
  const value = element.getAttribute(name);
  return value === null || value === "" || value.length > 100 ? [] : [[name, value]];
}))`;

/** Numbers and React's own ids are made anew with every build or page. */
const IS_GENERATED = /\d{4}|^:|^radix-|[0-9a-f]{8}/;

export const readStableAttributes = async (locator: Locator): Promise<Readonly<Record<string, string>>> => {
  // A function as text: its types would need those of a browser.
  const found = await evaluateOn<Record<string, string>>(locator, ATTRIBUTES).catch(() => ({}));
  return Object.fromEntries(Object.entries(found).filter(([name, value]) => name !== "id" || !IS_GENERATED.test(value)));
};

/** Roles that hold a part of a page together. */
const CONTAINERS: ReadonlySet<string> = new Set([
  "dialog",
  "alertdialog",
  "region",
  "form",
  "navigation",
  "search",
  "table",
  "main",
  "iframe",
  "group",
  "banner",
]);

/** The nearest thing around it that has a name or is a landmark. */
const containerOf = (node: PageNode): PageNode | null => {
  for (let at = node.parent; at; at = at.parent) if (CONTAINERS.has(at.role)) return at;
  return null;
};

const labelOf = ({ role, name }: PageNode): string => (name === "" ? role : `${role} ${JSON.stringify(name)}`);

const isLike = (node: PageNode, role: string): boolean => node.role === role && node.ref !== undefined;

const likeIn = (tree: PageTree, container: string | null, role: string): readonly PageNode[] => {
  if (container === null) return [...walk(tree.roots)].filter((node) => isLike(node, role));
  const [around, another] = [...walk(tree.roots)].filter((node) => CONTAINERS.has(node.role) && labelOf(node) === container);
  return around && !another ? [...walk(around.children)].filter((node) => isLike(node, role)) : [];
};

export const placeAmongLike = (tree: PageTree, node: PageNode): ElementPlace | null => {
  const around = containerOf(node);
  const container = around && labelOf(around);
  const like = likeIn(tree, container, node.role);
  const index = like.findIndex(({ ref }) => ref === node.ref);
  return index < 0 ? null : { index: index + 1, count: like.length, container };
};

/** What stands at a place now; undefined where there are more or fewer of its like than there were, so that places have moved. */
export const nodeAtPlace = (tree: PageTree, role: string, { index, count, container }: ElementPlace): PageNode | undefined => {
  const like = likeIn(tree, container, role);
  return like.length === count ? like[index - 1] : undefined;
};
