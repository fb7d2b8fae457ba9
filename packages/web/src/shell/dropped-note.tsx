/** Says that a key or click answered nothing, above everything else on the page. */
import { useEffect, useRef } from "react";
import { useDropped } from "../approvals/dropped.ts";

export const DroppedNote = () => {
  const told = useDropped();
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shown = note.current;
    if (shown === null) return;
    // Shown anew each time: a dialog that opened since stands below it.
    if (shown.matches(":popover-open")) shown.hidePopover();
    if (told !== null) shown.showPopover();
  }, [told]);
  return (
    <div ref={note} popover="manual" className="dropped" role="status" aria-label="Dropped">
      {told}
    </div>
  );
};
