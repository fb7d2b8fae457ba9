/** How the state of a run is shown: a glyph, a word and a colour that mean the same everywhere. */
import type { RunState } from "@retinue/client";
import type { RunStatus } from "@retinue/protocol";
import type { Style } from "../screen/row.ts";

export type StatusSign = { readonly glyph: string; readonly word: string; readonly style: Style };

const SETTLED: Readonly<Record<RunStatus, StatusSign>> = {
  completed: { glyph: "✓", word: "done", style: "completed" },
  partial: { glyph: "◐", word: "partial", style: "partial" },
  failed: { glyph: "✗", word: "failed", style: "failed" },
  timeout: { glyph: "◷", word: "timeout", style: "timeout" },
  cancelled: { glyph: "○", word: "cancelled", style: "cancelled" },
};

export const statusSign = (state: RunState): StatusSign => {
  switch (state.type) {
    case "settled":
      return SETTLED[state.status];
    case "waiting":
      return state.on === "approval"
        ? { glyph: "!", word: "waits for you", style: "waiting" }
        : { glyph: "●", word: "running", style: "running" };
    case "finishing":
      return { glyph: "●", word: "finishing", style: "running" };
    case "running":
      return { glyph: "●", word: "running", style: "running" };
    case "requested":
    case "unseen":
      return { glyph: "·", word: "starts", style: "dim" };
    default:
      return state satisfies never;
  }
};
