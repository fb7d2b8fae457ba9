/**
 * Patterns of names, of tools, agents, permissions: `*` stands for any characters, `?` for one. Patterns may come from a model or a project, so
 * that no pattern takes long: a match never goes back further than one star.
 */
export const matchesGlob = (pattern: string, name: string): boolean => {
  let at = 0;
  let index = 0;
  let star = -1;
  let resumeAt = 0;
  while (index < name.length) {
    const character = pattern[at];
    if (character === "*") {
      star = at++;
      resumeAt = index;
    } else if (character === "?" || character === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resumeAt;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
};

export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesGlob(pattern, name));

export const isGlob = (pattern: string): boolean => /[*?]/.test(pattern);
