/** Whether a name matches a pattern of `*` (any characters) and `?` (one). Takes no longer than the product of both lengths, whoever wrote them. */
export const matchesGlob = (pattern: string, name: string): boolean => {
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < name.length) {
    const character = pattern[at];
    if (character === "*") {
      star = at++;
      resume = index;
    } else if (character === "?" || character === name[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
};

export const isGlob = (pattern: string): boolean => /[*?]/.test(pattern);
