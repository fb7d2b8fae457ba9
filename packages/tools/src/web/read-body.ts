/**
 * Reads the body of an answer up to a number of bytes, counted after decompression while it streams, so that a bomb costs no more than
 * the cap.
 */
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { RetinueError } from "@retinue/protocol";
import { codeOf } from "@retinue/confine";

export type BodyOptions = {
  readonly body: AsyncIterable<Buffer>;
  /** The value of `content-encoding`. */
  readonly encoding: string | undefined;
  readonly maxBytes: number;
};

export type Body = {
  readonly bytes: Buffer;
  /** True when there was more. */
  readonly cut: boolean;
};

/** What we ask servers for. */
export const ACCEPT_ENCODING = "gzip, br, zstd, deflate";

/** What the standard lets a decoder of the web be asked for; the default would reserve 128 MiB at a sender's word. */
const ZSTD_WINDOW_LOG = 23;

const MAX_ENCODINGS = 2;

export const readBody = async ({ body, encoding, maxBytes }: BodyOptions): Promise<Body> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of toEncodings(encoding).reduceRight(decode, body)) {
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks), cut: length > maxBytes };
};

const toEncodings = (encoding = ""): readonly string[] => {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_ENCODINGS)
    throw new RetinueError("tool_failed", `The answer is compressed ${names.length} times over, which is not unpacked.`);
  return names;
};

async function* decode(source: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const rest = source[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done === true) return;
  const decoder = createDecoder(encoding, first.value);
  const fed = pipeline(prepend(first.value, rest), decoder);
  // Whoever stops reading early ends the feeding too, and that is no failure.
  fed.catch(() => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
  } catch (thrown) {
    if (!/^(Z_|ERR_|ZSTD_)/.test(codeOf(thrown) ?? "")) throw thrown;
    throw new RetinueError("tool_failed", `The answer is not valid ${encoding}.`, { cause: thrown });
  }
}

async function* prepend(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

const createDecoder = (encoding: string, first: Buffer): Transform => {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } });
    case "deflate":
      // Some servers leave out the header of zlib; the first byte tells.
      return (first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw();
    default:
      throw new RetinueError("tool_failed", `The answer is encoded as "${encoding.slice(0, 40)}", which nobody asked for.`);
  }
};
