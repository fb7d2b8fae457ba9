/** Which files are meant by what was typed so far: its characters occur in this order; those of the file's own name, and short paths, come first. */
export const rankFiles = (files: readonly string[], typed: string): readonly string[] => {
  const wanted = typed.toLowerCase();
  if (wanted === "") return files.toSorted((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1));
  return files
    .flatMap((file) => {
      const score = scoreOf(file.toLowerCase(), wanted);
      return score === undefined ? [] : [{ file, score }];
    })
    .toSorted((one, other) => one.score - other.score || one.file.length - other.file.length || (one.file < other.file ? -1 : 1))
    .map(({ file }) => file);
};

const depthOf = (file: string): number => file.split("/").length;

/** The smaller the better; undefined where it does not fit. */
const scoreOf = (file: string, wanted: string): number | undefined => {
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (file.includes(wanted)) return 2;
  let at = -1;
  for (const character of wanted) {
    at = file.indexOf(character, at + 1);
    if (at < 0) return undefined;
  }
  return 3;
};
