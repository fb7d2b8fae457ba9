/** The keys of the page. */
import { Dialog } from "../parts/dialog.tsx";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["?", "this help"],
  ["Ctrl K", "commands, screens and sessions by name"],
  ["/", "search sessions"],
  ["j k", "next and previous agent"],
  ["h l", "fold and unfold it"],
  ["Enter", "inspect it"],
  ["a", "what waits for you"],
  ["Ctrl G", "to the oldest question, out of the input"],
  ["1 2 3", "allow once, for this run, for this session"],
  ["4", "how to allow as a rule"],
  ["d", "deny, with a reason"],
  ["1 … 9", "an answer that a question offers"],
  ["s", "stop the agent, or all"],
  ["m", "message to the agent"],
  ["Shift ← →", "in the timeline: select a time, which every view then shows alone"],
  ["g s", "go to sessions"],
  ["g p", "go to plans"],
  ["g t", "go to tests"],
  ["g a", "go to agents"],
  ["Esc", "leave what is open"],
];

export const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl className="facts keys">
      {KEYS.map(([keys, what]) => (
        <div key={keys} className="key-line">
          <dt>{keys.split(" ").map((key) => (key === "…" ? <span key={key}>to </span> : <kbd key={key}>{key}</kbd>))}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <p className="quiet small">
      Keys never answer a question while you type, nor in the second after. A question that is not wholly in view is brought there
      first.
    </p>
  </Dialog>
);
