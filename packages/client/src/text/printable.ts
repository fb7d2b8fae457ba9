/**
 * Text of models, tools, files and servers, made safe to print: what stands on the allow-list passes, everything else
 * is shown as `\u{…}`. Nothing is stripped, so nothing hides, and no terminal is driven by what somebody else wrote.
 */

/**
 * `prose` keeps line breaks, tabs, and the invisible joiners that emoji and some scripts are written with.
 * `line` is for what must not pretend to be something else: names, paths, commands, messages. It keeps one line,
 * one kind of space and no invisible character at all.
 */
export type PrintMode = "prose" | "line";

/** Remembers across chunks, so that what is split over two comes out as if it were one. */
export type TextFilter = {
  readonly push: (chunk: string) => string;
  /** What was held back at the end of the last chunk; the filter is as new afterwards. */
  readonly end: () => string;
};

const PLAIN: Record<PrintMode, RegExp> = { prose: /^[\n\t\x20-\x7e]*$/, line: /^[\x20-\x7e]*$/ };

const VISIBLE = /^[[\p{L}\p{N}\p{P}\p{S}\p{Zs}]--\p{Default_Ignorable_Code_Point}]$/v;
const MARK = /^[\p{M}--\p{Default_Ignorable_Code_Point}]$/v;
/** Blank, though not a space: fine in prose, a disguise in a command. */
const BLANK = /^[\p{Zs}\u2800]$/v;
const EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/v;
const TAKES_PRESENTATION = /^\p{Emoji}$/v;
/** Letters of the scripts in which a joiner changes how neighbours are written. */
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]$/v;

const MOST_MARKS: Record<PrintMode, number> = { prose: 8, line: 4 };

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Whether it may be printed depends on what follows. */
const needsNext = (character: string): boolean => character === "\r" || character === "\u200d" || character === "\u200c";

const isHighSurrogate = (character: string): boolean => /^[\ud800-\udbff]$/.test(character);

export const createPrintFilter = (mode: PrintMode): TextFilter => {
  let held = "";
  /** What the next mark, joiner or selector would attach to; empty where there is nothing. */
  let before = "";
  /** Whether `before` is already followed by a presentation selector. */
  let presented = false;
  let marks = 0;

  const isJoined = (next: string): boolean =>
    mode === "prose" &&
    before !== "" &&
    ((EMOJI.test(before) && EMOJI.test(next)) || (JOINING.test(before) && JOINING.test(next)));

  const reset = (): void => {
    before = "";
    presented = false;
    marks = 0;
  };

  const print = (character: string, next: string | undefined): string => {
    if (mode === "prose" && (character === "\n" || character === "\t")) {
      reset();
      return character;
    }
    if (mode === "prose" && character === "\r" && next === "\n") return "";
    if (VISIBLE.test(character) && (mode === "prose" || character === " " || !BLANK.test(character))) {
      before = character;
      presented = false;
      marks = 0;
      return character;
    }
    if (MARK.test(character) && before !== "" && marks < MOST_MARKS[mode]) {
      marks += 1;
      return character;
    }
    if (mode === "prose" && (character === "\ufe0f" || character === "\ufe0e") && !presented && TAKES_PRESENTATION.test(before)) {
      presented = true;
      return character;
    }
    if ((character === "\u200d" || character === "\u200c") && next !== undefined && isJoined(next)) return character;
    reset();
    return escaped(character);
  };

  const run = (text: string, last: boolean): string => {
    const characters = Array.from(text);
    const final = characters.at(-1);
    held = "";
    if (!last && final !== undefined && (isHighSurrogate(final) || (mode === "prose" && needsNext(final)))) {
      // A joiner directly before a broken pair needs the pair, too.
      const previous = characters.at(-2);
      const count = isHighSurrogate(final) && mode === "prose" && previous !== undefined && needsNext(previous) ? 2 : 1;
      held = characters.splice(-count).join("");
    }
    let printed = "";
    for (const [index, character] of characters.entries()) printed += print(character, characters[index + 1]);
    return printed;
  };

  return {
    push: (chunk) => {
      if (held === "" && chunk !== "" && PLAIN[mode].test(chunk)) {
        reset();
        before = /[\n\t]$/.test(chunk) ? "" : chunk.slice(-1);
        return chunk;
      }
      return run(held + chunk, false);
    },
    end: () => {
      const rest = run(held, true);
      reset();
      return rest;
    },
  };
};

/** A whole text at once. */
export const toPrintable = (text: string, mode: PrintMode): string => {
  if (PLAIN[mode].test(text)) return text;
  const filter = createPrintFilter(mode);
  return filter.push(text) + filter.end();
};
