/** What a person or another run said to a run, and how far it has come. */
import type { MessageView, RunView } from "@retinue/client";
import { Markdown } from "../parts/markdown.tsx";
import { Pictures } from "../parts/pictures.tsx";
import { useScene } from "../session/session-context.ts";

const textOf = (message: MessageView): string =>
  message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");

export const MessageRow = ({ message, run }: { readonly message: MessageView; readonly run: RunView }) => {
  const { session } = useScene();
  const from =
    message.from === "human"
      ? "you"
      : session.names.nameOf(session.view.runs.get(message.from) ?? { runId: message.from, agent: "another run" });
  const isOver = run.state.type === "settled";
  const state =
    message.deliveredAt !== null ? "delivered" : isOver ? "undeliverable: the run is over" : "queued: read before its next turn";
  return (
    <div className={`told${message.deliveredAt === null ? " is-queued" : ""}`}>
      <div className="told-head">
        <strong>{from}</strong> to {session.names.nameOf(run)} <span className="quiet">· {state}</span>
      </div>
      <Markdown text={textOf(message)} />
      <Pictures parts={message.content} name="Attached picture" />
    </div>
  );
};
