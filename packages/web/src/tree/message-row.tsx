/** What a person or another run said to a run, and how far it has come; what a person said can be taken back until the run has read it. */
import type { MessageView, RunView } from "@retinue/client";
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { Markdown } from "../parts/markdown.tsx";
import { Pictures } from "../parts/pictures.tsx";
import { call } from "../server/call.ts";
import { useScene } from "../session/session-context.ts";
import { ErrorNote } from "./tool-card.tsx";

const textOf = (message: MessageView): string =>
  message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");

const stateOf = ({ deliveredAt, withdrawnAt }: MessageView, isOver: boolean): string => {
  if (deliveredAt !== null) return "delivered";
  if (withdrawnAt !== null) return "taken back";
  return isOver ? "undeliverable: the run is over" : "waiting: read before its next turn";
};

export const MessageRow = ({ message, run }: { readonly message: MessageView; readonly run: RunView }) => {
  const { session, isReplay } = useScene();
  const [error, setError] = useState<ErrorValue | null>(null);
  const { messageId } = message;
  const from =
    message.from === "human"
      ? "you"
      : session.names.nameOf(session.view.runs.get(message.from) ?? { runId: message.from, agent: "another run" });
  const isOver = run.state.type === "settled";
  const isWaiting = message.deliveredAt === null && message.withdrawnAt === null;
  const takeBack = (): void => {
    if (messageId === null) return;
    call("withdrawMessage", { params: { runId: run.runId, messageId } }).catch((thrown: unknown) =>
      setError(toErrorValue(thrown)),
    );
  };
  return (
    <div className={`told${message.deliveredAt === null ? " is-queued" : ""}`}>
      <div className="told-head">
        <strong>{from}</strong> to {session.names.nameOf(run)} <span className="quiet">· {stateOf(message, isOver)}</span>
        {isWaiting && !isOver && !isReplay && message.from === "human" ? (
          <button type="button" className="button plain small" onClick={takeBack}>
            Take back
          </button>
        ) : null}
      </div>
      <Markdown text={textOf(message)} />
      <Pictures parts={message.content} name="Attached picture" />
      {error === null ? null : <ErrorNote error={error} />}
    </div>
  );
};
