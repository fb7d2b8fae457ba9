/** The agents that opencode's settings define themselves, under `agent`: each is read like a file of its own. */
import { stringify } from "yaml";
import { isJsonFields, lineOfWord, parseJsonc } from "../jsonc.ts";
import type { Note } from "../problem.ts";
import type { ReadAgent, ReadContext } from "./dialect.ts";
import { BROKEN, readSafely } from "./dialect.ts";
import { readOpencodeAgent } from "./opencode-agent.ts";

export type ConfigContext = Omit<ReadContext, "fallbackName"> & {
  /** Throws what is to be said of it. */
  readonly readPromptFile: (named: string) => Promise<string>;
};

/** None where the settings cannot be read: whoever reads what they forbid says so. */
export const readOpencodeConfig = async (text: string, context: ConfigContext): Promise<readonly ReadAgent[]> => {
  const agents = agentsIn(text);
  return Promise.all(
    Object.entries(agents).map(async ([name, entry]) => {
      const line = lineOfWord(text, name);
      const note: Note = (severity, _, message) => context.note(severity, line, `agent.${name}: ${message}`);
      if (!isJsonFields(entry)) {
        note("error", line, "it is no object");
        return BROKEN;
      }
      const { prompt, ...fields } = entry;
      if (prompt === undefined && entry["description"] === undefined) {
        note("notice", line, "it has no effect here: it changes an agent of opencode's own");
        return BROKEN;
      }
      const body = await readPrompt(prompt, context, note);
      if (body === undefined) return BROKEN;
      const read = readSafely({ ...context, fallbackName: name, note }, (counting) =>
        readOpencodeAgent(`---\n${stringify(fields)}---\n${body}\n`, counting),
      );
      if (read.type === "disabled") return { ...read, line };
      if (read.type === "broken") return read;
      const lines = new Map([...read.draft.lines.keys()].map((field) => [field, line]));
      return { type: "agent", draft: { ...read.draft, lines } };
    }),
  );
};

const agentsIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const { mode, agents, agent } = parseJsonc(text);
    return Object.assign({}, ...[mode, agents, agent].filter(isJsonFields)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
};

/** `{file:./prompts/review.txt}` names a file beside the settings. */
const readPrompt = async (prompt: unknown, { readPromptFile }: ConfigContext, note: Note): Promise<string | undefined> => {
  if (typeof prompt !== "string") return "";
  const [, named] = /^\s*\{file:([^}]+)\}\s*$/.exec(prompt) ?? [];
  if (named === undefined) return prompt;
  try {
    return await readPromptFile(named.trim());
  } catch (thrown) {
    note("error", 1, `its prompt ${named}: ${thrown instanceof Error ? thrown.message : "it cannot be read"}`);
    return undefined;
  }
};
