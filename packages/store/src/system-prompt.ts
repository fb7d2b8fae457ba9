/** The prompt of a role, without what one run is told on top of it, and the id that rows of `messages` name it by. */
import type { RecordedEvent, RunSpec } from "@retinue/protocol";
import { hash } from "node:crypto";

export type SystemPrompt = {
  readonly id: string;
  readonly agent: string;
  readonly text: string;
};

type Prompted = Pick<RunSpec, "system" | "roleChars">;

/** Characters are counted as databases count them: a pair of surrogates is one. */
export const toRolePrompt = ({ system, roleChars }: Prompted): string => {
  if (roleChars === undefined) return system;
  const prompt = system.slice(0, roleChars);
  return /[\ud800-\udbff]/.test(prompt) ? Array.from(system).slice(0, roleChars).join("") : prompt;
};

export const toSystemPromptId = (spec: Prompted): string =>
  `sys_${hash("sha256", JSON.stringify(toRolePrompt(spec))).slice(0, 16)}`;

/** Undefined where the event requests no run. */
export const toSystemPrompt = (event: RecordedEvent | undefined): SystemPrompt | undefined =>
  event?.type === "run.requested"
    ? { id: toSystemPromptId(event.spec), agent: event.agent, text: toRolePrompt(event.spec) }
    : undefined;
