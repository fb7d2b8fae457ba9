/** How an act is allowed for good: by the settings or the agent's file, which are the person's alone to write. */
import type { ProposedAct } from "@retinue/protocol";
import { CodeBlock } from "../parts/code-block.tsx";
import { Dialog } from "../parts/dialog.tsx";

const toSnippet = ({ effect }: ProposedAct): string =>
  effect === "write"
    ? "# ~/.retinue/retinue.yaml\n# Writes inside the workspace are no longer asked about.\napprove: workspace\n"
    : "# ~/.retinue/retinue.yaml\n# Nothing that the agents may do is asked about any more.\napprove: all\n";

export const RuleDialog = ({ act, onClose }: { readonly act: ProposedAct; readonly onClose: () => void }) => (
  <Dialog title="Allow as a rule" onClose={onClose}>
    <div className="stack">
      <p>
        A rule holds for every session, so it stands in your settings and is never written by a click in the middle of a run.
        Sessions that begin afterwards have it; this question still waits for its answer.
      </p>
      <CodeBlock code={toSnippet(act)} language="yaml" />
    </div>
  </Dialog>
);
