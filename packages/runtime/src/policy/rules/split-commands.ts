/**
 * Takes a command line apart into the commands that rules are about. It reads more than `readPlainCommands`, since nothing is allowed by it that a
 * rule does not allow; where a line could run a command that does not stand in it, it is not read at all.
 */

export type SplitCommand = {
  /** As it stands in the line. */
  readonly text: string;
  /** The same with quotes and needless blanks taken off. */
  readonly words: readonly string[];
  /** What a shell makes of its words is not known before it runs. */
  readonly isOpen: boolean;
};

const KEYWORDS: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac select function in { } [[ ]] ! coproc time".split(" "),
);

type Word = { text: string; isOpen: boolean; isQuoted: boolean };

/** Undefined: what it runs cannot be told. */
export const splitCommands = (line: string): readonly SplitCommand[] | undefined => {
  const commands: SplitCommand[] = [];
  let words: Word[] = [];
  let word: Word | undefined;
  let start = 0;
  const endWord = (): void => {
    if (word) words.push(word);
    word = undefined;
  };
  const append = (text: string, about: Partial<Word> = {}): void => {
    word ??= { text: "", isOpen: false, isQuoted: false };
    word.text += text;
    word.isOpen ||= about.isOpen ?? false;
    word.isQuoted ||= about.isQuoted ?? false;
  };
  /** False where it begins with what is no program. */
  const endCommand = (end: number, next: number): boolean => {
    endWord();
    const [first] = words;
    if (first && (first.isOpen || (!first.isQuoted && KEYWORDS.has(first.text)))) return false;
    if (words.length > 0)
      commands.push({
        text: line.slice(start, end).trim(),
        words: words.map(({ text }) => text),
        isOpen: words.some(({ isOpen }) => isOpen),
      });
    words = [];
    start = next;
    return true;
  };
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (character === " " || character === "\t") endWord();
    else if (character === "'" || character === '"') {
      const close = line.indexOf(character, at + 1);
      const inside = line.slice(at + 1, close);
      if (close === -1 || (character === '"' && /[$`\\!]/.test(inside))) return undefined;
      append(inside, { isQuoted: true });
      at = close;
    } else if (/[$`()\\#\p{Cc}\p{Cf}]/u.test(character) && character !== "\n") return undefined;
    else if (character === "<" || character === ">") {
      if (next === "<" || next === "(") return undefined;
      append(character);
      if (next === "&" || next === ">") append(line[++at] ?? "");
    } else if (character === "&" && next === ">") append(character);
    else if (character === ";" || character === "\n" || character === "|" || character === "&") {
      const isDouble = (character === "|" || character === "&") && (next === character || (character === "|" && next === "&"));
      if (!endCommand(at, at + (isDouble ? 2 : 1))) return undefined;
      if (isDouble) at += 1;
    } else append(character, { isOpen: /[*?[\]{}~!^]/.test(character) || character > "\x7f" });
  }
  return endCommand(line.length, line.length) && commands.length > 0 ? commands : undefined;
};
