/**
 * A page as its accessibility tree: what a user of a screen reader perceives, through frames and open shadow roots. Every element that can be acted upon has a
 * reference. The tree is always taken whole, because references of a partial one would make all others void.
 */
import type { Frame, Page } from "playwright-core";

export type PageNode = {
  readonly role: string;
  readonly name: string;
  /** What it shows itself; the value of a field. */
  readonly text: string;
  readonly ref: string | undefined;
  /** As in `[checked]` and `[level=2]`. */
  readonly states: readonly string[];
  readonly url: string | undefined;
  readonly placeholder: string | undefined;
  readonly isClickable: boolean;
  readonly parent: PageNode | undefined;
  readonly children: readonly PageNode[];
};

export type PageTree = { readonly url: string; readonly title: string; readonly roots: readonly PageNode[] };

export type TreeOptions = {
  /** Takes secrets out of every text. */
  readonly mask: (text: string) => string;
  readonly timeoutMs: number;
};

/** Stands for the value of a password field. */
export const HIDDEN = "••••••";

export const readPageTree = async (page: Page, { mask, timeoutMs }: TreeOptions): Promise<PageTree> => {
  const [raw, passwords, title] = await Promise.all([
    page.ariaSnapshotJSON({ mode: "ai", timeout: timeoutMs }),
    readPasswords(page),
    page.title().catch(() => ""),
  ]);
  const toNode = (value: unknown, parent: PageNode | undefined): PageNode => {
    if (typeof value === "string") return { ...NOTHING, role: "text", text: mask(value), parent };
    const given = value as RawNode;
    const role = given.role ?? "generic";
    const isField = FIELD_ROLES.has(role);
    const text = given.text ?? "";
    const children: PageNode[] = [];
    const node: PageNode = {
      role,
      name: mask(given.name ?? ""),
      text: isField && passwords.has(text) ? HIDDEN : mask(text),
      ref: given.ref,
      states: statesOf(given),
      url: given.url === undefined ? undefined : mask(given.url),
      placeholder: given.placeholder,
      isClickable: given.cursor === "pointer",
      parent,
      children,
    };
    for (const child of given.children ?? [])
      children.push(toNode(isField && typeof child === "string" && passwords.has(child) ? HIDDEN : child, node));
    return node;
  };
  const roots = Array.isArray(raw) ? raw.map((value: unknown) => toNode(value, undefined)) : [];
  return { url: mask(page.url()), title: mask(title), roots };
};

type RawNode = {
  readonly role?: string;
  readonly name?: string;
  readonly text?: string;
  readonly ref?: string;
  readonly url?: string;
  readonly placeholder?: string;
  readonly cursor?: string;
  readonly children?: readonly unknown[];
} & Readonly<Record<string, unknown>>;

const NOTHING = {
  name: "",
  ref: undefined,
  states: [],
  url: undefined,
  placeholder: undefined,
  isClickable: false,
  children: [],
} as const;

export const FIELD_ROLES: ReadonlySet<string> = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

const STATES = ["checked", "disabled", "expanded", "active", "invalid", "level", "pressed", "selected"];

const statesOf = (node: RawNode): readonly string[] =>
  STATES.flatMap((state) => {
    const value = node[state] as string | number | boolean | undefined;
    if (value === undefined || value === false) return state === "expanded" && value === false ? ["collapsed"] : [];
    return value === true ? [state] : [`${state}=${value}`];
  });

/** Values of all password fields, which the tree would show. */
const readPasswords = async (page: Page): Promise<ReadonlySet<string>> => {
  const found = await Promise.all(
    page.frames().map(async (frame: Frame) => {
      try {
        return await frame.evaluate<string[]>(PASSWORDS);
      } catch {
        // A frame that is going away shows nothing either.
        return [];
      }
    }),
  );
  return new Set(found.flat());
};

/** Runs in the page; through open shadow roots. */
const PASSWORDS = `(() => {
  const found = [];
  const visit = (root) => {
    for (const field of root.querySelectorAll("input[type=password]")) if (field.value) found.push(field.value.replace(/\\s+/g, " ").trim());
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) visit(element.shadowRoot);
  };
  visit(document);
  return found;
})()`;

export const walk = function* (nodes: readonly PageNode[]): Generator<PageNode> {
  for (const node of nodes) {
    yield node;
    yield* walk(node.children);
  }
};

/** All that a node and what is in it shows, with single spaces. */
export const textOf = (node: PageNode): string => {
  const parts: string[] = [];
  for (const one of walk([node])) {
    if (one.text !== "") parts.push(one.text);
    else if (one.name !== "" && one.children.length === 0) parts.push(one.name);
  }
  return parts.join(" ").replaceAll(/\s+/g, " ").trim();
};

/** `button "Save"`, as a check or a call names it. */
export const toLabel = ({ role, name, text, ref }: PageNode): string => {
  const shown = name === "" ? text : name;
  return `${role}${shown === "" ? "" : ` ${JSON.stringify(shown.slice(0, 80))}`}${ref === undefined ? "" : ` [ref=${ref}]`}`;
};

/** One line of a snapshot, without its indentation. */
export const toLine = (node: PageNode, withRefs: boolean): string => {
  const { role, name, text, ref, states, url, placeholder, isClickable } = node;
  if (role === "text") return `text: ${text}`;
  return [
    role,
    ...(name === "" ? [] : [JSON.stringify(name)]),
    ...states.map((state) => `[${state}]`),
    ...(withRefs && ref !== undefined ? [`[ref=${ref}]`] : []),
    ...(isClickable && !CLICKABLE_ROLES.has(role) ? ["[clickable]"] : []),
    ...(url === undefined ? [] : [`→ ${url.slice(0, 200)}`]),
    ...(placeholder === undefined ? [] : [`(placeholder ${JSON.stringify(placeholder)})`]),
    ...(text === "" || text === name ? [] : [`: ${text}`]),
  ]
    .join(" ")
    .replace(" : ", ": ");
};

export const CLICKABLE_ROLES: ReadonlySet<string> = new Set([
  "button",
  "link",
  "checkbox",
  "radio",
  "switch",
  "tab",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "treeitem",
  "slider",
  ...FIELD_ROLES,
]);
