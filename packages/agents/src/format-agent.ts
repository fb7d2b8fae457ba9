/** An agent as a file of our own; reading it gives the same agent. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";

const readDefaults = (): Readonly<Record<string, unknown>> => agentFrontMatterSchema.parse({ name: "a", description: "a" });

/** What is as it would be anyway is left out, but for tools, which one wants to see. */
export const formatAgent = ({ prompt, ...frontMatter }: AgentDefinition): string => {
  const defaults = readDefaults();
  const fields = Object.entries(frontMatter).filter(
    ([name, value]) =>
      value !== undefined &&
      (name === "name" || name === "description" || name === "tools" || !isDeepStrictEqual(value, defaults[name])),
  );
  return `---\n${stringify(Object.fromEntries(fields), { lineWidth: 120 })}---\n\n${prompt.trim()}\n`;
};
