/** An artifact as a store holds it, and as it travels in an export: a text, or bytes. */
import type { ArtifactId } from "@retinue/protocol";
import { toArtifactId } from "./artifact-ref.ts";

export type StoredArtifact = {
  readonly artifactId: ArtifactId;
  readonly data: string | Uint8Array;
  readonly mediaType: string | null;
};

/** The bytes of an artifact; those of a text are its UTF-8. */
export type ArtifactBytes = { readonly bytes: Uint8Array; readonly mediaType: string | null };

export type ExportedArtifact =
  | { readonly artifactId: ArtifactId; readonly text: string; readonly mediaType?: string }
  | { readonly artifactId: ArtifactId; readonly base64: string; readonly mediaType?: string };

export const toArtifactBytes = ({ data, mediaType }: StoredArtifact): ArtifactBytes => ({
  bytes: typeof data === "string" ? new TextEncoder().encode(data) : data,
  mediaType,
});

export const toExportedArtifact = ({ artifactId, data, mediaType }: StoredArtifact): ExportedArtifact => {
  const type = mediaType === null ? {} : { mediaType };
  return typeof data === "string"
    ? { artifactId, text: data, ...type }
    : { artifactId, base64: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64"), ...type };
};

/** Undefined where it is not what its id was made from. What is given may have passed through a file. */
export const fromExportedArtifact = (exported: Readonly<Record<string, unknown>>): StoredArtifact | undefined => {
  const { artifactId, text, base64, mediaType = null } = exported;
  const data = typeof text === "string" ? text : typeof base64 === "string" ? fromBase64(base64) : undefined;
  if (data === undefined || (mediaType !== null && typeof mediaType !== "string")) return undefined;
  const id = toArtifactId(data);
  return id === artifactId ? { artifactId: id, data, mediaType } : undefined;
};

const fromBase64 = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));
