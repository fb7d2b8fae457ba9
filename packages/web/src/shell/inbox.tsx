/** All questions that wait, of every session, the oldest first. */
import { useEffect } from "react";
import { Link } from "../parts/router.tsx";
import { QuestionCard } from "../approvals/question-card.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useLists } from "../server/lists.ts";

export const Inbox = ({ onClose }: { readonly onClose: () => void }) => {
  const { approvals, questions, sessions } = useLists();
  const count = approvals.length + questions.length;
  const titleOf = (id: string): string => sessions.find(({ sessionId }) => sessionId === id)?.title ?? id;
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
            <ApprovalCard question={approval} />
          </div>
        ))}
        {questions.map((question, at) => (
          <div key={`${question.runId} ${question.callId}`}>
            <p className="line quiet small">
              <span>
                {approvals.length + at + 1} of {count}
              </span>
              <Link className="clip" href={`/sessions/${question.sessionId}`} onClick={onClose}>
                {titleOf(question.sessionId)}
              </Link>
            </p>
            <QuestionCard question={question} path={[question.agent]} />
          </div>
        ))}
      </div>
    </Dialog>
  );
};
