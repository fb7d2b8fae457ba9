/** A picture as a part of a task: from a file, whose ending tells what it is, or from bytes. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ImagePart } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
};

export const imagePart = async (
  image: string | { readonly mediaType: string; readonly bytes: Uint8Array },
): Promise<ImagePart> => {
  if (typeof image !== "string")
    return { type: "image", mediaType: image.mediaType, data: Buffer.from(image.bytes).toString("base64") };
  const mediaType = MEDIA_TYPES[path.extname(image).toLowerCase()];
  if (mediaType === undefined)
    throw new RetinueError("usage", `${image} is no picture that models read.`, {
      hint: `Give a file that ends in ${Object.keys(MEDIA_TYPES).join(", ")}, or bytes with their media type.`,
    });
  return { type: "image", mediaType, data: (await readFile(image)).toString("base64") };
};
