/** Tells an image by its first bytes, and how large it is drawn. */

import { formatBytes } from "./output-text.ts";

export type ImageHeader = { readonly mediaType: string; readonly width: number; readonly height: number };

/** Enough for every format but a JPEG with long metadata, whose size is then unknown. */
export const IMAGE_HEADER_BYTES = 256 * 1024;

/** Providers refuse larger images, and a refused image would stay in the conversation. */
const MAX_IMAGE_BYTES = 3_500_000;
const MAX_IMAGE_SIDE = 8000;

/** What an image may be at most, where one is more than that. */
export const imageObstacle = ({
  size,
  width = 0,
  height = 0,
}: { readonly size: number } & Partial<ImageHeader>): string | undefined =>
  size > MAX_IMAGE_BYTES || Math.max(width, height) > MAX_IMAGE_SIDE
    ? `at most ${formatBytes(MAX_IMAGE_BYTES)} and ${MAX_IMAGE_SIDE} pixels a side can be shown`
    : undefined;

export const readImageHeader = (bytes: Buffer): ImageHeader | undefined => {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47)
    return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6)))
    return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.length >= 30 && bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP")
    return readWebp(bytes);
  if (bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 && bytes[2] === 0xff) return readJpeg(bytes);
  return undefined;
};

const readWebp = (bytes: Buffer): ImageHeader | undefined => {
  const mediaType = "image/webp";
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { mediaType, width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
};

/** Walks the segments up to the one that holds the size. */
const readJpeg = (bytes: Buffer): ImageHeader | undefined => {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const holdsSize = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (holdsSize) return { mediaType: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
};
