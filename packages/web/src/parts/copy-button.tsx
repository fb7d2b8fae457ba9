/** Copies the source of what is shown: the Markdown, the command, the output as it was, never what was drawn of it. */
import { useState } from "react";
import { Icon } from "./icons.tsx";

export const CopyButton = ({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1200);
  };
  return (
    <button
      type="button"
      className="button plain small square copy"
      aria-label={label}
      title={label}
      onClick={() => void copy().catch(() => undefined)}
    >
      {isCopied ? "✓" : <Icon name="copy" size={14} />}
    </button>
  );
};
