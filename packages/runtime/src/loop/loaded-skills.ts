/**
 * Which skills a run has in its context: those that it loaded itself since it was given its task. One whose text was cleared or summarised away is no longer
 * loaded, and so spares no more questions.
 */
import type { Message } from "@retinue/protocol";
import { toSkillName } from "@retinue/protocol/names";
import { LOAD_SKILL, toSkillHead } from "../policy/skill-head.ts";
import { resolveToolName } from "../policy/tool-names.ts";
import type { RunState } from "../record/run-state.ts";

export const loadedSkills = ({ messages, taskIndex }: Pick<RunState, "messages" | "taskIndex">): readonly string[] => {
  const asked = new Map<string, string>();
  const loaded = new Set<string>();
  for (const message of messages.slice(taskIndex)) {
    if (message.role === "assistant")
      for (const part of message.content)
        if (part.type === "tool-call" && resolveToolName(part.tool) === LOAD_SKILL) {
          const name = nameIn(part.arguments);
          if (name !== undefined) asked.set(part.callId, name);
        }
    const name = message.role === "tool" ? asked.get(message.callId) : undefined;
    if (name !== undefined && isText(message, toSkillHead(name))) loaded.add(name);
  }
  return [...loaded];
};

/** Undefined for a call that looked for skills, or for a file of one: what a file says is not what we say. */
const nameIn = (given: string): string | undefined => {
  try {
    const { name, file, query } = JSON.parse(given) as Readonly<Record<string, unknown>>;
    return typeof name === "string" && file === undefined && query === undefined ? toSkillName(name) : undefined;
  } catch {
    return undefined;
  }
};

const isText = (message: Message, head: string): boolean => {
  const [part] = message.content;
  return message.role === "tool" && !message.isError && part?.type === "text" && part.text.startsWith(`${head}\n`);
};
