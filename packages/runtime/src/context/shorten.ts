/** Keeps long outputs out of the context: head and tail stay, the whole becomes an artifact that can be read in ranges. */
import type { ArtifactRef, Limits, UserPart } from "@retinue/protocol";
import type { Artifacts } from "./artifacts.ts";

const MOST_CHARS = 16_000;

/** Enough for head, tail and the note between them. */
const LEAST_CHARS = 1_000;

/** The outputs of one turn may take a quarter of the context together, and each no more than `MOST_CHARS`. */
export const outputChars = (limits: Limits, calls: number): number =>
  limits.contextTokens === undefined
    ? MOST_CHARS
    : Math.max(LEAST_CHARS, Math.min(MOST_CHARS, Math.floor(limits.contextTokens / calls)));

export type Shortened = { readonly content: readonly UserPart[]; readonly artifact?: ArtifactRef };

export const charsOf = (content: readonly UserPart[]): number => {
  let chars = 0;
  for (const part of content) if (part.type === "text") chars += part.text.length;
  return chars;
};

export const shorten = async (content: readonly UserPart[], mostChars: number, artifacts: Artifacts): Promise<Shortened> => {
  if (charsOf(content) <= mostChars) return { content };
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const artifact = await artifacts.write(text);
  const short = keepEnds(text, mostChars, { artifact, whole: text });
  return { content: [{ type: "text", text: short }, ...content.filter((part) => part.type !== "text")], artifact };
};

/** Head and tail of a text with a note between them that says where the whole is. */
export const keepEnds = (
  text: string,
  mostChars: number,
  { artifact, whole }: { readonly artifact: ArtifactRef; readonly whole: string },
): string => {
  const kept = `(${artifact.lines} lines) is kept as "artifact:${artifact.artifactId}": read it in ranges, or search it with grep. …]`;
  if (text.length <= mostChars) return `${text}\n\n[… The whole output of ${whole.length} characters ${kept}`;
  const head = cut(text, 0, Math.floor(mostChars * 0.5));
  const tail = cut(text, text.length - Math.floor(mostChars * 0.2), text.length);
  const left = text.length - head.length - tail.length;
  return `${head}\n\n[… ${left} of ${text.length} characters are left out here. The whole output ${kept}\n\n${tail}`;
};

/** A slice that does not break a surrogate pair. */
const cut = (text: string, from: number, to: number): string => {
  const isLow = (at: number): boolean => text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff;
  return text.slice(isLow(from) ? from + 1 : from, isLow(to) ? to - 1 : to);
};
