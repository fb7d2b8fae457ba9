/** What an agent asks the user: answered by one of its options or in words, or left to the agent. What was begun to be typed survives whatever happens to the card. */
import { toPrintable } from "@retinue/client/text";
import { type ErrorValue, toErrorValue, type UserQuestion } from "@retinue/protocol";
import { useCallback, useRef, useState } from "react";
import { ExactText } from "../parts/exact-text.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Glyph } from "../parts/status.tsx";
import { ErrorNote } from "../tree/tool-card.tsx";
import { answerQuestion, draftReasons, type Question } from "./question.ts";
import { type AnswerKey, useShownQuestion } from "./shown-questions.ts";
import { Waits } from "./waits.tsx";

type Props = { readonly question: Question; readonly asked: UserQuestion };

export const QuestionCard = ({ question, asked: { text: wanted, options } }: Props) => {
  const { approvalId, path, requestedAt } = question;
  const [text, setText] = useState(draftReasons.get(approvalId) ?? "");
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ErrorValue | null>(null);
  const card = useRef<HTMLElement>(null);

  /** Undefined leaves it to the agent. */
  const answer = useCallback(
    (given: string | undefined): void => {
      setSending(true);
      setError(null);
      const said = given === undefined ? { allowed: false } : { allowed: true, text: given };
      answerQuestion(question, { ...said, scope: "once" }).then(
        () => draftReasons.delete(approvalId),
        (thrown: unknown) => {
          setSending(false);
          setError(toErrorValue(thrown));
        },
      );
    },
    [question, approvalId],
  );
  const press = useCallback(
    (key: AnswerKey): void => {
      const option = options[Number(key) - 1];
      if (option !== undefined) answer(option);
    },
    [answer, options],
  );
  const { hasKeys, click } = useShownQuestion({ approvalId, requestedAt, card, press, isYes: () => false });
  const who = path.at(-1) ?? "agent";
  return (
    <section
      ref={card}
      className="approval question"
      tabIndex={-1}
      data-status="waiting"
      aria-label={toPrintable(`${who} asks: ${wanted}`, "prose")}
      data-approval={approvalId}
    >
      <header>
        <Glyph status="waiting" />
        <ol className="crumbs" aria-label="Asked by">
          {path.map((agent, at) => (
            <li key={at}>
              <ExactText text={agent} />
            </li>
          ))}
        </ol>
        <strong className="wish">asks you</strong>
        <span className="grow" />
        <Waits since={requestedAt} />
      </header>
      <Markdown text={wanted} />
      {options.length === 0 ? null : (
        <div className="answers">
          {options.map((option, at) => (
            <button
              key={option}
              type="button"
              className="button"
              disabled={isSending}
              onClick={() => click(option, false, () => answer(option))}
            >
              <ExactText text={option} /> {hasKeys && at < 9 ? <kbd aria-hidden="true">{at + 1}</kbd> : null}
            </button>
          ))}
        </div>
      )}
      <form
        className="line"
        data-answers
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") click("Answer", false, () => answer(text));
        }}
      >
        <input
          className="field grow"
          aria-label={`Your answer to ${who}`}
          placeholder={options.length === 0 ? "Your answer" : "Or in your own words"}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            draftReasons.set(approvalId, target.value);
          }}
        />
        <button type="submit" className="button solid" disabled={isSending || text.trim() === ""}>
          Answer
        </button>
        <button
          type="button"
          className="button plain"
          disabled={isSending}
          title="The agent goes on without an answer, and says what it assumed"
          onClick={() => click("Let it decide", false, () => answer(undefined))}
        >
          Let it decide
        </button>
      </form>
      {error === null ? null : <ErrorNote error={error} />}
    </section>
  );
};
