/** All questions that wait, of every session, the oldest first. */
import { useEffect } from "react";
import { Link } from "../parts/router.tsx";
import { WaitingCard } from "../approvals/waiting-card.tsx";
import { noteList } from "../approvals/shown-questions.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useLists } from "../server/lists.ts";

export const Inbox = ({ onClose }: { readonly onClose: () => void }) => {
  const { approvals, sessions } = useLists();
  const count = approvals.length;
  const titleOf = (id: string): string => sessions.find(({ sessionId }) => sessionId === id)?.title ?? id;
  useEffect(noteList, []);
  useEffect(() => {
    if (count === 0) onClose();
  }, [count, onClose]);
  return (
    <Dialog title={`Waiting for you (${count})`} className="inbox" onClose={onClose}>
      <div className="stack">
        {approvals.map((approval, at) => (
          <div key={approval.approvalId}>
            <p className="line quiet small">
              <span>
                {at + 1} of {count}
              </span>
              <Link className="clip" href={`/sessions/${approval.sessionId}`} onClick={onClose}>
                {titleOf(approval.sessionId)}
              </Link>
            </p>
            <WaitingCard question={approval} />
          </div>
        ))}
      </div>
    </Dialog>
  );
};
