/**
 * Keeps the beginning and the end of an output of any length: little of it in memory, the rest in a private file that has no name and is
 * gone with this process.
 */
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { createTemporaryFolder } from "./temporary-folder.ts";

export type SpooledOutput = {
  readonly head: string;
  /** Empty where the head is all. */
  readonly tail: string;
  readonly totalBytes: number;
  /** Bytes between head and tail that were not kept. */
  readonly omittedBytes: number;
};

export type OutputSpoolOptions = { readonly memoryBytes?: number; readonly headBytes?: number; readonly tailBytes?: number };

export class OutputSpool {
  readonly #memoryBytes: number;
  readonly #headBytes: number;
  readonly #tailBytes: number;
  /** What came before there was a file. */
  #memory: Buffer[] = [];
  #file: number | undefined;
  #total = 0;
  /** Bytes that reached the file or the memory; less than the total once the disk failed. */
  #kept = 0;
  #failed = false;

  constructor({ memoryBytes = 64 * 1024, headBytes = 4 * 1024 * 1024, tailBytes = 4 * 1024 * 1024 }: OutputSpoolOptions = {}) {
    this.#memoryBytes = memoryBytes;
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  /** Keeps no hold of the chunk itself. */
  write(chunk: Buffer): void {
    this.#total += chunk.length;
    if (this.#failed) return;
    if (this.#file === undefined && this.#kept + chunk.length <= this.#memoryBytes) {
      this.#memory.push(Buffer.from(chunk));
      this.#kept += chunk.length;
      return;
    }
    try {
      this.#file ??= this.#moveToFile();
      this.#append(chunk);
    } catch {
      // A full disk must not end the command: from here on output is counted, not kept.
      this.#failed = true;
    }
  }

  read(): SpooledOutput {
    if (this.#file === undefined) {
      const bytes = Buffer.concat(this.#memory);
      return { head: bytes.toString("utf8"), tail: "", totalBytes: this.#total, omittedBytes: this.#total - bytes.length };
    }
    const head = Buffer.alloc(Math.min(this.#kept, this.#headBytes));
    this.#readInto(head, 0);
    const after = this.#kept - head.length;
    const tail = this.#readTail(after);
    const omittedBytes = this.#total - head.length - tail.length;
    // Without a gap the two are one text, so that no character is cut in two.
    if (omittedBytes === 0)
      return { head: Buffer.concat([head, tail]).toString("utf8"), tail: "", totalBytes: this.#total, omittedBytes };
    return { head: decodeHead(head), tail: decodeTail(tail), totalBytes: this.#total, omittedBytes };
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#memory = [];
  }

  #moveToFile(): number {
    const folder = createTemporaryFolder("spool");
    const name = path.join(folder, "output");
    try {
      const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      this.#file = openSync(name, O_RDWR | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600);
    } finally {
      // Windows keeps a name while it is open.
      if (process.platform !== "win32") rmSync(folder, { recursive: true, force: true });
    }
    const before = this.#memory;
    this.#memory = [];
    this.#kept = 0;
    for (const chunk of before) this.#append(chunk);
    return this.#file;
  }

  /** The head lies at the beginning of the file; behind it the tail goes round in a ring. */
  #append(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const inHead = this.#kept < this.#headBytes;
      const ringAt = inHead ? 0 : (this.#kept - this.#headBytes) % this.#tailBytes;
      const position = inHead ? this.#kept : this.#headBytes + ringAt;
      const room = inHead ? this.#headBytes - this.#kept : this.#tailBytes - ringAt;
      const written = writeSync(this.#file ?? -1, chunk, at, Math.min(room, chunk.length - at), position);
      at += written;
      this.#kept += written;
    }
  }

  #readTail(after: number): Buffer {
    const tail = Buffer.alloc(Math.min(after, this.#tailBytes));
    const oldest = after > this.#tailBytes ? after % this.#tailBytes : 0;
    this.#readInto(tail.subarray(0, tail.length - oldest), this.#headBytes + oldest);
    this.#readInto(tail.subarray(tail.length - oldest), this.#headBytes);
    return tail;
  }

  #readInto(buffer: Buffer, position: number): void {
    for (let at = 0; at < buffer.length;) {
      const read = readSync(this.#file ?? -1, buffer, at, buffer.length - at, position + at);
      if (read === 0) throw new Error("the spool is shorter than what was written to it");
      at += read;
    }
  }
}

/** Characters that are cut in two at the edges are left out. */
const decodeHead = (bytes: Buffer): string => {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  const first = bytes[start] ?? 0;
  const wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return bytes.toString("utf8", 0, bytes.length - start < wanted ? start : bytes.length);
};

const decodeTail = (bytes: Buffer): string => {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString("utf8", start);
};
