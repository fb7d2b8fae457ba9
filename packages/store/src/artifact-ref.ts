/**
 * The reference of a long text. Its id is made from the text, so that writing it twice keeps one copy and a reader
 * can tell whether what is stored is still what was written.
 */
import type { ArtifactId, ArtifactRef } from "@retinue/protocol";
import { hash } from "node:crypto";

/** UTF-8 cannot carry lone surrogates, so a text that has some is hashed in its JSON form, under another prefix. */
export const toArtifactId = (text: string): ArtifactId =>
  text.isWellFormed() ? `art_${hash("sha256", text).slice(0, 32)}` : `art_x${hash("sha256", JSON.stringify(text)).slice(0, 32)}`;

export const toArtifactRef = (text: string): ArtifactRef => ({
  artifactId: toArtifactId(text),
  chars: text.length,
  lines: countLines(text),
});

/** A newline at the very end does not begin another line. */
const countLines = (text: string): number => {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
};
