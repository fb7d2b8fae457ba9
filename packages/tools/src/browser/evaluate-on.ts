/** Runs a function, given as text, on an element in the page: the types of a browser stay out of this project. */
import type { Locator } from "playwright-core";

export const evaluateOn = async <T>(locator: Locator, script: string): Promise<T> => {
  // A text that is a function would be given back, and not called; Playwright sends the source of a function to the page.
  // oxlint-disable-next-line typescript/no-implied-eval -- the texts are ours, and it is the page that runs them
  const inPage = new Function("element", `return (${script})(element);`) as (element: unknown) => unknown;
  const value: unknown = await locator.evaluate(inPage);
  // The script says what it gives.
  return value as T;
};
