/** Reads a Seatbelt profile and says what it allows, by its one rule of precedence: of the rules that fit, the last one holds. */

type Word = string | { readonly text: string } | readonly Word[];

const TOKEN = /\s*(?:(\(|\))|"((?:[^"\\]|\\.)*)"|([^\s()"]+))/y;

const parse = (profile: string): readonly Word[] => {
  const stack: Word[][] = [[]];
  TOKEN.lastIndex = 0;
  const end = profile.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const [, bracket, text, name] = TOKEN.exec(profile) ?? [];
    if (bracket === "(") stack.push([]);
    else if (bracket === ")") {
      const done = stack.pop();
      if (done === undefined || stack.length === 0) throw new Error(`a bracket too many at ${at}`);
      stack.at(-1)?.push(done);
    } else if (text !== undefined) stack.at(-1)?.push({ text: text.replaceAll(/\\(.)/g, "$1") });
    else if (name !== undefined) stack.at(-1)?.push(name);
    else throw new Error(`cannot be read at ${at}: ${profile.slice(at, at + 40)}`);
  }
  const [rules = []] = stack;
  if (stack.length !== 1) throw new Error("a bracket is missing");
  return rules;
};

const fits = (filter: Word, file: string): boolean => {
  if (!Array.isArray(filter)) throw new Error(`no filter: ${JSON.stringify(filter)}`);
  const [kind, ...rest] = filter as readonly Word[];
  const [first] = rest;
  const text = typeof first === "object" && "text" in first ? first.text : "";
  if (kind === "literal") return file === text;
  if (kind === "subpath") return file === text || file.startsWith(text === "/" ? text : `${text}/`);
  if (kind === "regex") return new RegExp(text).test(file);
  if (kind === "require-all") return rest.every((each) => fits(each, file));
  if (kind === "require-any") return rest.some((each) => fits(each, file));
  if (kind === "require-not") return rest.every((each) => !fits(each, file));
  if (kind === "target" || kind === "global-name" || kind === "remote") return false;
  throw new Error(`an unknown filter: ${JSON.stringify(kind)}`);
};

const isAct = (word: Word, act: string): boolean =>
  typeof word === "string" && (word === "default" || word === act || (word.endsWith("*") && act.startsWith(word.slice(0, -1))));

/** Whether a profile allows an act, such as `file-read-data`, on a path. */
export const readSeatbelt = (profile: string): ((act: string, file: string) => boolean) => {
  const rules = parse(profile).filter((rule): rule is readonly Word[] => Array.isArray(rule) && rule[0] !== "version");
  return (act, file) =>
    rules.findLast(([, ...words]) => {
      const filters = words.filter((word) => Array.isArray(word));
      return words.some((word) => isAct(word, act)) && (filters.length === 0 || filters.some((filter) => fits(filter, file)));
    })?.[0] === "allow";
};
