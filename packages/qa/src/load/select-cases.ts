/** Which of the cases are meant: by title, by tag, and by the share of one of several machines. */
import { RetinueError } from "@retinue/protocol";
import type { LoadedCase } from "./parse-case.ts";

export type Selection = {
  /** A regular expression of the title or file. */
  readonly grep?: string | undefined;
  /** All of these; `!slow` are those without it. */
  readonly tags?: readonly string[] | undefined;
  /** `2/4` is the second of four shares. */
  readonly shard?: string | undefined;
};

export const selectCases = (cases: readonly LoadedCase[], { grep, tags = [], shard }: Selection): readonly LoadedCase[] => {
  const isMeant = grep === undefined ? () => true : toFilter(grep);
  const found = cases.filter(({ testCase, suite, file }) => {
    const own = new Set([...(testCase.tags ?? []), ...(suite.tags ?? [])]);
    return (
      (isMeant(testCase.title) || isMeant(file)) &&
      tags.every((tag) => (tag.startsWith("!") ? !own.has(tag.slice(1)) : own.has(tag)))
    );
  });
  if (shard === undefined) return found;
  const [, number, of] = /^(\d+)\/(\d+)$/.exec(shard) ?? [];
  const [at, count] = [Number(number), Number(of)];
  if (number === undefined || at < 1 || count < 1 || at > count)
    throw new RetinueError("usage", `--shard ${shard} is not number/count, like --shard 2/4.`);
  return found.filter((_, index) => index % count === at - 1);
};

const toFilter = (grep: string): ((text: string) => boolean) => {
  try {
    const pattern = new RegExp(grep, "iu");
    return (text) => pattern.test(text);
  } catch (cause) {
    throw new RetinueError("usage", `--grep ${grep} is no regular expression.`, { cause });
  }
};
