/** Deltas that nobody has taken yet. Neighbours of one kind are one chunk, so that a network read makes few of them. */
import type { ModelChunk } from "../contract.ts";

type Delta = { readonly type: "text" | "reasoning" | "tool-input"; text: string; readonly tool: string };

/** A class, since every answer has one. */
export class DeltaBuffer {
  #waiting: Delta[] = [];
  #last: Delta | undefined;
  #taken = 0;
  /** Characters of all that was added. */
  chars = 0;

  add(type: Delta["type"], text: string, tool = ""): void {
    if (text === "") return;
    this.chars += text.length;
    const last = this.#last;
    if (last !== undefined && last.type === type && last.tool === tool) last.text += text;
    else this.#waiting.push((this.#last = { type, text, tool }));
  }

  take(): ModelChunk | undefined {
    const delta = this.#waiting[this.#taken];
    if (delta === undefined) return undefined;
    this.#taken += 1;
    if (this.#taken === this.#waiting.length) {
      this.#waiting = [];
      this.#taken = 0;
      this.#last = undefined;
    }
    return delta.type === "tool-input"
      ? { type: "tool-input", tool: delta.tool, text: delta.text }
      : { type: delta.type, text: delta.text };
  }
}
