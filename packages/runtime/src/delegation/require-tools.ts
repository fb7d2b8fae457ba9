/** Refuses a list of tools that takes everything away. */
import type { RunSpec } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";

/** Keeps a list of tools from leaving an agent nothing to work with. An agent that has no tools anyway is not held up by a list. */
export const requireTools = (
  { name }: Pick<AgentDefinition, "name">,
  listed: readonly string[] | undefined,
  { left, all }: { readonly left: RunSpec["tools"]; readonly all: () => RunSpec["tools"] },
): void => {
  if (listed === undefined || left.length > 0) return;
  const had = all();
  if (had.length === 0) return;
  throw new RetinueError(
    "tool_unknown",
    `"tools" leaves ${name} nothing to work with: ${listed.length === 0 ? "the list is empty" : `it has none of ${listed.join(", ")}`}. It has: ${had.join(", ")}.`,
    { hint: `Name some of those, or leave "tools" out.` },
  );
};
