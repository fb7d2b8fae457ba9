/** Cuts a stream of bytes into lines and keeps no more of one than it may. */

export type LineReaderOptions = {
  readonly mostBytes: number;
  /** A longer line is handed on by its beginning, instead of ending everything. */
  readonly cutLong?: boolean;
  readonly onLine: (line: string) => void;
};

export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isBroken = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** False once a line was too long; nothing is read after that. */
  add(chunk: Buffer): boolean {
    let at = 0;
    while (!this.#isBroken) {
      const end = chunk.indexOf(0x0a, at);
      this.#keep(chunk.subarray(at, end < 0 ? chunk.length : end));
      if (end < 0) break;
      if (!this.#isBroken) this.#flush();
      at = end + 1;
    }
    return !this.#isBroken;
  }

  #keep(part: Buffer): void {
    const { mostBytes, cutLong = false } = this.#options;
    const room = mostBytes - this.#bytes;
    if (part.length > room && !cutLong) {
      this.#isBroken = true;
      this.#parts = [];
      return;
    }
    const kept = part.subarray(0, Math.max(0, room));
    if (kept.length === 0) return;
    // A copy where little of a large chunk is kept, which would stay in memory as a whole.
    this.#parts.push(cutLong ? Buffer.from(kept) : kept);
    this.#bytes += kept.length;
  }

  #flush(): void {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    this.#options.onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}
