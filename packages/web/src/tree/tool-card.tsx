/** A tool call: one line with what became of it; opened, its arguments, what it says while it runs, output, change, pictures and artifact. */
import { toPrintable } from "@retinue/client/text";
import { type CallView, toCallDuration } from "@retinue/client";
import type { ErrorValue } from "@retinue/protocol";
import { memo, useState } from "react";
import { bytes, count, took } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import type { FileDiff } from "../parts/file-diff.ts";
import { Icon } from "../parts/icons.tsx";
import { Pictures } from "../parts/pictures.tsx";
import { Glyph, type StatusName } from "../parts/status.tsx";
import { useScene } from "../session/session-context.ts";
import { diffsOf } from "./call-diffs.ts";
import { inputOf, targetOf } from "./describe-call.ts";

const OUTCOMES: Readonly<Record<NonNullable<CallView["outcome"]>, StatusName>> = {
  ok: "completed",
  error: "failed",
  denied: "cancelled",
  cancelled: "cancelled",
  unknown: "partial",
};

const statusOf = (call: CallView): StatusName => {
  if (call.outcome !== null) return OUTCOMES[call.outcome];
  if (call.approval !== null && !call.approval.isClosed) return "waiting";
  return call.state === "running" ? "running" : "requested";
};

const wordOf = (call: CallView): string => {
  if (call.outcome !== null) return call.outcome;
  if (call.approval !== null && !call.approval.isClosed) return "waits for you";
  return call.state === "running" ? "running" : "asked";
};

/** Output longer than this is shown in pieces. */
const PIECE_CHARS = 20_000;

const Output = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [shown, setShown] = useState(PIECE_CHARS);
  if (text === "") return null;
  return (
    <div className="code">
      <pre className="output" tabIndex={0} aria-label={label}>
        {toPrintable(text.slice(0, shown), "prose")}
      </pre>
      <CopyButton text={text} label="Copy the output" />
      {text.length > shown ? (
        <button type="button" className="button plain small" onClick={() => setShown(shown + 5 * PIECE_CHARS)}>
          Show more ({count(text.length - shown)} characters left)
        </button>
      ) : null}
    </div>
  );
};

export const ErrorNote = ({ error }: { readonly error: ErrorValue }) => (
  <div className="note" data-status="failed" role="note">
    <Glyph status="failed" />
    <div>
      <strong>{toPrintable(error.message, "prose")}</strong>
      {error.hint === undefined ? null : <div>{error.hint}</div>}
      <div className="quiet small mono">{error.code}</div>
    </div>
  </div>
);

/** A change that is shown line by line needs no words. */
const isToldByDiff = (call: CallView, diffs: readonly FileDiff[]): boolean => call.outcome === "ok" && diffs.length > 0;

const CallBody = ({ call }: { readonly call: CallView }) => {
  const { session } = useScene();
  const input = inputOf(call);
  const diffs = diffsOf(call);
  const output = call.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return (
    <div className="card-body stack">
      {diffs.length > 0 ? (
        diffs.map((diff, at) => <DiffView key={at} diff={diff} />)
      ) : input === undefined || (typeof input === "object" && input !== null && Object.keys(input).length === 0) ? null : (
        <div>
          <h3>Arguments</h3>
          <CodeBlock code={typeof input === "string" ? input : JSON.stringify(input, null, 2)} language="json" />
        </div>
      )}
      {call.progress === "" ? null : (
        <div>
          <h3>So far</h3>
          <Output text={call.progress} label={`What ${call.tool} says so far`} />
        </div>
      )}
      {call.error === null ? null : <ErrorNote error={call.error} />}
      {call.approval?.answer?.reason === undefined || call.approval.answer.reason === "" ? null : (
        <p className="small">
          {call.approval.answer.allowed ? "Allowed" : "Denied"}: “{call.approval.answer.reason}”
        </p>
      )}
      <Pictures parts={call.content} name={`${call.tool} ${targetOf(input)}`} />
      {output === "" || isToldByDiff(call, diffs) || (call.error !== null && output.includes(call.error.message)) ? null : (
        <div>
          <h3>Output</h3>
          <Output text={output} label={`Output of ${call.tool}`} />
        </div>
      )}
      <p className="line wrap quiet small">
        {call.artifact === null ? null : (
          <a href={`/api/sessions/${session.view.sessionId}/artifacts/${call.artifact.artifactId}`} download>
            whole output (
            {call.artifact.bytes === undefined
              ? `${count(call.artifact.chars)} characters, ${count(call.artifact.lines)} lines`
              : bytes(call.artifact.bytes)}
            )
          </a>
        )}
        {call.effect === null ? null : <span>{call.effect}</span>}
        {call.sandbox === null ? null : <span>sandbox: {call.sandbox}</span>}
        {call.tests === null ? null : (
          <span>
            tests: {call.tests.passed} of {call.tests.run} passed
          </span>
        )}
        {call.files === null
          ? null
          : [...call.files.created, ...call.files.modified].map((file) => <span key={file}>{toPrintable(file, "line")}</span>)}
      </p>
    </div>
  );
};

const CallTime = ({ call }: { readonly call: CallView }) => {
  const now = useNow(call.state === "running");
  const ms =
    toCallDuration(call) ?? (call.startedAt === null || call.state === "settled" ? null : now - Date.parse(call.startedAt));
  return <span className="elapsed">{ms === null ? "" : took(Math.max(0, ms))}</span>;
};

export const ToolCard = memo(
  ({
    call,
    isOpen,
    onToggle,
  }: {
    readonly call: CallView;
    readonly version: number;
    readonly isOpen: boolean;
    readonly onToggle: () => void;
  }) => {
    const status = statusOf(call);
    return (
      <div className="card" data-status={status}>
        <button type="button" className="card-head" aria-expanded={isOpen} onClick={onToggle}>
          <Glyph status={status} />
          <span className="tool">{call.tool}</span>
          <span className="target clip grow">{targetOf(inputOf(call))}</span>
          {call.outcome === "ok" ? <span className="hidden-label">ok</span> : <span className="outcome">{wordOf(call)}</span>}
          <CallTime call={call} />
          <Icon name="chevron" size={12} />
        </button>
        {isOpen ? <CallBody call={call} /> : null}
      </div>
    );
  },
);
