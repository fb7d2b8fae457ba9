/**
 * Reads the head of a `SKILL.md`: instructions that an agent loads on demand. A skill is no agent, and nothing in it gives a right; `allowed-tools` spares
 * questions about what an agent may do anyway, once somebody trusts it.
 */
import type { Rule } from "@retinue/protocol";
import { toSkillName } from "@retinue/protocol/names";
import { splitFrontMatter } from "./front-matter.ts";
import type { Preapproving } from "./dialects/preapproving-rules.ts";
import { toPreapproving } from "./dialects/preapproving-rules.ts";
import { toToolEntries } from "./dialects/tool-entries.ts";
import type { Note } from "./problem.ts";
import type { YamlFields } from "./yaml-fields.ts";
import { readYamlFields } from "./yaml-fields.ts";

/** A skill as the catalogue lists it; its text is read when it is loaded. */
export type SkillEntry = {
  readonly name: string;
  readonly description: string;
  /** The `SKILL.md`. */
  readonly file: string;
  /** The folder it may refer into. */
  readonly folder: string;
  readonly origin: "user" | "project";
  /** Of a skill that code gave: its instructions; it has no file then. */
  readonly text?: string;
  /** Calls that need not be asked about while it is loaded, as they are written. */
  readonly allowedTools?: readonly string[];
  /** The same as rules. */
  readonly allowed?: readonly Rule[];
};

const LONGEST_DESCRIPTION = 1_024;

const KNOWN = [
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "version",
  "when_to_use",
  "user-invocable",
  "disable-model-invocation",
];

export type SkillSource = {
  readonly text: string;
  readonly file: string;
  readonly folder: string;
  readonly folderName: string;
  readonly origin: "user" | "project";
  readonly note: Note;
};

/** Undefined where it is no skill; why is noted. */
export const readSkillFile = ({ text, file, folder, folderName, origin, note }: SkillSource): SkillEntry | undefined => {
  const split = splitFrontMatter(text);
  if ("message" in split) {
    note("error", split.line, split.message);
    return undefined;
  }
  const fields = readYamlFields({ text: split.yaml, firstLine: split.firstLine, note, leniently: KNOWN });
  if (!fields) return undefined;
  const written = fields.get("name") ?? folderName;
  const description = fields.get("description");
  const name = typeof written === "string" ? toSkillName(written) : undefined;
  if (name === undefined) {
    note(
      "error",
      fields.lineOf("name"),
      `${JSON.stringify(written)} cannot be made the name of a skill: letters, digits and dashes, 64 at most`,
    );
    return undefined;
  }
  if (name !== written) note("notice", fields.lineOf("name"), `its name is "${name}" here`);
  if (typeof description !== "string" || description.trim() === "") {
    note("error", fields.lineOf("description"), `it has no "description", so that no agent can tell when to load it`);
    return undefined;
  }
  if (!fields.has("name")) note("warning", fields.lineOf("name"), `it has no "name"; its folder gives it "${name}"`);
  else if (name !== toSkillName(folderName))
    note("warning", fields.lineOf("name"), `its folder "${folderName}" is not named as it is`);
  if (description.length > LONGEST_DESCRIPTION)
    note(
      "warning",
      fields.lineOf("description"),
      `its description has ${description.length} characters; ${LONGEST_DESCRIPTION} is the most`,
    );
  if (split.body === "") note("warning", split.bodyLine, "it has no instructions after the front matter");
  const allowed = readAllowedTools(fields, origin, note);
  return {
    name,
    description: description.trim(),
    file,
    folder,
    origin,
    ...(allowed === undefined ? {} : { allowedTools: allowed.written, allowed: allowed.rules }),
  };
};

/** Undefined where it names none that counts. */
const readAllowedTools = (fields: YamlFields, origin: SkillEntry["origin"], note: Note): Preapproving | undefined => {
  if (!fields.has("allowed-tools")) return undefined;
  const line = fields.lineOf("allowed-tools");
  const entries = toToolEntries(fields.get("allowed-tools"), (index) => fields.lineOf("allowed-tools", index));
  if (!entries) {
    note("warning", line, `"allowed-tools" is a list of tools, or one text with spaces or commas; it is ignored`);
    return undefined;
  }
  const preapproving = toPreapproving(entries, note);
  if (preapproving.rules.length === 0) return undefined;
  if (origin === "project")
    note("notice", line, `"allowed-tools" spares questions while it is loaded only once this project is trusted (retinue trust)`);
  return preapproving;
};
