/** Models that agents name and that cannot be had, each with the reason; none of them is asked anything. */
import type { LoadedAgents } from "@retinue/agents";
import type { Models } from "@retinue/model";
import { toErrorValue } from "@retinue/protocol";

export const findMissingModels = async (
  { agents }: Pick<LoadedAgents, "agents">,
  models: Pick<Models, "resolve">,
): Promise<ReadonlyMap<string, string>> => {
  const named = new Set(
    [...agents.values()].flatMap(({ model, fallbacks }) => [...(model === undefined ? [] : [model]), ...fallbacks]),
  );
  const missing = new Map<string, string>();
  for (const name of named)
    try {
      await models.resolve(name);
    } catch (thrown) {
      // Its first sentence; what there is instead is told where one of them is chosen.
      missing.set(name, toErrorValue(thrown).message.replace(/(?<=[.?]) .*$/s, ""));
    }
  return missing;
};
