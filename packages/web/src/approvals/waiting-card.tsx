/** What waits for a person: an act for a yes or no, or a question for words. */
import { ApprovalCard } from "./approval-card.tsx";
import type { Question } from "./question.ts";
import { QuestionCard } from "./question-card.tsx";

export const WaitingCard = ({ question }: { readonly question: Question }) =>
  question.act.question === undefined ? (
    <ApprovalCard question={question} />
  ) : (
    <QuestionCard question={question} asked={question.act.question} />
  );
