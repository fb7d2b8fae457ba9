/** The files whose contents a diff shows, as its headings name them. Lines of the files themselves cannot be taken for headings of others. */
const HEADING = /^[ |\\/*_-]*diff --(?:git|cc|combined) (.*)$/gm;

/** From the top of the repository. */
export const readDiffPaths = (diff: string): readonly string[] => {
  const paths = new Set<string>();
  for (const [, names = ""] of diff.matchAll(HEADING)) for (const name of toNames(names)) paths.add(name);
  return [...paths];
};

/** `a/old b/new`, either of them in quotes where it holds odd characters; or one name alone for a merge. */
const toNames = (heading: string): readonly string[] => {
  if (heading.includes('"'))
    return Array.from(heading.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g), ([, quoted, bare]) =>
      withoutSide(quoted === undefined ? (bare ?? "") : unquote(quoted)),
    );
  if (!heading.startsWith("a/")) return [heading];
  // Both names are the same but for a rename, and either may hold " b/".
  const names: string[] = [];
  for (let at = heading.indexOf(" b/"); at >= 0; at = heading.indexOf(" b/", at + 1))
    names.push(withoutSide(heading.slice(0, at)), withoutSide(heading.slice(at + 1)));
  return names;
};

const withoutSide = (name: string): string => name.replace(/^[ab]\//, "");

const unquote = (text: string): string =>
  text.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) => {
    if (code.length === 3) return String.fromCharCode(Number.parseInt(code, 8));
    return { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07" }[code] ?? code;
  });
