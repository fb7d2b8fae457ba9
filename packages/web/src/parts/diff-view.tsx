/** A change of one file, line by line. Lines can be commented on where somebody takes the comments. */
import { Fragment, type ReactNode } from "react";
import { toPrintable } from "@retinue/client/text";
import { ExactText } from "./exact-text.tsx";
import type { DiffLine, FileDiff } from "./file-diff.ts";

/** More lines than these are told in words: nobody reads them here. */
const MOST_LINES = 2_000;

type Props = {
  readonly diff: FileDiff;
  readonly onComment?: (line: DiffLine, at: number) => void;
  /** What stands below a line. */
  readonly below?: (line: DiffLine, at: number) => ReactNode;
};

const exactLine = (text: string): string => toPrintable(text, "line");

const SIGNS = { "+": "+", "-": "−", " ": "", "@": "" } as const;
const WORDS = { "+": "added", "-": "removed", " ": "", "@": "" } as const;

const LineNumber = ({
  line,
  at,
  onComment,
}: {
  readonly line: DiffLine;
  readonly at: number;
  readonly onComment: Props["onComment"];
}) => {
  const number = line.after ?? line.before;
  return (
    <td className="number">
      {onComment === undefined || number === null ? (
        number
      ) : (
        <button
          type="button"
          aria-label={`Comment on line ${number}`}
          title="Comment on this line"
          onClick={() => onComment(line, at)}
        >
          {number}
        </button>
      )}
    </td>
  );
};

export const DiffView = ({ diff, onComment, below }: Props) => (
  <section className="diff" aria-label={`Change of ${exactLine(diff.path)}`}>
    <header>
      <span className="grow clip" title={exactLine(diff.path)}>
        <ExactText text={diff.path} />
      </span>
      {diff.note === undefined ? null : <span className="quiet">{diff.note}</span>}
      <span className="plus">+{diff.added}</span>
      <span className="minus">−{diff.removed}</span>
    </header>
    <div className="rows" tabIndex={0} role="group" aria-label={`Lines of ${exactLine(diff.path)}`}>
      <table>
        <tbody>
          {diff.lines.slice(0, MOST_LINES).map((line, at) => (
            <Fragment key={at}>
              <tr data-kind={line.kind}>
                <LineNumber line={line} at={at} onComment={onComment} />
                <td className="sign">
                  {SIGNS[line.kind]}
                  {WORDS[line.kind] === "" ? null : <span className="hidden-label">{WORDS[line.kind]} </span>}
                </td>
                <td>{line.text === "" ? " " : <ExactText text={line.text} />}</td>
              </tr>
              {below?.(line, at)}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
    {diff.lines.length > MOST_LINES ? (
      <p className="quiet small">{diff.lines.length - MOST_LINES} more lines are not shown.</p>
    ) : null}
  </section>
);
