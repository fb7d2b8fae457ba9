/** Runs a function, given as text, on an element in the page: the types of a browser stay out of this project. */
import type { Locator } from "playwright-core";

/** `script` is a function of one argument, and one of this project's own. */
export const evaluateOn = async <T>(locator: Locator, script: string): Promise<T> => {
  // Never called here: it is sent to the page as the text that it was made of.
  // oxlint-disable-next-line typescript/no-implied-eval, eslint/no-new-func -- see above
  const run = new Function("element", `return (${script})(element)`) as (element: unknown) => T;
  return locator.evaluate(run);
};
