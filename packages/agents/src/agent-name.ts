/** The names of agents. Whatever a file calls itself, what comes out is letters, digits and dashes, or nothing. */
const NAME = /^[a-z][a-z0-9-]{0,63}$/;
const LONGEST_RAW = 200;

/** Parts of paths and control characters never belong to a name, and are not smoothed away. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const isSuspicious = (raw: string): boolean => raw.length > LONGEST_RAW || /[/\\\u0000-\u001F\u007F]|\.\./.test(raw);

export const isAgentName = (name: string): boolean => NAME.test(name);

/** `CodeSearch`, `code_search` and `Code Search` are `code-search`. Undefined where no name can be made of it. */
export const toAgentName = (raw: string): string | undefined => {
  const trimmed = raw.trim();
  if (isSuspicious(trimmed)) return undefined;
  const name = toSlug(trimmed, /[^a-z0-9]+/g);
  return isAgentName(name) ? name : undefined;
};

/** Skills are named as agents are, but for a digit that they may begin with. */
export const toSkillName = (raw: string): string | undefined => {
  const trimmed = raw.trim();
  if (isSuspicious(trimmed)) return undefined;
  const name = toSlug(trimmed, /[^a-z0-9]+/g);
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(name) ? name : undefined;
};

/** The one folder that an agent may be named with, as in `subagents/tester`. */
const FOLDER = /^\w[\w-]*\/(?=[\w*?-]+$)/;

/** The same for a pattern of names, such as `review-*`, by which other agents are named. */
export const toAgentPattern = (raw: string): string | undefined => {
  const trimmed = raw.trim().replace(FOLDER, "");
  if (trimmed === "" || isSuspicious(trimmed)) return undefined;
  const pattern = toSlug(trimmed, /[^a-z0-9*?]+/g);
  return /^[a-z*?][a-z0-9*?-]{0,63}$/.test(pattern) ? pattern : undefined;
};

/** Most names are as they should be. */
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const toSlug = (raw: string, others: RegExp): string => (SLUG.test(raw) ? raw : makeSlug(raw, others));

const makeSlug = (raw: string, others: RegExp): string =>
  raw
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(others, "-")
    .replaceAll(/^-+|-+$/g, "");
