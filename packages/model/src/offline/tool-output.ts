/**
 * Reads what the file tools say, in the forms that their files document. Whatever does not have the form is passed over: outputs may have
 * been shortened on the way.
 */

export type FoundLine = { readonly path: string; readonly line: number; readonly text: string };

export type GrepOutput = {
  readonly lines: readonly FoundLine[];
  /** With `filesOnly`: how many lines match in each file. */
  readonly files: readonly { readonly path: string; readonly matches: number }[];
  /** More matched than is shown. */
  readonly more: boolean;
};

export const parseGrep = (text: string): GrepOutput => {
  const lines: FoundLine[] = [];
  const files: { path: string; matches: number }[] = [];
  const [first = "", ...rest] = text.split("\n");
  if (!/^\[\d+ matching lines?\b/.test(first)) return { lines, files, more: false };
  let path: string | undefined;
  for (const row of rest) {
    const [, number, sign, found] = /^ {2}(\d+)([:-]) ?(.*)$/.exec(row) ?? [];
    const [, counted, matches] = /^(\S.*): (\d+)$/.exec(row) ?? [];
    if (number !== undefined && found !== undefined) {
      if (path !== undefined && sign === ":") lines.push({ path, line: Number(number), text: found });
    } else if (counted !== undefined) files.push({ path: counted, matches: Number(matches) });
    else if (/^\S.*:$/.test(row)) path = row.slice(0, -1);
    // After a cut nobody knows whose lines follow.
    else if (row.startsWith("[…")) path = undefined;
  }
  return { lines, files, more: /showing the first|not shown|or more|was ended/.test(first) || text.includes("\n[… ") };
};

export const parseGlob = (text: string): readonly string[] => {
  const [first = "", ...paths] = text.split("\n");
  return /^\[(?:showing \d+ of )?\d+ files?\b/.test(first) ? paths.filter((path) => path !== "" && !path.startsWith("[…")) : [];
};

export type ReadLine = { readonly number: number; readonly text: string };

export const parseRead = (text: string): readonly ReadLine[] =>
  text.split("\n").flatMap((row) => {
    const [, number, line] = /^ *(\d+)→(.*)$/.exec(row) ?? [];
    return number === undefined || line === undefined ? [] : [{ number: Number(number), text: line }];
  });
