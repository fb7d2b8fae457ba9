/** What could stand where the cursor is: names of commands, what a command takes, and files after an `@`. */
import type { EditedText } from "./text-editor.ts";
import type { SlashCommands } from "../command/slash-commands.ts";

export type Suggestion = {
  /** Stands in the text once it is taken. */
  readonly text: string;
  readonly about?: string;
};

export type Completion = {
  /** Where in the text what is replaced begins. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
};

export type CompletionSources<Context> = {
  readonly commands: SlashCommands<Context>;
  readonly context: Context;
  /** Paths of the project, relative to it. */
  readonly files: () => Promise<readonly string[]>;
};

const MOST_SUGGESTIONS = 50;

/** Letters in their order, those at the beginning of a name first; lower is better, undefined does not fit. */
export const fitOf = (typed: string, name: string): number | undefined => {
  if (typed === "") return 0;
  const [small, large] = [typed.toLowerCase(), name.toLowerCase()];
  const base = large.slice(large.lastIndexOf("/") + 1);
  if (base.startsWith(small)) return base.length;
  if (large.startsWith(small)) return 1000 + large.length;
  const at = large.indexOf(small);
  if (at >= 0) return 2000 + at;
  let from = 0;
  for (const letter of small) {
    const found = large.indexOf(letter, from);
    if (found < 0) return undefined;
    from = found + 1;
  }
  return 3000 + from;
};

const best = (typed: string, names: readonly string[]): readonly string[] =>
  names
    .map((name) => ({ name, fit: fitOf(typed, name) }))
    .filter((one): one is { readonly name: string; readonly fit: number } => one.fit !== undefined)
    // Those that fit alike stay in their order.
    .toSorted((a, b) => a.fit - b.fit)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ name }) => name);

/** Undefined where nothing is to be completed. */
export const completeAt = async <Context>(
  { text, cursor }: EditedText,
  { commands, context, files }: CompletionSources<Context>,
): Promise<Completion | undefined> => {
  const before = text.slice(0, cursor);
  const [, typedName] = /^\/(\S*)$/.exec(before) ?? [];
  if (typedName !== undefined) {
    const all = commands.all();
    const suggestions = best(
      typedName,
      all.map(({ name }) => name),
    ).map((name) => {
      const about = commands.find(name)?.about;
      return { text: `/${name} `, ...(about === undefined ? {} : { about }) };
    });
    return { from: 0, suggestions };
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(before);
  if (mention) {
    const typed = mention[1] ?? "";
    return { from: cursor - typed.length - 1, suggestions: best(typed, await files()).map((file) => ({ text: `@${file} ` })) };
  }
  const [, name = "", typed = ""] = /^\/(\S+)\s+(\S*)$/.exec(before) ?? [];
  const command = commands.find(name);
  if (!command?.complete) return undefined;
  const words = await command.complete(typed, context);
  return { from: cursor - typed.length, suggestions: best(typed, words).map((word) => ({ text: `${word} ` })) };
};
