/** The tree of a page, as far as it is used here; the compiler is not given the types of a browser. */
import { parseHTML } from "linkedom";

export type PageElement = {
  readonly firstElementChild: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  readonly parentElement: PageElement | null;
  readonly innerHTML: string;
  readonly getAttribute: (name: string) => string | null;
  readonly setAttribute: (name: string, value: string) => void;
  readonly removeAttribute: (name: string) => void;
  readonly remove: () => void;
};

export type PageTree = {
  readonly title: string;
  readonly documentElement: PageElement;
  readonly body: PageElement;
  readonly querySelector: (selector: string) => PageElement | null;
  readonly querySelectorAll: (selector: string) => Iterable<PageElement>;
  readonly cloneNode: (deep: boolean) => PageTree;
};

/** Fragments and pages alike become a whole tree. */
export const parsePage = (html: string): PageTree => {
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  // linkedom describes its window by the types of a browser.
  return (parseHTML(whole) as unknown as { readonly document: PageTree }).document;
};

/** Without recursion, so that no tree is too deep to be measured. */
export const depthOf = (root: PageElement): number => {
  let depth = 0;
  let deepest = 0;
  let element: PageElement | null = root;
  while (element !== null) {
    if (element.firstElementChild !== null) {
      element = element.firstElementChild;
      depth += 1;
      deepest = Math.max(deepest, depth);
      continue;
    }
    while (element !== null && element !== root && element.nextElementSibling === null) {
      element = element.parentElement;
      depth -= 1;
    }
    element = element === null || element === root ? null : element.nextElementSibling;
  }
  return deepest;
};
