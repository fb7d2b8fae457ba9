/**
 * A rule that answers questions in a person's place: one command, word for word, or writes below a folder. Only what was seen is covered: no other argument,
 * no act without its sandbox, none that is given secrets, none on a protected path, and no command line that a shell could read differently.
 */
import { isAbsolute, relative, sep } from "node:path";
import type { ProposedAct } from "@retinue/protocol";
import { readPlainCommands } from "@retinue/runtime";

export type ApprovalRule =
  | { readonly type: "command"; readonly words: readonly string[] }
  | { readonly type: "folder"; readonly tool: string; readonly folder: string };

/** They run a file or a text that may be another one next time. */
const RUN_ANYTHING =
  /^(?:sh|bash|dash|zsh|ksh|fish|env|sudo|xargs|find|nohup|nice|time|timeout|exec|command|eval|node|deno|bun|tsx|python[\d.]*|ruby|perl|php|lua|awk|pwsh|npx|pnpx|ssh|docker|rm)$/;
/** More would not be read before it is kept. */
const MOST_WORDS = 40;

const plainWords = ({ effect, input }: ProposedAct): readonly string[] | undefined => {
  if (effect !== "execute" || typeof input !== "object" || input === null || !("command" in input)) return undefined;
  const { command } = input;
  const commands = typeof command === "string" ? readPlainCommands(command) : undefined;
  return commands?.length === 1 ? commands[0] : undefined;
};

const isOrdinary = ({ unsandboxed, askedBy, secrets = [], protectedPaths = [], hosts }: ProposedAct): boolean =>
  unsandboxed === undefined && askedBy === undefined && secrets.length === 0 && protectedPaths.length === 0 && hosts.length === 0;

const toRelative = (file: string, workspace: string): string | undefined => {
  const inside = relative(workspace, file);
  return inside === "" || isAbsolute(inside) || inside.split(sep)[0] === ".." ? undefined : inside.split(sep).join("/");
};

/** The rule that the user is offered; undefined where none would be safe. */
export const offerRule = (act: ProposedAct, workspace: string): ApprovalRule | undefined => {
  if (!isOrdinary(act)) return undefined;
  const words = plainWords(act);
  if (words) return RUN_ANYTHING.test(words[0] ?? "") || words.length > MOST_WORDS ? undefined : { type: "command", words };
  if (act.effect !== "write" || act.paths.length === 0) return undefined;
  const tops = new Set(act.paths.map((file) => toRelative(file, workspace)?.split("/").slice(0, -1)[0]));
  const [folder] = tops;
  return tops.size === 1 && folder !== undefined && folder !== "" ? { type: "folder", tool: act.tool, folder } : undefined;
};

export const describeRule = (rule: ApprovalRule): string =>
  rule.type === "command" ? rule.words.map(quote).join(" ") : `${rule.tool} in ${rule.folder}/**`;

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`);

export const isCovered = (rule: ApprovalRule, act: ProposedAct, workspace: string): boolean => {
  if (!isOrdinary(act)) return false;
  if (rule.type === "command") {
    const words = plainWords(act);
    return words?.length === rule.words.length && rule.words.every((word, index) => words[index] === word);
  }
  return (
    act.effect === "write" &&
    act.tool === rule.tool &&
    act.paths.length > 0 &&
    act.paths.every((file) => toRelative(file, workspace)?.startsWith(`${rule.folder}/`) === true)
  );
};
