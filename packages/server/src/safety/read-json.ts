/** Reads the body of a request as JSON, bounded in size, time and depth, and without the keys that reach into prototypes. */
import { RetinueError } from "@retinue/protocol";

export const MOST_DEPTH = 64;
const BODY_MS = 30_000;

/** Throws `request_too_large`, `request_timeout` or `request_invalid`. */
export const readJson = async (request: Request, maxBytes: number): Promise<unknown> =>
  parseJson(await readText(request, maxBytes));

const tooLarge = (maxBytes: number): RetinueError =>
  new RetinueError("request_too_large", `The body is larger than ${maxBytes} bytes, which is the most here.`);

const readText = async (request: Request, maxBytes: number): Promise<string> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return "";
  const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const timer = setTimeout(
    () => late.reject(new RetinueError("request_timeout", `The body did not arrive within ${BODY_MS / 1_000} s.`)),
    BODY_MS,
  );
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (thrown) {
    void reader.cancel().catch(() => undefined);
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RetinueError("request_invalid", "The body is not UTF-8.");
  }
};

export const parseJson = (text: string): unknown => {
  if (deeperThan(text, MOST_DEPTH))
    throw new RetinueError("request_invalid", `The JSON is nested deeper than ${MOST_DEPTH} levels.`);
  try {
    return JSON.parse(text, refuseReaching) as unknown;
  } catch (thrown) {
    if (thrown instanceof RetinueError) throw thrown;
    throw new RetinueError("request_invalid", "The body is not JSON.");
  }
};

const REACHING = new Set(["__proto__", "constructor", "prototype"]);

const refuseReaching = (key: string, value: unknown): unknown => {
  if (REACHING.has(key)) throw new RetinueError("request_invalid", `The key ${key} is not taken.`);
  return value;
};

/** Counted on the text, before anything is built of it. */
const deeperThan = (text: string, most: number): boolean => {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
};
