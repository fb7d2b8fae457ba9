/** What a model said in one turn, as it is said; its reasoning folded, its failures told. */
import type { StepView } from "@retinue/client";
import { memo } from "react";
import { clock } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icons.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { ErrorNote } from "./tool-card.tsx";

type Props = { readonly step: StepView; readonly version: number; readonly isOpen: boolean; readonly onToggle: () => void };

const Thinking = ({ step }: { readonly step: StepView }) => {
  const now = useNow();
  const seconds = clock(now - Date.parse(step.askedAt));
  return (
    <p className="thinking">
      <span className="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {step.retrying === null
        ? `${step.model} · ${seconds}`
        : `asks ${step.retrying.model} again, attempt ${step.retrying.attempt}: ${step.retrying.error.message}`}
    </p>
  );
};

export const SaidRow = memo(({ step, isOpen, onToggle }: Props) => (
  <div className="said">
    {step.failures.map(({ error }, at) => (
      <ErrorNote key={at} error={error} />
    ))}
    {step.reasoning === "" ? null : (
      <div className="reasoning">
        <button type="button" className="button plain small" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name="chevron" size={12} /> Reasoning
        </button>
        {isOpen ? <Markdown text={step.reasoning} /> : null}
      </div>
    )}
    {step.text.trim() === "" ? null : (
      <div className="said-text">
        <Markdown text={step.text} />
        {step.state === "asked" ? null : <CopyButton text={step.text} label="Copy as Markdown" />}
      </div>
    )}
    {step.toolInput === "" || step.state !== "asked" ? null : (
      <pre className="output tail" aria-label="What the model writes for a call">
        {step.toolInput.slice(-600)}
      </pre>
    )}
    {step.state === "asked" && step.text === "" && step.toolInput === "" ? <Thinking step={step} /> : null}
  </div>
));
