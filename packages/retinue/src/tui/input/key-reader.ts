/**
 * From what a terminal sends to keys: text, named keys, whole pastes, and whether the window has the focus. A paste is one text whether the terminal marks
 * it or not: an Enter that is followed by more within the same burst was not pressed by anybody.
 */
export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "focus"; readonly hasFocus: boolean }
  | { readonly type: "key"; readonly name: KeyName };

export type KeyName =
  | "enter"
  | "alt-enter"
  | "newline"
  | "tab"
  | "shift-tab"
  | "esc"
  | "up"
  | "down"
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "backspace"
  | "delete"
  | "delete-word"
  | "ctrl-a"
  | "ctrl-c"
  | "ctrl-d"
  | "ctrl-e"
  | "ctrl-g"
  | "ctrl-k"
  | "ctrl-l"
  | "ctrl-o"
  | "ctrl-r"
  | "ctrl-t"
  | "ctrl-u"
  | "ctrl-y";

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "ctrl-a",
  "\u0003": "ctrl-c",
  "\u0004": "ctrl-d",
  "\u0005": "ctrl-e",
  "\u0007": "ctrl-g",
  "\u000b": "ctrl-k",
  "\u000c": "ctrl-l",
  "\u000f": "ctrl-o",
  "\u0012": "ctrl-r",
  "\u0014": "ctrl-t",
  "\u0015": "ctrl-u",
  "\u0017": "delete-word",
  "\u0019": "ctrl-y",
};

/** Without their ESC. Modifiers of arrows: 3 and 5 are Alt and Ctrl. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  "[H": "home",
  "[F": "end",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[4~": "end",
  "[3~": "delete",
  "[5~": "page-up",
  "[6~": "page-down",
  "[Z": "shift-tab",
  "[1;3C": "word-right",
  "[1;3D": "word-left",
  "[1;5C": "word-right",
  "[1;5D": "word-left",
  "[13;2u": "newline",
  "[13;3u": "alt-enter",
  "[27;2;13~": "newline",
  "[27;3;13~": "alt-enter",
  b: "word-left",
  f: "word-right",
  "\r": "alt-enter",
  "\n": "alt-enter",
  "\u007f": "delete-word",
};

const PASTE_BEGIN = "\u001b[200~";
const PASTE_END = "\u001b[201~";

/** CSI and SS3 as terminals send them, or one character after an ESC. */
// oxlint-disable-next-line no-control-regex
const SEQUENCE = /^\u001b(?:\[[0-9;?<>=]*[ -/]*[@-~]|O[A-Za-z]|[^[O\u001b])/;
// oxlint-disable-next-line no-control-regex
const OPEN_SEQUENCE = /^\u001b(?:\[[0-9;?<>=]*[ -/]*|O)?$/;

export type KeyReaderOptions = {
  readonly onKey: (key: Key) => void;
  /** Calls back after so many milliseconds; the function returned takes it back. */
  readonly after: (ms: number, callback: () => void) => () => void;
};

export type KeyReader = {
  /** Whole characters only. */
  readonly push: (chunk: string) => void;
};

/** An ESC that nothing has followed for so long was the key. */
const ESC_MS = 40;
/** What comes within this time of one another came from a program, not from fingers. */
const BURST_MS = 8;
/** After a burst with line breaks, an Enter still belongs to it for so long. */
const AFTER_BURST_MS = 120;
const FEWEST_OF_BURST = 3;

// oxlint-disable-next-line no-control-regex
const PLAIN_TEXT = /^[^\u0000-\u001f\u007f]+/;

export const createKeyReader = ({ onKey, after }: KeyReaderOptions): KeyReader => {
  let held = "";
  /** Undefined outside of brackets. */
  let pasted: string | undefined;
  let cancelTimer: (() => void) | undefined;
  /** Text that came before an Enter whose meaning is not known yet. */
  let enterHeld = false;
  let burstChars = 0;
  let isBurst = false;
  let endBurst: (() => void) | undefined;

  const extendBurst = (ms: number): void => {
    endBurst?.();
    endBurst = after(ms, () => {
      endBurst = undefined;
      burstChars = 0;
      isBurst = false;
      if (enterHeld) releaseEnter("enter");
    });
  };

  const releaseEnter = (name: "enter" | "newline"): void => {
    enterHeld = false;
    onKey(name === "enter" ? { type: "key", name } : { type: "paste", text: "\n" });
  };

  const takeText = (text: string): void => {
    if (enterHeld) {
      // More follows within the burst: the Enter was a line break of a pasted text.
      isBurst = true;
      releaseEnter("newline");
    }
    burstChars += text.length;
    extendBurst(isBurst ? AFTER_BURST_MS : BURST_MS);
    onKey({ type: isBurst ? "paste" : "text", text });
  };

  const takeEnter = (): void => {
    if (isBurst) {
      extendBurst(AFTER_BURST_MS);
      onKey({ type: "paste", text: "\n" });
      return;
    }
    if (enterHeld) {
      isBurst = true;
      releaseEnter("newline");
      onKey({ type: "paste", text: "\n" });
      extendBurst(AFTER_BURST_MS);
      return;
    }
    if (burstChars < FEWEST_OF_BURST) {
      onKey({ type: "key", name: "enter" });
      return;
    }
    enterHeld = true;
    extendBurst(BURST_MS);
  };

  const takeNamed = (name: KeyName): void => {
    if (name === "enter") return takeEnter();
    if (name === "newline" && isBurst) return takeEnter();
    if (enterHeld) releaseEnter("enter");
    onKey({ type: "key", name });
  };

  const takeSequence = (sequence: string): void => {
    if (sequence === PASTE_BEGIN) {
      if (enterHeld) releaseEnter("enter");
      pasted = "";
      return;
    }
    const body = sequence.slice(1);
    if (body === "[I" || body === "[O") return onKey({ type: "focus", hasFocus: body === "[I" });
    const name = SEQUENCES[body];
    // What is not known is no text either.
    if (name !== undefined) takeNamed(name);
  };

  /** What was taken; undefined where more has to come first. */
  const takeNext = (): number | undefined => {
    if (pasted !== undefined) return takePasted();
    if (held.startsWith("\u001b")) {
      const [sequence] = SEQUENCE.exec(held) ?? [];
      if (sequence !== undefined) {
        takeSequence(sequence);
        return sequence.length;
      }
      if (OPEN_SEQUENCE.test(held)) return undefined;
      takeNamed("esc");
      return 1;
    }
    const [text] = PLAIN_TEXT.exec(held) ?? [];
    if (text !== undefined) {
      takeText(text);
      return text.length;
    }
    const name = CONTROLS[held.charAt(0)];
    if (name !== undefined) takeNamed(name);
    return 1;
  };

  const takePasted = (): number | undefined => {
    const end = held.indexOf(PASTE_END);
    if (end >= 0) {
      const text = `${pasted ?? ""}${held.slice(0, end)}`;
      pasted = undefined;
      onKey({ type: "paste", text: text.replace(/\r\n?/g, "\n") });
      return end + PASTE_END.length;
    }
    // The end may be cut in two.
    const kept = Math.min(held.length, PASTE_END.length - 1);
    pasted = `${pasted ?? ""}${held.slice(0, held.length - kept)}`;
    held = held.slice(held.length - kept);
    return undefined;
  };

  return {
    push: (chunk) => {
      cancelTimer?.();
      cancelTimer = undefined;
      held += chunk;
      while (held !== "") {
        const taken = takeNext();
        if (taken === undefined) break;
        held = held.slice(taken);
      }
      if (held === "" || pasted !== undefined) return;
      cancelTimer = after(ESC_MS, () => {
        cancelTimer = undefined;
        const isEsc = held === "\u001b";
        held = "";
        if (isEsc) takeNamed("esc");
      });
    },
  };
};
