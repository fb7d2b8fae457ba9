/** Elements as test cases name them, as locators of Playwright: through frames and open shadow roots, and only those that are shown. */
import { RetinueError } from "@retinue/protocol";
import type { Target } from "@retinue/protocol/test-case";
import { describeTarget, parseShortTarget } from "@retinue/protocol/test-case";
import type { FrameLocator, Locator, Page } from "playwright-core";

type Root = Page | FrameLocator | Locator;

export const toLocator = (page: Page, target: Target): Locator => {
  const { frame, within, nth } = target;
  const framed: Root = frame === undefined ? page : page.frameLocator(toFrameSelector(frame));
  const root = within === undefined ? framed : locate(framed, toWithin(within));
  const found = locate(root, target).filter({ visible: true });
  return nth === undefined ? found : found.nth(nth);
};

const toWithin = (within: string): Target => {
  const target = parseShortTarget(within);
  if (!target)
    throw new RetinueError("tool_failed", `"${within}" names no element to look inside of.`, {
      hint: 'Write it as role "name".',
    });
  return target;
};

const locate = (root: Root, target: Target): Locator => {
  const { role, name, text, label, placeholder, testId, css, exact = true } = target;
  // Roles are checked by the page: one that it does not know is found nowhere.
  if (role !== undefined) {
    const ofRole = root.getByRole(role as Parameters<Page["getByRole"]>[0], name === undefined ? {} : { name, exact });
    return text === undefined ? ofRole : ofRole.filter({ hasText: text });
  }
  if (label !== undefined) return root.getByLabel(label, { exact });
  if (placeholder !== undefined) return root.getByPlaceholder(placeholder, { exact });
  if (testId !== undefined) return root.getByTestId(testId);
  if (css !== undefined) return text === undefined ? root.locator(css) : root.locator(css).filter({ hasText: text });
  if (text !== undefined) return root.getByText(text, { exact });
  throw new RetinueError("tool_failed", `${describeTarget(target)} names no element.`);
};

const toFrameSelector = (frame: string): string => {
  const quoted = JSON.stringify(frame);
  return /^[\w\s.-]+$/.test(frame) ? `iframe[name=${quoted}], iframe[title=${quoted}], iframe[id=${quoted}]` : frame;
};
