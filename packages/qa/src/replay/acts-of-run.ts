/** Which calls of a run were acts: done, and not only looking. They are what can be done again. */
import type { CallView, RunView } from "@retinue/client";

/** They only look; what is expected is looked at anew. */
const LOOKS: ReadonlySet<string> = new Set([
  "browser_snapshot",
  "browser_take_screenshot",
  "browser_check",
  "command_check",
  "browser_close",
  "screenshot",
]);
/** They change nothing outside, and belong to how a page is acted upon. */
const KEPT: ReadonlySet<string> = new Set(["browser_wait", "browser_dialog", "browser_tabs"]);

/** What a run did, without what it only looked at and what failed. */
export const actsOf = (run: RunView): readonly CallView[] =>
  [...run.calls.values()].filter(
    ({ tool, effect, outcome, aside }) =>
      outcome === "ok" && aside === null && !LOOKS.has(tool) && (KEPT.has(tool) || (effect !== null && effect !== "read")),
  );
