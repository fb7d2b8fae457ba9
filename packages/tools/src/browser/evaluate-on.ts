/** Runs a function, given as text, on an element in the page: the types of a browser stay out of this project. */
import type { Locator } from "playwright-core";

export const evaluateOn = async <T>(locator: Locator, script: string): Promise<T> => {
  const value: unknown = await locator.evaluate(script);
  // The script says what it gives.
  return value as T;
};
