/**
 * Takes an answer apart as it comes: what is said, what is thought (`<think>`), and calls that were written as text. What may still become a call is held back
 * and shown by nobody; it is handed on as text at the moment in which it cannot be one any more, and as a call when it is one. So nothing that was shown vanishes,
 * and however the answer was cut into pieces, the outcome is the same.
 */
import type { CallForm, FindTool, WrittenCall } from "./call-forms.ts";
import { CALL_FORMS } from "./call-forms.ts";

export type AnswerPiece =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | (WrittenCall & { readonly type: "call"; readonly form: string });

const THINK = "<think>";
const END_THINK = "</think>";

/** The characters that a thought or a written call can begin with. */
const FIRST = new RegExp(`[${[THINK, ...CALL_FORMS.map(({ opening }) => opening)].map(([first]) => `\\${first}`).join("")}]`);

/** False where nothing in this text can be the beginning of a thought or of a written call. */
export const mayOpen = (text: string): boolean => FIRST.test(text);

type Held = { readonly form: CallForm; inside: string };

export class CallText {
  readonly #find: FindTool | undefined;
  readonly #forms: readonly CallForm[];
  /** What was not looked at yet. */
  #waiting = "";
  #isThinking = false;
  #held: Held | undefined;
  /** A call that counts only if nothing is said behind it. */
  #last: { readonly calls: readonly AnswerPiece[]; written: string } | undefined;
  #startsLine = true;
  #pieces: AnswerPiece[] = [];

  /** Without `find` thoughts leave the answer, and calls stay what they are. */
  constructor(find: FindTool | undefined) {
    this.#find = find;
    this.#forms = find === undefined ? [] : CALL_FORMS;
  }

  push(text: string): readonly AnswerPiece[] {
    if (this.#waiting === "" && !this.#isThinking && !this.#held && !this.#last && !mayOpen(text)) {
      this.#say("text", text);
      return this.#takePieces();
    }
    this.#waiting += text;
    while (this.#step(false));
    return this.#takePieces();
  }

  end(): readonly AnswerPiece[] {
    while (this.#step(true));
    if (this.#held) {
      const { form, inside } = this.#held;
      this.#held = undefined;
      this.#settle(form, inside, form.opening + inside);
    }
    if (this.#last) this.#pieces.push(...this.#last.calls);
    this.#last = undefined;
    this.#say("text", this.#waiting);
    this.#waiting = "";
    return this.#takePieces();
  }

  #takePieces(): readonly AnswerPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #say(type: "text" | "reasoning", text: string): void {
    if (text === "") return;
    if (type === "text") this.#startsLine = endsAtLineStart(text, this.#startsLine);
    this.#pieces.push({ type, text });
  }

  /** One step further; false where more text is needed. */
  #step(isEnd: boolean): boolean {
    if (this.#waiting === "") return false;
    if (this.#isThinking) return this.#think(isEnd);
    return this.#held ? this.#hold(this.#held) : this.#scan(isEnd);
  }

  #think(isEnd: boolean): boolean {
    const end = this.#waiting.indexOf(END_THINK);
    if (end !== -1) {
      this.#say("reasoning", this.#waiting.slice(0, end));
      this.#waiting = this.#waiting.slice(end + END_THINK.length).replace(/^\n+/, "");
      this.#isThinking = false;
      return true;
    }
    const kept = isEnd ? 0 : overlap(this.#waiting, [END_THINK]);
    this.#say("reasoning", this.#waiting.slice(0, this.#waiting.length - kept));
    this.#waiting = this.#waiting.slice(this.#waiting.length - kept);
    return false;
  }

  #hold(held: Held): boolean {
    const { form } = held;
    const inside = held.inside + this.#waiting;
    const end = form.closing === undefined ? -1 : inside.indexOf(form.closing);
    if (end === -1) {
      if (form.mayBe(inside)) {
        held.inside = inside;
        this.#waiting = "";
        return false;
      }
      // The opening is text; what follows it is looked at again.
      this.#held = undefined;
      this.#say("text", form.opening);
      this.#waiting = inside;
      return true;
    }
    const after = end + (form.closing?.length ?? 0);
    this.#held = undefined;
    this.#waiting = inside.slice(after);
    this.#settle(form, inside.slice(0, end), form.opening + inside.slice(0, after));
    return true;
  }

  /** What was held is whole: calls, or text. */
  #settle(form: CallForm, inside: string, written: string): void {
    const calls =
      this.#find && form.read(inside, this.#find)?.map((call) => ({ type: "call", form: form.name, ...call }) as const);
    if (calls === undefined) this.#say("text", written);
    else if (form.isLast) this.#last = { calls, written };
    else this.#pieces.push(...calls);
  }

  #scan(isEnd: boolean): boolean {
    if (this.#last) {
      if (this.#waiting.trim() === "") {
        this.#last.written += this.#waiting;
        this.#waiting = "";
        return false;
      }
      // Something is said behind it: it was an example.
      this.#say("text", this.#last.written);
      this.#last = undefined;
    }
    const found = this.#findOpening();
    if (found === undefined) {
      const kept = isEnd ? 0 : overlap(this.#waiting, [THINK, ...this.#forms.map(({ opening }) => opening)]);
      const said = this.#waiting.slice(0, this.#waiting.length - kept);
      this.#say("text", said);
      this.#waiting = this.#waiting.slice(said.length);
      return false;
    }
    const { at, form } = found;
    this.#say("text", this.#waiting.slice(0, at));
    this.#waiting = this.#waiting.slice(at);
    // It may be the beginning of a longer opening.
    if (!isEnd && this.#forms.some(({ opening }) => opening.length > this.#waiting.length && opening.startsWith(this.#waiting)))
      return false;
    this.#waiting = this.#waiting.slice((form?.opening ?? THINK).length);
    if (form) this.#held = { form, inside: "" };
    else this.#isThinking = true;
    // What is empty so far may still become one; the end decides.
    return this.#waiting !== "";
  }

  /** The first opening in what waits; without a form it is that of a thought. */
  #findOpening(): { readonly at: number; readonly form: CallForm | undefined } | undefined {
    let found: { at: number; form: CallForm | undefined } | undefined;
    const thought = this.#waiting.indexOf(THINK);
    if (thought !== -1) found = { at: thought, form: undefined };
    for (const form of this.#forms) {
      let at = this.#waiting.indexOf(form.opening);
      while (at !== -1 && form.startsLine && !this.#isLineStart(at)) at = this.#waiting.indexOf(form.opening, at + 1);
      if (at !== -1 && (found === undefined || at < found.at)) found = { at, form };
    }
    return found;
  }

  #isLineStart(at: number): boolean {
    return endsAtLineStart(this.#waiting.slice(0, at), this.#startsLine);
  }
}

/** Whether what follows a text begins a line, but for blanks. */
const endsAtLineStart = (text: string, startsLine: boolean): boolean => {
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at];
    if (character === "\n") return true;
    if (character !== " " && character !== "\t") return false;
  }
  return startsLine;
};

/** How many characters at the end of `text` may be the beginning of one of these. */
const overlap = (text: string, openings: readonly string[]): number => {
  let most = 0;
  for (const opening of openings)
    for (let length = Math.min(opening.length - 1, text.length); length > most; length--)
      if (opening.startsWith(text.slice(-length))) {
        most = length;
        break;
      }
  return most;
};
