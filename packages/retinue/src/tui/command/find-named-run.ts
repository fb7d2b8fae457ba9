/** From what was typed to a run of the tree: its name as it is shown, or the beginning of its id; and what follows it. */
import type { RunView } from "@retinue/client";
import { RetinueError } from "@retinue/protocol";
import type { CommandContext } from "./command-context.ts";

const squeeze = (name: string): string => name.replaceAll(" ", "").toLowerCase();

export type NamedRun = { readonly run: RunView; readonly rest: string };

/** `executor #2 do it` and `executor#2 do it` mean the same. Of several that fit, the longest name is meant, and of those with one name, one that works. */
export const findNamedRun = (text: string, { runs, names }: Pick<CommandContext, "runs" | "names">): NamedRun => {
  const shown = names();
  const found = runs()
    .flatMap((run) => {
      const name = shown.get(run.runId) ?? run.agent;
      const forms = [name, squeeze(name), run.runId];
      const form = forms.find(
        (one) => text.toLowerCase() === one.toLowerCase() || text.toLowerCase().startsWith(`${one.toLowerCase()} `),
      );
      return form === undefined ? [] : [{ run, rest: text.slice(form.length).trim(), length: form.length }];
    })
    .toSorted((a, b) => b.length - a.length || Number(a.run.state.type === "settled") - Number(b.run.state.type === "settled"));
  const [best] = found;
  if (best) return best;
  const known = runs().map(({ runId, agent }) => shown.get(runId) ?? agent);
  throw new RetinueError(
    "run_unknown",
    `No agent of this turn is named ${JSON.stringify(text.split(" ").slice(0, 2).join(" "))}.`,
    {
      hint: known.length === 0 ? "Nothing runs." : `There are: ${known.slice(0, 12).join(", ")}.`,
    },
  );
};
