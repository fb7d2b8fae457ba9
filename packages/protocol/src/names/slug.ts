/** Names made of what people and files write: letters, digits and dashes, or nothing. */
const LONGEST_RAW = 200;

/** Parts of paths and control characters never belong to a name, and are not smoothed away. */
export const isSuspiciousName = (raw: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  raw.length > LONGEST_RAW || /[/\\\u0000-\u001F\u007F]|\.\./.test(raw);

/** `others` are the characters that become dashes. */
export const toSlug = (raw: string, others = /[^a-z0-9]+/g): string => (SLUG.test(raw) ? raw : makeSlug(raw, others));

/** Most names are as they should be. */
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const makeSlug = (raw: string, others: RegExp): string =>
  raw
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(others, "-")
    .replaceAll(/^-+|-+$/g, "");

/** `Code Review` and `code_review` are `code-review`. Skills are named as agents are, but for a digit that they may begin with. */
export const toSkillName = (raw: string): string | undefined => {
  const trimmed = raw.trim();
  if (isSuspiciousName(trimmed)) return undefined;
  const name = toSlug(trimmed);
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(name) ? name : undefined;
};
