/** `/undo`: shows what taking the latest turn's file changes back would change, asks, and does it. Files that somebody changed since are named and left. */
import { RetinueError } from "@retinue/protocol";
import { count } from "../../cli/amounts.ts";
import { drawDiff } from "../draw/draw-diff.ts";
import { wrapRow } from "../screen/fit-row.ts";
import { row, safeName, span } from "../screen/row.ts";
import type { CommandContext } from "./command-context.ts";
import type { SlashCommand } from "./slash-commands.ts";
import { requireMain, tell } from "./tell.ts";

const MOST_DIFF_ROWS = 40;
const MOST_TASK_CHARS = 60;

export const undo: SlashCommand<CommandContext> = {
  name: "undo",
  takes: "",
  about: "takes the file changes of the latest turn back, after showing them",
  run: async (_, context) => {
    const { retinue, conversation, print, width, redact } = context;
    const { sessionId } = requireMain(context);
    const plan = await retinue.undo.plan(sessionId);
    if (!plan) return tell(context, "No turn of this session has changed a file that is not as before.");
    const left = plan.refused.flatMap(({ file, reason }) =>
      wrapRow(row("  ", span("left ", "waiting"), safeName(redact(file)), span(`: ${reason}`, "dim")), width(), "    "),
    );
    if (plan.files.length === 0) {
      print(left);
      throw new RetinueError("usage", "None of these changes can be taken back.", { hint: "git diff shows what they changed." });
    }
    const diff = plan.files.flatMap((file) => drawDiff(redact(file.diff), width() - 4));
    print([
      ...diff.slice(0, MOST_DIFF_ROWS).map((one) => [span("    "), ...one]),
      ...(diff.length > MOST_DIFF_ROWS ? [[span(`    … ${diff.length - MOST_DIFF_ROWS} more rows`, "dim")]] : []),
      ...left,
    ]);
    const [task = ""] = plan.task.trim().split("\n");
    const which = `${count(plan.files.length, "file")} (${plan.files.map(({ file }) => file).join(", ")})`;
    const yes = "yes, take them back";
    if (!(await context.confirm(`Take the changes of “${task.slice(0, MOST_TASK_CHARS)}” back in ${which}?`, yes)))
      return tell(context, "Nothing was changed.");
    const { done, refused } = await retinue.undo.carryOut(plan);
    if (done.length > 0)
      conversation.choices.note = `The user has taken earlier file changes back; as before are again: ${done.join(", ")}`;
    const more = refused.filter(({ file }) => !plan.refused.some((one) => one.file === file));
    for (const { file, reason } of more) tell(context, `left ${redact(file)}: ${reason}`);
    tell(context, `${count(done.length, "file")} as before: ${redact(done.join(", "))}. The agent is told with the next turn.`);
  },
};
