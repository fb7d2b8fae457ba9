/** Deltas that nobody has taken yet. Neighbours of one kind are one chunk, so that a network read makes few of them. */
import type { ModelChunk } from "../contract.ts";

type Delta = { readonly type: "text" | "reasoning" | "tool-input"; text: string; readonly tool: string };

export type DeltaBuffer = {
  readonly add: (type: Delta["type"], text: string, tool?: string) => void;
  readonly take: () => ModelChunk | undefined;
};

export const createDeltaBuffer = (): DeltaBuffer => {
  let waiting: Delta[] = [];
  let last: Delta | undefined;
  let taken = 0;
  return {
    add: (type, text, tool = "") => {
      if (text === "") return;
      if (last !== undefined && last.type === type && last.tool === tool) last.text += text;
      else waiting.push((last = { type, text, tool }));
    },
    take: () => {
      const delta = waiting[taken];
      if (delta === undefined) return undefined;
      taken++;
      if (taken === waiting.length) {
        waiting = [];
        taken = 0;
        last = undefined;
      }
      return delta.type === "tool-input"
        ? { type: "tool-input", tool: delta.tool, text: delta.text }
        : { type: delta.type, text: delta.text };
    },
  };
};
