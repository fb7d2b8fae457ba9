/** Paths in one line, the first few of them by name. */
import { escapeName } from "@retinue/confine";

const MAX_NAMED = 5;

export const toNames = (files: readonly string[]): string => {
  const more = files.length - MAX_NAMED;
  return `${files.slice(0, MAX_NAMED).map(escapeName).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};
