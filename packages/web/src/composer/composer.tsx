/**
 * Where one talks to the main agent: text, `/commands`, `@files`, pictures that are dropped or pasted. What was typed is kept per session
 * until it is sent. While a run is at work, Enter steers it now and Alt+Enter waits for the next turn.
 */
import { toErrorValue, type ErrorValue } from "@retinue/protocol";
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../parts/icons.tsx";
import { ErrorNote } from "../tree/tool-card.tsx";
import { Completions, useCompletions } from "./completions.tsx";
import { type Attached, readPictures } from "./pictures.ts";

export type Said = { readonly text: string; readonly images: readonly Attached[]; readonly isLater: boolean };

type Props = {
  /** Drafts are kept under it. */
  readonly draftKey: string;
  readonly workspaceId: string | undefined;
  readonly placeholder: string;
  readonly isAtWork: boolean;
  readonly onSay: (said: Said) => Promise<void>;
  readonly onCommand: (line: string) => boolean;
  readonly onStop?: () => void;
  readonly hint?: string;
  readonly autoFocus?: boolean;
  /** Words that come back to the input; what stands there stays before them. */
  readonly restored?: { readonly text: string } | null;
};

const drafts = new Map<string, string>();

/** The session that was started from an input: its own input keeps the focus. */
let startedHere: string | undefined;
export const keepFocus = (sessionId: string): void => {
  startedHere = sessionId;
};
export const wasJustStarted = (sessionId: string): boolean => startedHere === sessionId;

/** Whether the input of the page holds text: a question takes no keys then. */
export const isDrafting = (): boolean =>
  document.querySelector<HTMLTextAreaElement>("#say")?.value.trim().length !== 0 && document.querySelector("#say") !== null;

export const Composer = ({
  draftKey,
  workspaceId,
  placeholder,
  isAtWork,
  onSay,
  onCommand,
  onStop,
  hint,
  autoFocus = false,
  restored = null,
}: Props) => {
  const [text, setText] = useState(drafts.get(draftKey) ?? "");
  const [images, setImages] = useState<readonly Attached[]>([]);
  const [error, setError] = useState<ErrorValue | null>(null);
  const [isSending, setSending] = useState(false);
  const [isOver, setOver] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const completions = useCompletions({ text, workspaceId, field });

  const write = (next: string): void => {
    setText(next);
    drafts.set(draftKey, next);
  };
  useEffect(() => setText(drafts.get(draftKey) ?? ""), [draftKey]);
  useEffect(() => {
    if (restored === null) return;
    const before = drafts.get(draftKey) ?? "";
    write(before.trim() === "" ? restored.text : `${before}\n${restored.text}`);
    field.current?.focus();
    // Each time something comes back, and only then.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [restored]);
  useEffect(() => {
    const box = field.current;
    if (box === null) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, 240)}px`;
  }, [text]);

  const send = async (isLater: boolean): Promise<void> => {
    const said = text.trim();
    if ((said === "" && images.length === 0) || isSending) return;
    if (said.startsWith("/") && onCommand(said)) return write("");
    setSending(true);
    setError(null);
    try {
      await onSay({ text: said, images, isLater });
      write("");
      setImages([]);
      // Also where the button was clicked: what comes next is typed, too.
      field.current?.focus();
    } catch (thrown) {
      setError(toErrorValue(thrown));
    } finally {
      setSending(false);
    }
  };
  const attach = async (files: Iterable<File>): Promise<void> => {
    try {
      const added = await readPictures(files);
      setImages((before) => [...before, ...added].slice(0, 8));
    } catch (thrown) {
      setError(toErrorValue(thrown));
    }
  };
  const choose = (inserted: string): void => {
    const { next, caret } = completions.complete(inserted);
    write(next);
    requestAnimationFrame(() => field.current?.setSelectionRange(caret, caret));
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (completions.onKey(event, choose)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send(event.altKey);
    } else if (event.key === "Escape" && text === "" && isAtWork) onStop?.();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void attach(event.dataTransfer.files);
  };

  return (
    <form
      className={`composer${isOver ? " is-over" : ""}`}
      aria-label="Say something"
      onSubmit={(event) => {
        event.preventDefault();
        void send(false);
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {error === null ? null : <ErrorNote error={error} />}
      <Completions state={completions} onChoose={choose} />
      {images.length === 0 ? null : (
        <div className="thumbs">
          {images.map((image, at) => (
            <span key={at} className="thumb">
              <img src={`data:${image.mediaType};base64,${image.data}`} alt={image.name} />
              <button
                type="button"
                className="remove"
                aria-label={`Remove ${image.name}`}
                onClick={() => setImages(images.filter((one) => one !== image))}
              >
                <Icon name="close" size={12} />
              </button>
            </span>
          ))}
        </div>
      )}
      <div className="composer-line">
        <textarea
          ref={field}
          id="say"
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          autoFocus={autoFocus}
          role="combobox"
          aria-expanded={completions.items.length > 0}
          aria-controls="completions"
          aria-autocomplete="list"
          aria-activedescendant={completions.items.length > 0 ? `completion-${completions.at}` : undefined}
          onChange={({ target }) => {
            write(target.value);
            completions.look();
          }}
          onSelect={completions.look}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <label className="button plain square" title="Attach a picture">
          <Icon name="image" />
          <span className="hidden-label">Attach a picture</span>
          <input
            type="file"
            className="hidden-label"
            accept="image/png,image/jpeg,image/webp,image/gif"
            multiple
            onChange={({ target }) => {
              void attach(target.files ?? []);
              target.value = "";
            }}
          />
        </label>
        {isAtWork && text.trim() === "" && images.length === 0 && onStop !== undefined ? (
          <button type="button" className="button square" aria-label="Stop" title="Stop (Esc)" onClick={onStop}>
            <Icon name="stop" size={14} />
          </button>
        ) : (
          <button
            type="submit"
            className="button solid square"
            aria-label="Send"
            title="Send (Enter)"
            disabled={isSending || (text.trim() === "" && images.length === 0)}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
      <p className="composer-hint">
        <span className="clip">
          {hint ??
            (isAtWork ? "Enter steers the run now · Alt+Enter waits for the next turn" : "Enter sends · Shift+Enter new line")}
        </span>
        <span>
          <kbd>@</kbd> file <kbd>/</kbd> command
        </span>
      </p>
    </form>
  );
};
