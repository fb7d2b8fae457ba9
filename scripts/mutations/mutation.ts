/** A planted change: one fault that a person could make in one file, kept as data, and the tests that must notice it. */
export type Mutation = {
  /** `area/what-is-wrong`, by which it is chosen with `--only`. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly before: string;
  readonly after: string;
  /** Test files of which at least one must fail. */
  readonly tests: readonly string[];
};

/** How often the text that is to be replaced stands in a file. */
export const countPlaces = (text: string, { before }: Mutation): number => text.split(before).length - 1;

/** The file with the fault in it. Throws where the text is not found exactly once: then the data are older than the file. */
export const plant = (text: string, mutation: Mutation): string => {
  const places = countPlaces(text, mutation);
  if (places !== 1)
    throw new Error(
      `${mutation.name}: the text to replace stands ${places} times in ${mutation.file}, and must stand there once.`,
    );
  // A function, so that a `$` in the text stays what it is.
  return text.replace(mutation.before, () => mutation.after);
};
