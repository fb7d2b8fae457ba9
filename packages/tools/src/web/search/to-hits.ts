/** From the answer of an engine to hits: what does not fit is left out, and an answer without a list is no answer. */
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import type { SearchHit } from "./provider.ts";

export type ToHits<Result> = {
  readonly answer: unknown;
  /** Where in the answer the results are. */
  readonly at: (answer: Readonly<Record<string, unknown>>) => unknown;
  readonly result: z.ZodType<Result>;
  readonly toHit: (result: Result) => SearchHit;
  readonly count: number;
};

const MAX_SNIPPET_CHARS = 500;
const MAX_TITLE_CHARS = 200;

export const toHits = <Result>({ answer, at, result, toHit, count }: ToHits<Result>): readonly SearchHit[] => {
  const list = z.array(z.unknown()).safeParse(at(z.record(z.string(), z.unknown()).safeParse(answer).data ?? {}));
  if (!list.success)
    throw new RetinueError("tool_failed", "The search engine answers with something that is no list of results.", {
      hint: "The user should check its address in the settings.",
    });
  return list.data
    .flatMap((item) => {
      const parsed = result.safeParse(item);
      return parsed.success ? [toHit(parsed.data)] : [];
    })
    .filter(({ url }) => /^https?:\/\//i.test(url) && URL.canParse(url))
    .slice(0, count)
    .map((hit) => ({ ...hit, title: shorten(hit.title, MAX_TITLE_CHARS), snippet: shorten(hit.snippet, MAX_SNIPPET_CHARS) }));
};

/** On one line. */
const shorten = (text: string, chars: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
};
