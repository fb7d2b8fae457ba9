/** A call of `ask_user` that waits: a card that takes the answer where this server holds the question, else the call as any other. */
import type { CallView, RunView } from "@retinue/client";
import { QuestionCard } from "../approvals/question-card.tsx";
import { useLists } from "../server/lists.ts";
import { pathOf } from "../session/path-of.ts";
import { useScene } from "../session/session-context.ts";
import { ToolCard } from "./tool-card.tsx";

type Props = {
  readonly row: { readonly run: RunView; readonly call: CallView };
  readonly version: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
};

export const AskedUser = ({ row: { run, call }, version, isOpen, onToggle }: Props) => {
  const { session } = useScene();
  const { questions } = useLists();
  const question = questions.find(({ runId, callId }) => runId === run.runId && callId === call.callId);
  return question === undefined ? (
    <ToolCard call={call} version={version} isOpen={isOpen} onToggle={onToggle} />
  ) : (
    <QuestionCard question={question} path={pathOf(session, run)} />
  );
};
