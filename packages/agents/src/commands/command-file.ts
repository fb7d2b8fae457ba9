/** Reads a file of a command: a prompt that a person calls by its name. Nothing in it gives a right. */
import { plainText, splitFrontMatter } from "../front-matter.ts";
import type { Note } from "../problem.ts";
import { readYamlFields } from "../yaml-fields.ts";

export type CommandDialect = "retinue" | "claude-code" | "opencode";

export type CommandEntry = {
  /** As it is called, without the slash; folders stand before a colon. */
  readonly name: string;
  readonly description: string;
  /** What follows the name, as in `[issue] [priority]`. */
  readonly argumentHint: string;
  /** Who carries it out; whoever is asked by default. */
  readonly agent?: string;
  /** Where the file says so. */
  readonly agentLine?: number;
  readonly template: string;
  readonly file: string;
  readonly origin: "user" | "project";
  readonly dialect: CommandDialect;
};

export type CommandSource = Pick<CommandEntry, "file" | "origin" | "dialect"> & {
  readonly text: string;
  /** Its path below the folder of commands, with slashes. */
  readonly relative: string;
  readonly note: Note;
};

const NAME = /^\w[\w.-]{0,63}(?::\w[\w.-]{0,63}){0,4}$/;
const HONOURED = ["description", "argument-hint", "agent", "name"];
const LONGEST_DESCRIPTION = 200;

/** Undefined where it is no command; why is noted. */
export const readCommandFile = ({ text, relative, note, ...source }: CommandSource): CommandEntry | undefined => {
  const name = relative.replace(/\.md$/i, "").replaceAll("/", ":");
  if (!NAME.test(name)) {
    note("error", 1, `${JSON.stringify(name)} cannot be the name of a command: letters, digits, dashes, dots and underscores`);
    return undefined;
  }
  const plain = plainText(text);
  const split = splitFrontMatter(plain);
  if ("message" in split) {
    // Front matter may be missing, but not be left open.
    if (/^\s*---[ \t]*\n/.test(plain)) note("error", split.line, split.message);
    else return toEntry({ name, template: plain.trim(), note, ...source });
    return undefined;
  }
  const fields = readYamlFields({ text: split.yaml, firstLine: split.firstLine, note, leniently: [...HONOURED, "model"] });
  if (!fields) return undefined;
  const textOf = (field: string): string | undefined => {
    const value = fields.get(field);
    // `argument-hint: [issue]` is a list to YAML.
    if (Array.isArray(value)) return value.map((item) => `[${String(item)}]`).join(" ");
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  for (const field of fields.names) if (!HONOURED.includes(field)) note("notice", fields.lineOf(field), whyNot(field));
  const agent = textOf("agent");
  const entry = toEntry({ name, template: split.body, note, ...source });
  return (
    entry && {
      ...entry,
      description: textOf("description") ?? entry.description,
      argumentHint: textOf("argument-hint") ?? "",
      ...(agent === undefined ? {} : { agent, agentLine: fields.lineOf("agent") }),
    }
  );
};

const whyNot = (field: string): string => {
  if (field === "allowed-tools")
    return `"allowed-tools" has no effect here: a command gives no rights; whoever carries it out keeps those it has`;
  if (field === "model") return `"model" has no effect here: the session's model carries it out`;
  return `"${field}" has no effect here`;
};

type Named = Pick<CommandEntry, "name" | "template" | "file" | "origin" | "dialect"> & { readonly note: Note };

const toEntry = ({ note, ...named }: Named): CommandEntry | undefined => {
  if (named.template === "") {
    note("error", 1, "it says nothing");
    return undefined;
  }
  const [first = ""] = named.template.split("\n");
  return { ...named, description: first.replace(/^#+\s*/, "").slice(0, LONGEST_DESCRIPTION), argumentHint: "" };
};
