/** All questions that wait, of every session, the oldest first. */
import { useEffect } from "react";
import { Link } from "../parts/router.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useLists } from "../server/lists.ts";

export const Inbox = ({ onClose }: { readonly onClose: () => void }) => {
  const { approvals, sessions } = useLists();
  useEffect(() => {
    if (approvals.length === 0) onClose();
  }, [approvals.length, onClose]);
  return (
    <Dialog title={`Waiting for you (${approvals.length})`} className="inbox" onClose={onClose}>
      <div className="stack">
        {approvals.map((approval, at) => (
          <div key={approval.approvalId}>
            <p className="line quiet small">
              <span>
                {at + 1} of {approvals.length}
              </span>
              <Link className="clip" href={`/sessions/${approval.sessionId}`} onClick={onClose}>
                {sessions.find(({ sessionId }) => sessionId === approval.sessionId)?.title ?? approval.sessionId}
              </Link>
            </p>
            <ApprovalCard question={approval} />
          </div>
        ))}
      </div>
    </Dialog>
  );
};
