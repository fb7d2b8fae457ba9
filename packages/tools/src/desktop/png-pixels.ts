/** The picture of a PNG without what else stands in it, such as when it was taken: two pictures by one program are equal where these are. */

const SIGNATURE_BYTES = 8;

export const pixelsOf = (png: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at + 12 <= png.length;) {
    const length = png.readUInt32BE(at);
    const kind = png.toString("latin1", at + 4, at + 8);
    if (kind === "IDAT" || kind === "IHDR") parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return Buffer.concat(parts);
};
