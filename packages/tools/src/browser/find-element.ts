/**
 * Finds the one element that a call means, always the same way: by its reference, by role and name, or by a description that is compared with what the
 * page shows. Where several would do, the answer lists them; the first is never taken for being the first.
 */
import { RetinueError } from "@retinue/protocol";
import { nearestName } from "@retinue/protocol/names";
import type { ElementInput } from "./element-input.ts";
import { unnamed } from "./element-input.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import { CLICKABLE_ROLES, FIELD_ROLES, textOf, toLabel, walk } from "./page-tree.ts";
import { placeOf } from "./show-tree.ts";

/** `field`: something is to be typed or chosen there. */
export type Wanted = "any" | "field";

/** Throws `tool_failed` where there is none, or more than one. */
export const findElement = (tree: PageTree, input: ElementInput, wanted: Wanted = "any"): PageNode => {
  const { ref, role, name, description } = input;
  if (ref !== undefined) return byRef(tree, ref);
  if (role !== undefined || name !== undefined) return byRoleAndName(tree, role, name);
  if (description !== undefined) return byDescription(tree, description, wanted);
  throw unnamed();
};

const byRef = (tree: PageTree, ref: string): PageNode => {
  for (const node of walk(tree.roots)) if (node.ref === ref) return node;
  throw new RetinueError("tool_failed", `There is no element ${ref} on the page any more, so that nothing was done.`, {
    hint: "Take a browser_snapshot for the references of now, or name the element by role and name.",
  });
};

const same = (one: string, other: string): boolean => fold(one) === fold(other);
const fold = (text: string): string => text.replaceAll(/\s+/g, " ").trim().toLowerCase();

const squeeze = (text: string): string => text.replaceAll(/[\s_-]+/g, "");

/** The letter first, then any case, then a part of the name. */
export const matchRoleAndName = (tree: PageTree, role: string | undefined, name: string | undefined): readonly PageNode[] => {
  const ofRole = [...walk(tree.roots)].filter((node) => node.role !== "text" && (role === undefined || same(node.role, role)));
  if (name === undefined) return ofRole;
  const tests = [
    (node: PageNode) => node.name === name,
    (node: PageNode) => same(node.name, name),
    (node: PageNode) => node.name === "" && same(textOf(node), name),
    (node: PageNode) => fold(node.name).includes(fold(name)),
  ];
  for (const test of tests) {
    const found = ofRole.filter(test);
    if (found.length > 0) return found;
  }
  return [];
};

const byRoleAndName = (tree: PageTree, role: string | undefined, name: string | undefined): PageNode => {
  const said = `${role ?? "element"}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
  const found = matchRoleAndName(tree, role, name).filter(({ ref }) => ref !== undefined);
  const [first] = found;
  if (first && found.length === 1) return first;
  if (!first) {
    const alike = [...walk(tree.roots)].filter((node) => node.ref !== undefined && role !== undefined && same(node.role, role));
    throw notFound(tree, { said, name, others: alike });
  }
  throw ambiguous(said, found);
};

type Role = { readonly words: readonly string[]; readonly roles: readonly string[] };

const ROLE_WORDS: readonly Role[] = [
  {
    words: ["input", "field", "textbox", "textarea", "text box", "box"],
    roles: ["textbox", "searchbox", "combobox", "spinbutton"],
  },
  { words: ["search box", "search field", "searchbox"], roles: ["searchbox", "textbox", "combobox"] },
  { words: ["button"], roles: ["button"] },
  { words: ["link"], roles: ["link"] },
  { words: ["checkbox", "check box"], roles: ["checkbox", "switch"] },
  { words: ["radio button", "radio"], roles: ["radio"] },
  { words: ["switch", "toggle"], roles: ["switch", "checkbox", "button"] },
  { words: ["dropdown", "drop-down", "select", "combobox", "listbox"], roles: ["combobox", "listbox", "button"] },
  { words: ["option"], roles: ["option"] },
  { words: ["tab"], roles: ["tab", "link", "button"] },
  { words: ["menu item", "menuitem"], roles: ["menuitem", "menuitemcheckbox", "menuitemradio"] },
  { words: ["slider"], roles: ["slider"] },
  { words: ["heading", "title"], roles: ["heading"] },
  { words: ["image", "picture", "icon"], roles: ["img", "image", "button", "link"] },
  { words: ["dialog", "modal", "popup"], roles: ["dialog", "alertdialog"] },
  { words: ["row"], roles: ["row"] },
  { words: ["cell"], roles: ["cell", "gridcell"] },
  { words: ["upload", "file input", "file chooser"], roles: ["button", "textbox"] },
];

const FILLERS: ReadonlySet<string> = new Set([
  "the",
  "a",
  "an",
  "labelled",
  "labeled",
  "named",
  "called",
  "with",
  "that",
  "says",
  "saying",
  "to",
  "text",
  "label",
  "one",
  "this",
]);

const PLACE = /\s+(?:in|inside|within|of|for|on|under|below|from|next to)\s+(?:the\s+)?/i;

type Phrase = { readonly roles: readonly string[] | undefined; readonly words: readonly string[] };

/** Takes the role out of a phrase; what is left are the words of its name. */
const toPhrase = (text: string): Phrase => {
  let rest = fold(text.replaceAll(/["'“”‘’„«»`]/g, " "));
  let roles: readonly string[] | undefined;
  const candidates = ROLE_WORDS.flatMap(({ words, roles: given }) => words.map((word) => ({ word, roles: given })));
  for (const { word, roles: given } of candidates.toSorted((one, other) => other.word.length - one.word.length)) {
    const found = new RegExp(`(^|\\s)${word}s?$|^${word}(\\s|$)`).exec(rest);
    if (!found) continue;
    roles = given;
    rest = rest.replace(found[0], " ").trim();
    break;
  }
  return { roles, words: rest.split(/[^\p{L}\p{N}€$%.@-]+/u).filter((word) => word !== "" && !FILLERS.has(word)) };
};

type Scored = { readonly node: PageNode; readonly score: number };

/** Also what could be meant, best first. */
export const scoreDescription = (tree: PageTree, description: string, wanted: Wanted): readonly Scored[] => {
  // A name may contain one of the words that lead to a place, so the whole is tried first.
  const whole = scoreParts(tree, description, undefined, wanted);
  if (whole.length > 0) return whole;
  const [head = "", ...places] = description.split(PLACE);
  return places.length === 0 ? [] : scoreParts(tree, head, places.join(" "), wanted);
};

const scoreParts = (tree: PageTree, head: string, place: string | undefined, wanted: Wanted): readonly Scored[] => {
  const { roles, words } = toPhrase(head);
  const around = place === undefined ? [] : toPhrase(place).words;
  const scored: Scored[] = [];
  for (const node of walk(tree.roots)) {
    if (node.ref === undefined || node.role === "text") continue;
    if (wanted === "field" && !isField(node)) continue;
    const score = scoreOf(node, roles, words);
    if (score === undefined || !around.every((word) => isAround(node, word))) continue;
    scored.push({ node, score });
  }
  return scored.toSorted((one, other) => other.score - one.score);
};

const isField = ({ role, children, ref }: PageNode): boolean =>
  FIELD_ROLES.has(role) || role === "listbox" || (role === "generic" && children.length === 0 && ref !== undefined);

const scoreOf = (node: PageNode, roles: readonly string[] | undefined, words: readonly string[]): number | undefined => {
  if (roles && !roles.includes(node.role)) return undefined;
  if (!roles && words.length === 0) return undefined;
  const base =
    (roles ? 30 - Math.min(9, roles.indexOf(node.role) * 3) : 0) + (CLICKABLE_ROLES.has(node.role) || node.isClickable ? 20 : 0);
  if (words.length === 0) return base;
  const phrase = words.join(" ");
  const sources = [
    { text: node.name, most: 100 },
    { text: node.placeholder ?? "", most: 85 },
    // The text of large containers holds everything.
    { text: node.name === "" && node.children.length <= 3 ? textOf(node).slice(0, 200) : "", most: 70 },
  ];
  let best: number | undefined;
  for (const { text, most } of sources) {
    const folded = fold(text);
    if (folded === "") continue;
    // "login" is "Log in" to whoever describes a button.
    const isSqueezed = squeeze(folded) === squeeze(phrase);
    const has = isSqueezed || words.every((word) => folded.includes(word));
    if (!has) continue;
    const score =
      folded === phrase || isSqueezed
        ? most
        : most - 40 + Math.round((30 * phrase.length) / Math.max(phrase.length, folded.length));
    best = Math.max(best ?? 0, score);
  }
  return best === undefined ? undefined : best + base;
};

const CONTAINERS: ReadonlySet<string> = new Set([
  "row",
  "listitem",
  "dialog",
  "alertdialog",
  "region",
  "form",
  "group",
  "article",
  "navigation",
  "search",
  "iframe",
  "cell",
  "table",
  "list",
  "banner",
  "main",
  "contentinfo",
  "tabpanel",
]);

/** Whether a word stands in the name of something around a node, or in the text of the nearest of these. */
const isAround = (node: PageNode, word: string): boolean => {
  let containers = 0;
  for (let at = node.parent; at; at = at.parent) {
    if (fold(at.name).includes(word) || at.role === word) return true;
    if (!CONTAINERS.has(at.role)) continue;
    containers += 1;
    if (containers <= 2 && at.role !== "main" && fold(textOf(at)).includes(word)) return true;
  }
  return false;
};

/** Two that are this near to each other cannot be told apart. */
const NEAR = 5;

const byDescription = (tree: PageTree, description: string, wanted: Wanted): PageNode => {
  const scored = scoreDescription(tree, description, wanted);
  const [first] = scored;
  if (!first)
    throw notFound(tree, {
      said: JSON.stringify(description),
      name: toPhrase(description).words.join(" "),
      others: actable(tree, wanted),
    });
  const near = withoutContainers(scored.filter(({ score }) => first.score - score < NEAR).map(({ node }) => node));
  if (near.length > 1) throw ambiguous(JSON.stringify(description), near);
  return first.node;
};

/** Of a node and what is in it, the inner one is meant: both show the same text. */
const withoutContainers = (nodes: readonly PageNode[]): readonly PageNode[] =>
  nodes.filter((node) => !nodes.some((other) => other !== node && isInside(other, node)));

const isInside = (node: PageNode, container: PageNode): boolean => {
  for (let at = node.parent; at; at = at.parent) if (at === container) return true;
  return false;
};

const actable = (tree: PageTree, wanted: Wanted): readonly PageNode[] =>
  [...walk(tree.roots)].filter(
    (node) => node.ref !== undefined && (wanted === "field" ? FIELD_ROLES.has(node.role) : CLICKABLE_ROLES.has(node.role)),
  );

const MOST_LISTED = 12;

const list = (nodes: readonly PageNode[]): string => {
  const shown = nodes.slice(0, MOST_LISTED).map((node) => {
    const place = placeOf(node);
    return `- ${toLabel(node)}${place === "" ? "" : ` in ${place}`}`;
  });
  return [...shown, ...(nodes.length > MOST_LISTED ? [`… and ${nodes.length - MOST_LISTED} more`] : [])].join("\n");
};

/** It may come yet. */
export class ElementNotFound extends RetinueError {
  constructor(message: string, options: { readonly hint?: string } = {}) {
    super("tool_failed", message, options);
  }
}

type Missed = { readonly said: string; readonly name: string | undefined; readonly others: readonly PageNode[] };

const notFound = (tree: PageTree, { said, name, others }: Missed): ElementNotFound => {
  const near = name === undefined ? [] : nearestNodes(tree, name);
  return new ElementNotFound(
    [
      `Nothing on the page is ${said}, so that nothing was done.`,
      ...(near.length === 0 ? [] : [`Nearest: ${near.map(toLabel).join(", ")}.`]),
      ...(others.length === 0 ? [] : [`There is:\n${list(others)}`]),
    ].join(" "),
  );
};

const MOST_NEAR = 3;

/** Whatever their role. */
const nearestNodes = (tree: PageTree, name: string): readonly PageNode[] => {
  const left = new Map(
    [...walk(tree.roots)].flatMap((node) => (node.ref === undefined || node.name === "" ? [] : [[node.name, node]])),
  );
  const near: PageNode[] = [];
  while (near.length < MOST_NEAR) {
    const nearest = nearestName(name, left.keys());
    const node = nearest === undefined ? undefined : left.get(nearest);
    if (!node) break;
    near.push(node);
    left.delete(node.name);
  }
  return near;
};

const ambiguous = (said: string, nodes: readonly PageNode[]): RetinueError =>
  new RetinueError("tool_failed", `${said} could be ${nodes.length} elements, so that nothing was done:\n${list(nodes)}`, {
    hint: "Name one of them by its ref.",
  });
