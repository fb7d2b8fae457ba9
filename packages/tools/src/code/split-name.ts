/** The words that a name is made of, in lower case: `parseHTTPHeader` and `parse_http_header` give parse, http, header. */
export const splitName = (name: string): readonly string[] =>
  name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !/^\d+$/.test(word));

/** Whether a word of the name begins with the term, or the name with its words run together has it. Short terms must be whole words. */
export const hasTerm = (name: string, term: string): boolean => {
  const words = splitName(name);
  return term.length <= 3
    ? words.includes(term)
    : words.some((word) => word.startsWith(term)) || (term.length > 6 && words.join("").includes(term.replaceAll("_", "")));
};
