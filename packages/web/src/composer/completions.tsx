/** What can be completed while one types: commands after a slash at the beginning, files after an `@`. */
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useState } from "react";
import { useCall } from "../server/use-call.ts";

export type Completion = { readonly inserted: string; readonly label: string; readonly note: string };

type Word = { readonly start: number; readonly end: number; readonly sign: "/" | "@"; readonly typed: string };

/** The word at the caret, if it is one that can be completed. */
export const wordAt = (text: string, caret: number): Word | null => {
  const start = Math.max(text.lastIndexOf(" ", caret - 1), text.lastIndexOf("\n", caret - 1)) + 1;
  const word = text.slice(start, caret);
  if (word.startsWith("/") && start === 0) return { start, end: caret, sign: "/", typed: word.slice(1) };
  return word.startsWith("@") ? { start, end: caret, sign: "@", typed: word.slice(1) } : null;
};

export type CompletionState = {
  readonly items: readonly Completion[];
  readonly at: number;
  readonly look: () => void;
  readonly onKey: (event: KeyboardEvent, choose: (inserted: string) => void) => boolean;
  readonly complete: (inserted: string) => { readonly next: string; readonly caret: number };
};

type Options = {
  readonly text: string;
  readonly workspaceId: string | undefined;
  readonly field: RefObject<HTMLTextAreaElement | null>;
};

const MOST = 8;

export const useCompletions = ({ text, workspaceId, field }: Options): CompletionState => {
  const [word, setWord] = useState<Word | null>(null);
  const [at, setAt] = useState(0);
  const params = { workspaceId: workspaceId as `wsp_${string}` };
  const commands = useCall("listCommands", workspaceId !== undefined && word?.sign === "/" ? { params } : null);
  const files = useCall(
    "listFiles",
    workspaceId !== undefined && word?.sign === "@" ? { params, query: { search: word.typed, limit: MOST } } : null,
  );
  const look = useCallback(() => {
    const box = field.current;
    // The field has its new value only after the event.
    setTimeout(
      () => setWord(box === null || box.selectionStart !== box.selectionEnd ? null : wordAt(box.value, box.selectionStart)),
      0,
    );
  }, [field]);
  useEffect(() => setAt(0), [word?.typed, word?.sign]);

  const items: readonly Completion[] =
    word === null
      ? []
      : word.sign === "/"
        ? (commands.value?.commands ?? [])
            .filter(({ name }) => name.slice(1).startsWith(word.typed.toLowerCase()))
            .slice(0, MOST)
            .map(({ name, description, argument }) => ({
              inserted: `${name} `,
              label: argument === undefined ? name : `${name} ${argument}`,
              note: description,
            }))
        : (files.value?.files ?? []).slice(0, MOST).map((file) => ({ inserted: `@${file} `, label: file, note: "" }));

  return {
    items,
    at: Math.min(at, Math.max(0, items.length - 1)),
    look,
    complete: (inserted) => {
      if (word === null) return { next: text, caret: text.length };
      setWord(null);
      return { next: text.slice(0, word.start) + inserted + text.slice(word.end), caret: word.start + inserted.length };
    },
    onKey: (event, choose) => {
      if (items.length === 0) return false;
      const chosen = items[Math.min(at, items.length - 1)];
      if (event.key === "ArrowDown" || event.key === "ArrowUp")
        setAt((at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length);
      else if (event.key === "Escape") setWord(null);
      else if (
        (event.key === "Tab" || (event.key === "Enter" && chosen?.inserted.trim() !== text.trim())) &&
        chosen !== undefined
      )
        choose(chosen.inserted);
      else return false;
      event.preventDefault();
      return true;
    },
  };
};

export const Completions = ({
  state,
  onChoose,
}: {
  readonly state: CompletionState;
  readonly onChoose: (inserted: string) => void;
}) =>
  state.items.length === 0 ? null : (
    <ul className="menu completions" id="completions" role="listbox" aria-label="Completions">
      {state.items.map(({ inserted, label, note }, index) => (
        <li
          key={inserted}
          id={`completion-${index}`}
          role="option"
          aria-selected={index === state.at}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(inserted);
          }}
        >
          <span className="mono clip">{label}</span>
          <small className="clip">{note}</small>
        </li>
      ))}
    </ul>
  );
