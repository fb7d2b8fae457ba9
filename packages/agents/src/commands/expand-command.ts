/**
 * Makes a task of a command and what was typed after its name. Nothing runs here: a command line in the file becomes the order to run it with
 * the shell tool, so that policy judges it like any other. What files hold is added as it is, and never looked through for more.
 */
import { findImports } from "../instructions/find-imports.ts";
import type { CommandEntry } from "./command-file.ts";

/** The text of a file of the workspace; throws an Error that says why it is not given. */
export type ReadNamedFile = (name: string) => Promise<string>;

const MOST_FILES = 20;

export const expandCommand = async (
  { template, dialect }: Pick<CommandEntry, "template" | "dialect">,
  typed: string,
  readFile: ReadNamedFile,
): Promise<string> => {
  const filled = fillIn(template, typed.trim(), dialect === "opencode");
  const names = findImports(filled);
  const files: string[] = [];
  for (const name of names.slice(0, MOST_FILES)) {
    try {
      files.push(`[file ${name}]\n${await readFile(name)}`);
    } catch (thrown) {
      files.push(`[file ${name} is not given: ${thrown instanceof Error ? thrown.message : "it cannot be read"}]`);
    }
  }
  if (names.length > MOST_FILES) files.push(`[${names.length - MOST_FILES} more files are not given; read them]`);
  return [toOrders(filled), ...files].join("\n\n");
};

/** Words as a shell would take them apart: quotes hold blanks together. */
export const toWords = (typed: string): readonly string[] =>
  [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");

const PLACEHOLDER = /\$(ARGUMENTS\b|[1-9]\b)/g;

/** In opencode the last of the numbered ones takes all words that are left. What was typed is said at the end where no place is named for it. */
const fillIn = (template: string, typed: string, lastTakesRest: boolean): string => {
  const places = [...template.matchAll(PLACEHOLDER)].map(([, place]) => place ?? "");
  if (places.length === 0) return typed === "" ? template : `${template}\n\n${typed}`;
  const words = toWords(typed);
  const last = Math.max(0, ...places.filter((place) => place !== "ARGUMENTS").map(Number));
  return template.replaceAll(PLACEHOLDER, (_, place: string) => {
    if (place === "ARGUMENTS") return typed;
    const at = Number(place);
    return lastTakesRest && at === last ? words.slice(at - 1).join(" ") : (words[at - 1] ?? "");
  });
};

const toOrders = (text: string): string =>
  text.replaceAll(
    /(?<![\w`])!`([^`\n]+)`/g,
    (_, line: string) => `[run \`${line}\` with the shell tool, and take its output here]`,
  );
