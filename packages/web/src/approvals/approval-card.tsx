/** A question with everything that is needed to answer it: who asks, the exact act, its change, and what each answer covers. */
import { describeHidden } from "@retinue/client/text";
import { toErrorValue, type ErrorValue, type Json } from "@retinue/protocol";
import { useCallback, useRef, useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { ExactText } from "../parts/exact-text.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { fromCallInput, fromUnifiedDiff } from "../parts/file-diff.ts";
import { Glyph } from "../parts/status.tsx";
import { useCall } from "../server/use-call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";
import { answerQuestion, describeAlike, describeWish, draftReasons, type Answer, type Question } from "./question.ts";
import { RuleDialog } from "./rule-dialog.tsx";
import { type AnswerKey, useShownQuestion } from "./shown-questions.ts";
import { Waits } from "./waits.tsx";

const isFields = (input: Json): input is { readonly [key: string]: Json } =>
  typeof input === "object" && input !== null && !Array.isArray(input);

export const Act = ({ question }: { readonly question: Question }) => {
  const { act, approvalId } = question;
  const isChange = act.tool === "edit" || act.tool === "write";
  const { value } = useCall("getApproval", isChange ? { params: { approvalId } } : null);
  const planned = value?.diff == null ? [] : fromUnifiedDiff(value.diff);
  const diffs = planned.length > 0 ? planned : fromCallInput(act.tool, act.input);
  if (diffs.length > 0) return diffs.map((diff, at) => <DiffView key={at} diff={diff} />);
  const input: Readonly<Record<string, Json>> = isFields(act.input) ? act.input : { input: act.input };
  const { command } = input;
  return (
    <div className="code">
      <pre className="output" tabIndex={0} aria-label="The exact act">
        <ExactText
          text={Object.entries(input)
            .map(([key, given]) => `${key}: ${typeof given === "string" ? given : JSON.stringify(given, null, 2)}`)
            .join("\n")}
        />
      </pre>
      <CopyButton text={typeof command === "string" ? command : JSON.stringify(act.input, null, 2)} label="Copy the act" />
    </div>
  );
};

const Touched = ({ question: { act } }: { readonly question: Question }) => {
  const hidden = describeHidden(act.input);
  const touched = [
    ...(hidden === undefined ? [] : [`has ${hidden}: they are drawn as marked escapes`]),
    ...(act.changed === undefined ? [] : [`asked again, since this changed: ${act.changed.join(", ")}`]),
    ...act.hosts.map((host) => `reaches ${host}`),
    ...(act.protectedPaths ?? []).map((path) => `protected: ${path}`),
    ...(act.secrets ?? []).map((name) => `is given the secret ${name}`),
    ...(act.askedBy === undefined ? [] : [`is asked about by a rule of ${act.askedBy}`]),
    ...(act.unsandboxed === undefined ? [] : [act.unsandboxed]),
  ];
  return touched.length === 0 ? null : (
    <ul className="touched">
      {touched.map((line, at) => (
        <li key={at}>
          <ExactText text={line} />
        </li>
      ))}
    </ul>
  );
};

export const ApprovalCard = ({ question }: { readonly question: Question }) => {
  const { approvalId, act, path, requestedAt } = question;
  const [isDenying, setDenying] = useState(draftReasons.has(approvalId));
  const [isRule, setRule] = useState(false);
  const [reason, setReason] = useState(draftReasons.get(approvalId) ?? "");
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ErrorValue | null>(null);
  const card = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);

  const answer = useCallback(
    (given: Answer): void => {
      setSending(true);
      setError(null);
      answerQuestion(question, given).then(
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
      if (key === "1") answer({ allowed: true, scope: "once" });
      else if (key === "2") answer({ allowed: true, scope: "run" });
      else if (key === "3") answer({ allowed: true, scope: "session" });
      else if (key === "4") setRule(true);
      else if (key === "d") {
        setDenying(true);
        requestAnimationFrame(() => field.current?.focus());
      }
    },
    [answer],
  );
  const { hasKeys, click } = useShownQuestion({ approvalId, requestedAt, card, press, isYes: (key) => key !== "d" });
  const who = path.at(-1) ?? "agent";
  const keyOf = (key: AnswerKey) => (hasKeys ? <kbd aria-hidden="true">{key}</kbd> : null);

  return (
    <section
      ref={card}
      className="approval"
      tabIndex={-1}
      data-status="waiting"
      aria-label={`${who} ${describeWish(act)}`}
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
        <strong className="wish">{describeWish(act)}</strong>
        <span className="grow" />
        <Waits since={requestedAt} />
      </header>
      <div data-act>
        <Act question={question} />
      </div>
      <Touched question={question} />
      {isDenying ? (
        <form
          className="line"
          data-answers
          onSubmit={(event) => {
            event.preventDefault();
            click("Deny", false, () => answer({ allowed: false, scope: "once", reason }));
          }}
        >
          <input
            ref={field}
            className="field grow"
            aria-label="Why not? The agent reads it."
            placeholder="Why not? The agent reads it."
            value={reason}
            onChange={({ target }) => {
              setReason(target.value);
              draftReasons.set(approvalId, target.value);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              draftReasons.delete(approvalId);
              setDenying(false);
            }}
          />
          <button type="submit" className="button solid" disabled={isSending}>
            Deny
          </button>
        </form>
      ) : (
        <div className="answers" data-answers>
          <button
            type="button"
            className="button solid"
            disabled={isSending}
            title="This act alone"
            onClick={() => click("Allow once", true, () => press("1"))}
          >
            Allow once {keyOf("1")}
          </button>
          <button
            type="button"
            className="button"
            disabled={isSending}
            title={`${describeAlike(act)}, by this run`}
            onClick={() => click("This run", true, () => press("2"))}
          >
            This run {keyOf("2")}
          </button>
          <button
            type="button"
            className="button"
            disabled={isSending}
            title={`${describeAlike(act)}, by any agent of this session`}
            onClick={() => click("This session", true, () => press("3"))}
          >
            This session {keyOf("3")}
          </button>
          <button
            type="button"
            className="button plain"
            disabled={isSending}
            title="A rule for this folder, in every session; what it covers is said before"
            onClick={() => click("As a rule", true, () => press("4"))}
          >
            As a rule … {keyOf("4")}
          </button>
          <span className="grow" />
          <button
            type="button"
            className="button danger"
            disabled={isSending}
            onClick={() => click("Deny", false, () => press("d"))}
          >
            Deny … {keyOf("d")}
          </button>
        </div>
      )}
      <p className="covers">Once covers this act alone. This run and this session cover {describeAlike(act)}.</p>
      {error === null ? null : <ErrorNote error={error} />}
      {isRule ? <RuleDialog question={question} onClose={() => setRule(false)} /> : null}
    </section>
  );
};
