import { expect, it } from "vitest";
import { readImageHeader } from "./image-header.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

it.each([
  ["image/png", hex("89504e470d0a1a0a 0000000d 49484452 00000140 000000f0 08"), 320, 240],
  ["image/gif", hex("474946383961 4001 f000 f70000"), 320, 240],
  ["image/jpeg", hex("ffd8 ffe0 0010 4a46494600010100000100010000 ffc2 0011 08 00f0 0140 03 012200"), 320, 240],
  ["image/webp", hex("52494646 00000000 57454250 56503858 0a000000 00000000 3f0100 ef0000"), 320, 240],
  ["image/webp", hex("52494646 00000000 57454250 5650384c 00000000 2f 3fc13b00 00000000 00"), 320, 240],
  ["image/webp", hex("52494646 00000000 57454250 56503820 00000000 000000 9d012a 4001 f000"), 320, 240],
])("reads kind and size of %s", (mediaType, bytes, width, height) => {
  expect(readImageHeader(bytes)).toEqual({ mediaType, width, height });
});

it("takes text, short files and broken headers for no image", () => {
  for (const bytes of [
    "",
    "89504e47",
    "ffd8ff",
    "ffd8ffe0ffff00",
    "474946383961",
    Buffer.from("hello world, this is text").toString("hex"),
  ])
    expect(readImageHeader(hex(bytes))).toBeUndefined();
});
