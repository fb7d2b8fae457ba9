/** What became of a case: its verdict and why, and each step beside the evidence that bears it out. */
import { useState } from "react";
import { money, plural, took } from "../../parts/amounts.ts";
import { Link } from "../../parts/router.tsx";
import { Glyph, type StatusName } from "../../parts/status.tsx";
import { client } from "../../server/call.ts";
import { EvidenceGallery, type EvidencePicture, Thumb } from "./evidence-gallery.tsx";
import { type CaseResult, FlakyMark, type StepResult, Verdict, VERDICT_STATUS } from "./verdict.tsx";

const CHECK_STATUS: Readonly<Record<"held" | "failed" | "unknown", StatusName>> = {
  held: "completed",
  failed: "failed",
  unknown: "partial",
};

/** In the order of the steps. Pictures that are only named as evidence come after those that were taken. */
const picturesOf = (one: CaseResult): readonly (EvidencePicture & { readonly step: number })[] => {
  const { sessionId } = one;
  if (sessionId === null) return [];
  return one.steps.flatMap(({ number, action, expected, screenshots, evidence }) => {
    const cited = new Set(
      evidence.flatMap(({ kind, artifact }) =>
        artifact !== undefined && (kind === "screenshot" || kind === "vision") ? [artifact] : [],
      ),
    );
    return [...new Set([...screenshots, ...cited])].map((artifactId, at) => ({
      step: number,
      source: client.artifactUrl(sessionId, artifactId),
      name: `Step ${number}, screenshot ${at + 1}`,
      caption: expected === "" ? action : `${action} → ${expected}`,
      isCited: cited.has(artifactId),
    }));
  });
};

const Evidence = ({ step }: { readonly step: StepResult }) => (
  <>
    {step.checks.length === 0 ? null : (
      <ul className="checks" aria-label={`Checks of step ${step.number}`}>
        {step.checks.map(({ check, result }, at) => (
          <li key={at}>
            <Glyph status={CHECK_STATUS[result.status]} />
            <span>
              {check} <span className="hidden-label">{result.status}</span>
              {result.status === "held" ? null : <span className="seen">seen: {result.observed}</span>}
            </span>
          </li>
        ))}
      </ul>
    )}
    {step.evidence
      .filter(({ kind }) => kind !== "check")
      .map(({ kind, tool, quote, weak, callId }) => (
        <details key={callId} className="cited">
          <summary>
            {kind} by <span className="mono">{tool}</span>
            {weak ? " (weak: text of the whole page)" : ""}
          </summary>
          <pre className="output" tabIndex={0} aria-label={`What ${tool} told`}>
            {quote}
          </pre>
        </details>
      ))}
    {step.healed.map((element) => (
      <p key={element} className="small">
        Found in another way than recorded: {element}
      </p>
    ))}
  </>
);

const Figures = ({ one }: { readonly one: CaseResult }) => (
  <p className="line wrap quiet small">
    <span>{took(one.durationMs)}</span>
    <span>{plural(one.toolCalls, "tool call")}</span>
    {one.costUsd === null || one.costUsd === 0 ? null : <span>{money(one.costUsd)}</span>}
    {one.attempt > 1 ? <span>attempt {one.attempt}</span> : null}
    {one.healed ? <span>healed</span> : null}
    <span className="mono">{one.id}</span>
    {one.sessionId === null ? null : <Link href={`/sessions/${one.sessionId}`}>the session of this case</Link>}
  </p>
);

/** A summary that only says again why a step did not pass. */
const isRepeated = ({ summary, steps }: CaseResult): boolean =>
  steps.some(({ verdict, checks }) => verdict === "fail" && checks.some(({ result }) => summary.includes(result.expected)));

export const CaseResultCard = ({ one }: { readonly one: CaseResult }) => {
  const [shown, setShown] = useState<number | null>(null);
  const pictures = picturesOf(one);
  return (
    <li className="panel pad test-case" aria-label={`${one.title}: ${one.verdict}`}>
      <div className="line wrap">
        <h2 className="grow">{one.title}</h2>
        {one.flaky ? <FlakyMark /> : null}
        <Verdict verdict={one.verdict} />
      </div>
      {one.verdict === "pass" ? null : <p>{one.reason}</p>}
      {one.summary === "" || isRepeated(one) ? null : <p className="quiet">{one.summary}</p>}
      <ol className="test-steps">
        {one.steps.map((step) => (
          <li key={step.number} aria-label={`Step ${step.number}: ${step.verdict}`}>
            <Glyph status={VERDICT_STATUS[step.verdict]} />
            <div className="test-step">
              <div>
                <strong>{step.number}.</strong> {step.action} <span className="hidden-label">{step.verdict}</span>
              </div>
              {step.expected === "" ? null : <p className="quiet small">expected: {step.expected}</p>}
              {step.verdict === "pass" || step.reason === "" ? null : <p className="small">{step.reason}</p>}
              <Evidence step={step} />
            </div>
            <div className="thumbs">
              {pictures.map((picture, at) =>
                picture.step === step.number ? (
                  <Thumb key={picture.source} picture={picture} onOpen={() => setShown(at)} />
                ) : null,
              )}
            </div>
          </li>
        ))}
      </ol>
      {one.problems.map((problem, at) => (
        <p key={at} className="quiet small">
          {problem}
        </p>
      ))}
      <Figures one={one} />
      {shown === null ? null : <EvidenceGallery pictures={pictures} first={shown} onClose={() => setShown(null)} />}
    </li>
  );
};
