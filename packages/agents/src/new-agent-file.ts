/** The text of a new agent file, to be filled in by whoever asked for it. */
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition, AgentFrontMatter } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { isAgentName } from "./agent-name.ts";
import { formatAgent } from "./format-agent.ts";

export type NewAgentOptions = Partial<Omit<AgentFrontMatter, "name">> & { readonly prompt?: string };

const READING = ["read", "ls", "glob", "grep"];

/** Fields that many agents want sooner or later, as comments in the file. */
const SUGGESTED = [
  ["model", "cheap", "provider/model, or a name from models of the settings"],
  ["writes", '["docs/**"]', "the only paths it may write; add write or edit to tools"],
  ["delegates", "[code-search]", "agents that it may start"],
  ["output", "{ type: object }", "a JSON Schema that its result must fit"],
] as const;

export const newAgentFile = (name: string, { prompt, ...fields }: NewAgentOptions = {}): string => {
  if (!isAgentName(name))
    throw new RetinueError(
      "usage",
      `"${name}" is no name of an agent: lower case letters, digits and dashes, beginning with a letter, 64 at most.`,
      {
        hint: "Choose a name such as release-notes.",
      },
    );
  const frontMatter = agentFrontMatterSchema.parse({
    description: templateDescription(name),
    tools: READING,
    limits: { iterations: 20, durationMs: 300_000 },
    ...fields,
    name,
  });
  const text = formatAgent({ ...frontMatter, prompt: prompt ?? template(name) });
  const suggested = SUGGESTED.filter(([field]) => !(field in fields)).map(
    ([field, value, what]) => `${`# ${field}: ${value}`.padEnd(COMMENT_COLUMN)}  # ${what}\n`,
  );
  return text.replace("\n---\n", () => `\n${suggested.join("")}---\n`);
};

const COMMENT_COLUMN = 26;

const templateDescription = (name: string): string => `What ${name} does. Delegate to it when …`;

const PURPOSE = "You do one thing: …";
const ENDING = "Stop when …";

/** The fields in which a new file still says what the template said. */
export const findUnfilled = ({
  name,
  description,
  prompt,
}: Pick<AgentDefinition, "name" | "description" | "prompt">): readonly ("description" | "prompt")[] => [
  ...(description === templateDescription(name) ? (["description"] as const) : []),
  ...(prompt.includes(PURPOSE) || prompt.split("\n").includes(ENDING) ? (["prompt"] as const) : []),
];

const template = (name: string): string =>
  [
    `You are ${name}. ${PURPOSE}`,
    "In this order:",
    "1. Understand what is asked, and what a good result must contain.\n2. Look before you act.\n3. Do it, and no more than was asked.\n4. Check what you did.",
    ENDING,
    "Hand back:",
    "- The result in one or two sentences.\n- The details, with paths and lines.\n- What you did not do or are not sure of.",
  ].join("\n\n");
