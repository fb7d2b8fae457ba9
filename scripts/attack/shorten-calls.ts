/** Leaves out calls as long as the rest still shows what was found: halves first, then smaller and smaller parts, within a number of tries. */

export type ShortenOptions<Call> = {
  readonly stillFinds: (calls: readonly Call[]) => Promise<boolean>;
  readonly mostTries: number;
  /** How many calls from the beginning are likely to be enough. */
  readonly likely?: number | undefined;
};

export const shortenCalls = async <Call>(calls: readonly Call[], options: ShortenOptions<Call>): Promise<readonly Call[]> => {
  const { stillFinds, mostTries, likely } = options;
  let tries = 0;
  const finds = async (fewer: readonly Call[]): Promise<boolean> => {
    if (tries >= mostTries || fewer.length === 0) return false;
    tries += 1;
    return stillFinds(fewer);
  };
  let kept = calls;
  if (likely !== undefined && likely < kept.length && (await finds(kept.slice(0, likely)))) kept = kept.slice(0, likely);
  for (let part = Math.ceil(kept.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2))
    for (let from = 0; from < kept.length;) {
      const fewer = kept.toSpliced(from, part);
      if (await finds(fewer)) kept = fewer;
      else from += part;
    }
  return kept;
};
