/** `--tools read,grep`: the only tools that a run may use. A name that is none is refused, since it would silently take all away. */
import { resolveToolName } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import { DELEGATE } from "@retinue/runtime";
import type { Retinue } from "../../create-retinue.ts";
import { closestWord, matchesAny } from "@retinue/protocol/names";

export const parseTools = (text: string, { tools, agents }: Pick<Retinue, "tools" | "agents">): readonly string[] => {
  const names = text
    .split(",")
    .filter((name) => name.trim() !== "")
    .map(resolveToolName);
  const known = [...tools.keys(), ...agents.keys(), DELEGATE];
  for (const name of names) {
    if (known.some((tool) => matchesAny([name], tool))) continue;
    throw new RetinueError("usage", `--tools: there is no tool ${name}; did you mean ${closestWord(name, known) ?? "read"}?`, {
      hint: "Name tools as in --tools read,grep; * stands for anything.",
    });
  }
  return names;
};
