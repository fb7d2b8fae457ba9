/** `retinue agents remove`: takes away what `agents add` copied; a file that was changed since is left and told. */
import { readAdded, removeAdded } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import { toPrintable } from "../../terminal/printable.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Surroundings } from "../surroundings.ts";
import type { AgentsAddOptions } from "./agents-add-command.ts";
import { toRecordFile, toTarget } from "./agents-add-command.ts";

export const agentsRemoveCommand = async (
  name: string,
  { user = false, json = false, ...options }: Pick<AgentsAddOptions, "workspace" | "user" | "json">,
  { stdout, stderr, env }: Surroundings,
): Promise<number> => {
  const target = await toTarget(user, options, env);
  const recordFile = toRecordFile(env);
  const outcome = await removeAdded(name, { target, recordFile });
  if (!outcome) {
    const there = (await readAdded(recordFile)).filter(({ to }) => to === target).map(({ plugin }) => plugin);
    throw new RetinueError("usage", `Nothing named "${name}" was added to ${target}.`, {
      hint: there.length === 0 ? "Nothing was added there." : `There are: ${there.join(", ")}.`,
    });
  }
  for (const file of outcome.changed)
    await stderr.write(`retinue: left as it is, since it was changed: ${toPrintable(file, "line")}\n`);
  await stdout.write(
    json ? `${JSON.stringify({ target, ...outcome })}\n` : `${count(outcome.removed.length, "file")} removed.\n`,
  );
  return EXIT.done;
};
