/** What an agent asks the user: answered by one of its options or in words. What was begun to be typed survives whatever happens to the card. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { clock } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";
import { Markdown } from "../parts/markdown.tsx";
import { Glyph } from "../parts/status.tsx";
import { call } from "../server/call.ts";
import { dropQuestion, type QuestionItem } from "../server/lists.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

const drafts = new Map<string, string>();

const Waits = ({ since }: { readonly since: string }) => (
  <span className="elapsed">waits {clock(useNow() - Date.parse(since))}</span>
);

type Props = { readonly question: QuestionItem; /** From the main agent down. */ readonly path: readonly string[] };

export const QuestionCard = ({ question, path }: Props) => {
  const { runId, callId, options, askedAt } = question;
  const key = `${runId} ${callId}`;
  const [text, setText] = useState(drafts.get(key) ?? "");
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ErrorValue | null>(null);
  const who = path.at(-1) ?? question.agent;
  const answer = (given: string): void => {
    setSending(true);
    call("answerQuestion", { params: { runId }, body: { callId, text: given } }).then(
      () => {
        drafts.delete(key);
        dropQuestion(question);
      },
      (thrown: unknown) => {
        setSending(false);
        setError(toErrorValue(thrown));
      },
    );
  };
  return (
    <section className="approval question" data-status="waiting" aria-label={`${who} asks: ${question.question}`}>
      <header>
        <Glyph status="waiting" />
        <ol className="crumbs" aria-label="Asked by">
          {path.map((agent, at) => (
            <li key={at}>{agent}</li>
          ))}
        </ol>
        <strong className="wish">asks you</strong>
        <span className="grow" />
        <Waits since={askedAt} />
      </header>
      <Markdown text={question.question} />
      {options.length === 0 ? null : (
        <div className="answers">
          {options.map((option) => (
            <button key={option} type="button" className="button" disabled={isSending} onClick={() => answer(option)}>
              {option}
            </button>
          ))}
        </div>
      )}
      <form
        className="line"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") answer(text);
        }}
      >
        <input
          className="field grow"
          aria-label={`Your answer to ${who}`}
          placeholder={options.length === 0 ? "Your answer" : "Or in your own words"}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            drafts.set(key, target.value);
          }}
        />
        <button type="submit" className="button solid" disabled={isSending || text.trim() === ""}>
          Answer
        </button>
      </form>
      {error === null ? null : <ErrorNote error={error} />}
    </section>
  );
};
