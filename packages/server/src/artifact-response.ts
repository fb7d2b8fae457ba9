/** An artifact on its way to a browser: never a document, never a script. Pictures may be shown in the page; everything else is a download. */
import type { ArtifactId } from "@retinue/protocol";
import type { ArtifactBytes } from "@retinue/store";
import { DATA_POLICY } from "./safety/response-headers.ts";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

export const toArtifactResponse = (artifactId: ArtifactId, { bytes, mediaType }: ArtifactBytes): Response => {
  const type = (mediaType ?? "text/plain").split(";")[0]?.trim().toLowerCase() ?? "";
  const isPicture = PICTURES.has(type);
  const isText = mediaType === null || type.startsWith("text/") || type === "application/json" || type === "image/svg+xml";
  const name = artifactId.replaceAll(/[^\w-]/g, "_");
  return new Response(Buffer.from(bytes), {
    headers: {
      "Content-Type": isPicture ? type : isText ? "text/plain; charset=utf-8" : "application/octet-stream",
      "Content-Disposition": isPicture ? "inline" : `attachment; filename="${name}"`,
      "Content-Security-Policy": DATA_POLICY,
      // Its id is a hash of its bytes.
      "Cache-Control": "private, max-age=31536000, immutable",
    },
  });
};
