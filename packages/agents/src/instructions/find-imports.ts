/** Finds the files that a text of instructions imports, as in `See @docs/style.md`. What stands in code is no import. */

const FENCE = /^\s*(?:```|~~~)/;
const IMPORT = /(?<=^|[\s(])@((?:~\/|\.{0,2}\/)?[\w.-][\w./-]*\w)/g;

export const findImports = (text: string): readonly string[] => {
  const found = new Set<string>();
  let isCode = false;
  for (const line of text.split(/\r?\n/)) {
    if (FENCE.test(line)) isCode = !isCode;
    else if (!isCode) for (const [, name = ""] of withoutSpans(line).matchAll(IMPORT)) if (/[./]/.test(name)) found.add(name);
  }
  return [...found];
};

const withoutSpans = (line: string): string => line.replaceAll(/`[^`]*`/g, " ");
