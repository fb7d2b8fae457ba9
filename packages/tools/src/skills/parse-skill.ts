/** The front matter and the body of a `SKILL.md`. Of the front matter only name and description count: a skill is text and grants nothing. */
import { parseDocument } from "yaml";
import { z } from "zod";
import { toShownText } from "../mcp/escape-hidden.ts";

export type ParsedSkill = {
  readonly name: string;
  readonly description: string;
  readonly body: string;
};

const FRONT_MATTER = /^---[ \t]*\r?\n(?<yaml>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const MOST_DESCRIPTION_CHARS = 1024;

const frontMatterSchema = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "is lower case letters, digits and single dashes")
    .max(64),
  description: z.string().trim().min(1),
});

/** Throws an Error that says what is wrong. */
export const parseSkill = (text: string): ParsedSkill => {
  const match = FRONT_MATTER.exec(text.replace(/^\uFEFF/, ""));
  if (match === null) throw new Error("it does not begin with front matter between two lines of ---");
  const document = parseDocument(match.groups?.["yaml"] ?? "", { prettyErrors: false });
  const [error] = document.errors;
  if (error) throw new Error(`its front matter is not YAML: ${error.message}`);
  const parsed = frontMatterSchema.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (!parsed.success)
    throw new Error(
      z
        .prettifyError(parsed.error)
        .replaceAll("✖ ", "")
        .replaceAll(/\s*\n\s*/g, " "),
    );
  const { name, description } = parsed.data;
  return {
    name,
    description: toShownText(description.replaceAll(/\s+/g, " "), MOST_DESCRIPTION_CHARS),
    body: text
      .replace(/^\uFEFF/, "")
      .slice(match[0].length)
      .trim(),
  };
};
