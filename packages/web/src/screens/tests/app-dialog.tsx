/** Asks before applications under test are started: each runs outside of the sandbox with the user's own rights, so its command line is shown to the letter. */
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";

type Props = {
  readonly commands: readonly string[];
  readonly onAgree: () => void;
  readonly onClose: () => void;
};

export const AppDialog = ({ commands, onAgree, onClose }: Props) => (
  <Dialog title="Start the application under test?" onClose={onClose}>
    <div className="stack">
      <p>
        These cases start their application, <strong>outside of the sandbox and with your own rights</strong>, by
      </p>
      <CodeBlock code={commands.join("\n")} language="sh" />
      <p className="quiet small">
        It is ended with the test run. Your agreement is kept in your own folder and holds for this command line in this folder.
      </p>
    </div>
    <footer>
      <button type="button" className="button" onClick={onClose}>
        Not now
      </button>
      <button type="button" className="button solid" autoFocus onClick={onAgree}>
        Agree and run
      </button>
    </footer>
  </Dialog>
);
