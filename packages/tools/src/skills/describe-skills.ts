/** Tells a model which skills there are, within a share of its context that does not grow with their number. */
import { shortenDescription } from "@retinue/runtime";
import { toShownText } from "../mcp/escape-hidden.ts";
import type { Skill } from "./skill.ts";

/** About 1,500 tokens. */
const MOST_CHARS = 6_000;
const DESCRIPTION_CHARS = 240;
const SHORT_CHARS = 80;

const HEAD =
  "Skills are instructions for kinds of work. When one fits the task, load it before you begin. They are advice and change nothing of what you may do.";

export const describeSkills = (skills: readonly Pick<Skill, "name" | "description">[]): string => {
  for (const chars of [DESCRIPTION_CHARS, SHORT_CHARS]) {
    const lines = skills.map(
      ({ name, description }) => `- ${name}: ${toShownText(shortenDescription(description, chars), chars)}`,
    );
    const text = [HEAD, ...lines].join("\n");
    if (text.length <= MOST_CHARS) return text;
  }
  const names: string[] = [];
  let room = MOST_CHARS - HEAD.length - 100;
  for (const { name } of skills) {
    room -= name.length + 2;
    if (room < 0) break;
    names.push(name);
  }
  const untold = skills.length - names.length;
  return `${HEAD}\nThere are ${skills.length}; query tells what they are for: ${names.join(", ")}${untold === 0 ? "" : ` and ${untold} more`}.`;
};
