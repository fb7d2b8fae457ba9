/** Code with colours. The highlighter is loaded with the first code that is shown; until then, and in languages it does not know, the text. */
import { toPrintable } from "@retinue/client/text";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import type { Scope } from "./highlight.ts";

/** Colours of more than this are not worth the wait. */
const MOST_CHARS = 60_000;

const draw = (nodes: readonly Scope[]): ReactNode =>
  nodes.map((node, at) =>
    typeof node === "string" ? (
      <Fragment key={at}>{node}</Fragment>
    ) : (
      <span key={at} className={`hl-${node.scope}`}>
        {draw(node.children)}
      </span>
    ),
  );

export const useHighlighted = (code: string, language: string): ReactNode => {
  const [shown, setShown] = useState<{ readonly code: string; readonly tree: readonly Scope[] } | null>(null);
  useEffect(() => {
    if (language === "" || code.length > MOST_CHARS) return undefined;
    let isCurrent = true;
    void import("./highlight.ts").then(({ highlight }) => {
      if (isCurrent) setShown({ code, tree: highlight(code, language) });
    });
    return () => {
      isCurrent = false;
    };
  }, [code, language]);
  return shown?.code === code ? draw(shown.tree) : code;
};

export const CodeBlock = ({ code, language }: { readonly code: string; readonly language: string }) => {
  const drawn = useHighlighted(toPrintable(code, "prose"), language.trim().split(/\s/)[0] ?? "");
  return (
    <div className="code">
      <pre tabIndex={0} aria-label={language === "" ? "code" : `code in ${language}`}>
        <code>{drawn}</code>
      </pre>
      <CopyButton text={code} />
    </div>
  );
};
