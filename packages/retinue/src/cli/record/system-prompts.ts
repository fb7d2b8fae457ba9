/** The prompts of the roles that took part in a session: what rows of `messages` name by `system_prompt_id`. */
import type { ReadSide, SessionRow, SystemPrompt } from "@retinue/store";
import { toPrintable } from "../../terminal/printable.ts";
import type { Redact } from "../format-error.ts";
import { pagesOf } from "./message-pages.ts";

export const readSystemPrompts = async (
  sessions: Pick<ReadSide, "messages" | "systemPrompt">,
  session: SessionRow,
): Promise<readonly SystemPrompt[]> => {
  const ids = new Set<string>();
  for await (const page of pagesOf(sessions, session)) for (const { system_prompt_id: id } of page) if (id !== null) ids.add(id);
  const prompts = await Promise.all([...ids].map(async (id) => sessions.systemPrompt(id)));
  return prompts.filter((prompt) => prompt !== undefined);
};

export const formatSystemPrompts = (prompts: readonly SystemPrompt[], redact: Redact): readonly string[] =>
  prompts.flatMap(({ id, agent, text }) => [
    toPrintable(redact(`${id} ${agent}`), "line"),
    ...toPrintable(redact(text), "prose")
      .split("\n")
      .map((line) => `  ${line}`.trimEnd()),
    "",
  ]);
