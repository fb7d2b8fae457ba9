import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readBody } from "./read-body.ts";

const TEXT = Buffer.from("the same text in every clothing, ".repeat(500));

/** In pieces, as it comes over the network. */
const inPieces = (bytes: Buffer, size = 100): AsyncIterable<Buffer> =>
  Readable.from(
    (function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );

describe("readBody", () => {
  it.each([
    ["identity", TEXT],
    ["", TEXT],
    ["gzip", gzipSync(TEXT)],
    ["x-gzip", gzipSync(TEXT)],
    ["GZIP", gzipSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["deflate", deflateRawSync(TEXT)],
    ["zstd", zstdCompressSync(TEXT)],
    ["deflate, gzip", gzipSync(deflateSync(TEXT))],
  ])("reads what is encoded as %j", async (encoding, bytes) => {
    const body = await readBody({ body: inPieces(bytes), encoding, maxBytes: TEXT.length });
    expect(body).toEqual({ bytes: TEXT, cut: false });
  });

  it("cuts at the cap and says so", async () => {
    const body = await readBody({ body: inPieces(gzipSync(TEXT)), encoding: "gzip", maxBytes: 1000 });
    expect(body).toEqual({ bytes: TEXT.subarray(0, 1000), cut: true });
  });

  it("ends its source when it has enough", async () => {
    const source = Readable.from(
      (function* endless() {
        for (;;) yield Buffer.alloc(1000);
      })(),
    );
    expect((await readBody({ body: source, encoding: undefined, maxBytes: 5000 })).bytes).toHaveLength(5000);
    expect(source.destroyed).toBe(true);
    const packed = Readable.from(
      (function* endless() {
        for (;;) yield gzipSync(Buffer.alloc(1_000_000));
      })(),
    );
    expect((await readBody({ body: packed, encoding: "gzip", maxBytes: 5_000_000 })).cut).toBe(true);
    await finished(packed).catch(() => undefined);
    expect(packed.destroyed).toBe(true);
  });

  it.each(["gzip", "br", "deflate", "zstd"])("answers what is no %s, or ends too early", async (encoding) => {
    await expect(readBody({ body: inPieces(Buffer.from("not at all")), encoding, maxBytes: 100 })).rejects.toMatchObject({
      code: "tool_failed",
      message: `The answer is not valid ${encoding}.`,
    });
  });

  it("J1: reserves no window that a sender of zstd merely announces", async () => {
    // A frame that announces a window of 2 GiB and holds one empty block.
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]);
    await expect(readBody({ body: inPieces(frame), encoding: "zstd", maxBytes: 100 })).rejects.toThrow("not valid zstd");
  });

  it("refuses unknown encodings and many of them", async () => {
    await expect(readBody({ body: inPieces(TEXT), encoding: "compress", maxBytes: 9 })).rejects.toThrow('encoded as "compress"');
    await expect(readBody({ body: inPieces(TEXT), encoding: "gzip, gzip, gzip", maxBytes: 9 })).rejects.toThrow("3 times over");
  });
});
