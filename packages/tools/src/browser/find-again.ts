/**
 * Finds an element of a recorded act again: by its role and name, to the letter; else, where healing is allowed, by an attribute that its authors keep stable, else by its
 * place among its like. In that order, and what is found in another way than by role and name is said.
 */
import type { KnownElement } from "@retinue/protocol/test-case";
import { RetinueError } from "@retinue/protocol";
import type { Locator, Page } from "playwright-core";
import { nodeAtPlace } from "./element-marks.ts";
import { ElementNotFound } from "./find-element.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import { toLabel, walk } from "./page-tree.ts";
import { isSameMeaning } from "./same-meaning.ts";

export type FindAgain = {
  readonly page: Page;
  readonly tree: PageTree;
  /** Several acts may have named their elements alike. */
  readonly known: readonly KnownElement[];
  readonly mayHeal: boolean;
};

export type FoundAgain = {
  readonly node: PageNode;
  readonly locator: Locator;
  /** How it was found, where that is not by role and name. */
  readonly healed?: string;
};

/** Throws `tool_failed` where it is not there. */
export const findAgain = async ({ page, tree, known, mayHeal }: FindAgain): Promise<FoundAgain> => {
  const [first] = known;
  const same = [...walk(tree.roots)].filter(
    ({ ref, role, name }) => ref !== undefined && role === first?.role && name === first.name,
  );
  const [only] = same;
  if (only && same.length === 1) return { node: only, locator: page.getByRef(only.ref ?? "") };
  const said = `${first?.role ?? ""} ${JSON.stringify(first?.name ?? "")}`;
  if (mayHeal) {
    for (const element of known) {
      const found = (await byAttributes(page, tree, element)) ?? byPlace(page, tree, element);
      if (found)
        return { ...found, healed: `${said} was found by ${found.healed}: now ${toLabel({ ...found.node, ref: undefined })}` };
    }
  }
  const options = mayHeal ? {} : { hint: "With --heal report it is looked for by its attributes and its place, too." };
  throw only
    ? new RetinueError("tool_failed", `${said} could be ${same.length} elements, so that nothing was done.`, options)
    : new ElementNotFound(`Nothing on the page is ${said} any more, so that nothing was done.`, options);
};

type Found = FoundAgain & { readonly healed: string };

const byAttributes = async (page: Page, tree: PageTree, { role, attributes }: KnownElement): Promise<Found | undefined> => {
  for (const [attribute, value] of Object.entries(attributes))
    for (const frame of page.frames()) {
      const locator = frame.locator(`[${attribute}=${JSON.stringify(value)}]`).filter({ visible: true });
      if ((await locator.count().catch(() => 0)) !== 1) continue;
      const now = await perceive(locator);
      // Something else may have got the attribute.
      if (now?.role !== role) continue;
      const [node, another] = [...walk(tree.roots)].filter((one) => one.role === now.role && one.name === now.name);
      return {
        node: node && !another ? node : { ...NO_NODE, ...now },
        locator,
        healed: `its attribute ${attribute}=${JSON.stringify(value)}`,
      };
    }
  return undefined;
};

const FIRST_LINE = /^- '?([a-z]+)(?: "((?:[^"\\]|\\.)*)")?/;

/** As a user of a screen reader does. */
const perceive = async (locator: Locator): Promise<Pick<PageNode, "role" | "name"> | undefined> => {
  const snapshot = await locator.ariaSnapshot().catch(() => "");
  const [, role, name = ""] = FIRST_LINE.exec(snapshot) ?? [];
  return role === undefined ? undefined : { role, name: name.replaceAll(/\\(.)/g, "$1") };
};

/** These do something when they are clicked: another one in the same place may do the opposite. */
const ACTING_ROLES: ReadonlySet<string> = new Set(["button", "link", "menuitem", "tab", "switch"]);

const byPlace = (page: Page, tree: PageTree, { role, name, place }: KnownElement): Found | undefined => {
  const node = place ? nodeAtPlace(tree, role, place) : undefined;
  if (!node || !place || (ACTING_ROLES.has(role) && !isSameMeaning(name, node.name))) return undefined;
  const where = `its place (${role} ${place.index} of ${place.count}${place.container === null ? "" : ` in ${place.container}`})`;
  return { node, locator: page.getByRef(node.ref ?? ""), healed: where };
};

const NO_NODE = {
  text: "",
  ref: undefined,
  states: [],
  url: undefined,
  placeholder: undefined,
  isClickable: false,
  parent: undefined,
  children: [],
} as const;
