/**
 * The reference of a long text, or of bytes. Its id is made from the content, so that writing it twice keeps one copy and a
 * reader can tell whether what is stored is still what was written.
 */
import type { ArtifactId, ArtifactRef } from "@retinue/protocol";
import { hash } from "node:crypto";

/** UTF-8 cannot carry lone surrogates, so a text that has some is hashed in its JSON form, under another prefix; so are bytes. */
export const toArtifactId = (data: string | Uint8Array): ArtifactId => {
  if (typeof data !== "string") return `art_b${hash("sha256", data).slice(0, 32)}`;
  return data.isWellFormed()
    ? `art_${hash("sha256", data).slice(0, 32)}`
    : `art_x${hash("sha256", JSON.stringify(data)).slice(0, 32)}`;
};

export const toArtifactRef = (data: string | Uint8Array, mediaType?: string): ArtifactRef => ({
  artifactId: toArtifactId(data),
  ...(typeof data === "string"
    ? { chars: data.length, lines: countLines(data) }
    : { chars: 0, lines: 0, bytes: data.byteLength }),
  ...(mediaType === undefined ? {} : { mediaType }),
});

/** A newline at the very end does not begin another line. */
const countLines = (text: string): number => {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
};
