/** What a call changed: as its tool told it once it was done, with the lines of the real file; before that, as far as its input tells. */
import type { CallView } from "@retinue/client";
import { type FileDiff, fromCallInput, fromUnifiedDiff } from "../parts/file-diff.ts";
import { inputOf } from "./describe-call.ts";

export const diffsOf = (call: CallView): readonly FileDiff[] => {
  if (call.tool === "edit" && call.outcome === "ok") {
    const told = call.content.flatMap((part) => (part.type === "text" ? fromUnifiedDiff(part.text) : []));
    if (told.length > 0) return told;
  }
  return fromCallInput(call.tool, inputOf(call));
};
