/** The names of agents. Whatever a file calls itself, what comes out is letters, digits and dashes, or nothing. */
import { isSuspiciousName, toSlug } from "@retinue/protocol/names";

const NAME = /^[a-z][a-z0-9-]{0,63}$/;
export const isAgentName = (name: string): boolean => NAME.test(name);

/** `CodeSearch`, `code_search` and `Code Search` are `code-search`. Undefined where no name can be made of it. */
export const toAgentName = (raw: string): string | undefined => {
  const trimmed = raw.trim();
  if (isSuspiciousName(trimmed)) return undefined;
  const name = toSlug(trimmed);
  return isAgentName(name) ? name : undefined;
};

/** The one folder that an agent may be named with, as in `subagents/tester`. */
const FOLDER = /^\w[\w-]*\/(?=[\w*?-]+$)/;

/** The same for a pattern of names, such as `review-*`, by which other agents are named. */
export const toAgentPattern = (raw: string): string | undefined => {
  const trimmed = raw.trim().replace(FOLDER, "");
  if (trimmed === "" || isSuspiciousName(trimmed)) return undefined;
  const pattern = toSlug(trimmed, /[^a-z0-9*?]+/g);
  return /^[a-z*?][a-z0-9*?-]{0,63}$/.test(pattern) ? pattern : undefined;
};
