/** Of `all`, `most` that lie equally far apart; the same ones each time. */
export const pickEvenly = <T>(all: readonly T[], most: number): readonly T[] =>
  all.length <= most
    ? all
    : Array.from({ length: most }, (_, at) => Math.floor(((at + 0.5) * all.length) / most)).flatMap((at) =>
        all.slice(at, at + 1),
      );
