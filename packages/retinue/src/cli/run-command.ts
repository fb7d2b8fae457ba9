/** `retinue run`: one task, for scripts. Text or events to stdout, progress to stderr, and an exit code that tells how it ended. */
import { RetinueError } from "@retinue/protocol";
import type { CommandTask } from "../folder-commands.ts";
import { toPrintable } from "../terminal/printable.ts";
import type { CassetteOptions } from "./cassette.ts";
import { withCassette } from "./cassette.ts";
import { EXIT } from "./exit-code.ts";
import { readTask } from "./read-task.ts";
import { resumeSession } from "./record/resume-session.ts";
import type { SessionOptions } from "./session-options.ts";
import { loadSessionSettings } from "./session-options.ts";
import type { ViewOptions } from "./show-run.ts";
import { toView } from "./show-run.ts";
import type { Surroundings } from "./surroundings.ts";
import { workWith } from "./work-with.ts";

export type RunCommandOptions = SessionOptions &
  ViewOptions &
  CassetteOptions & {
    /** Goes on with the latest session of the workspace. */
    readonly continue?: boolean;
    /** Goes on with this one. */
    readonly session?: string;
    /** … also where a living process works on it. */
    readonly takeOver?: boolean;
  };

export const runCommand = async (
  words: readonly string[],
  options: RunCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdin, stderr, env } = surroundings;
  /** Words of the command line may call a command that is a file; what is piped in never does. */
  const toTask = async (): Promise<CommandTask> => {
    const text = await readTask(words, stdin, stderr.write);
    if (words[0]?.startsWith("/") !== true) return { text };
    const { settings, workspace } = await loadSessionSettings(options, surroundings);
    const { toCommandTask } = await import("../folder-commands.ts");
    return toCommandTask(text, { folder: workspace, settings, env, isStrict: true });
  };
  if (options.continue === true || options.session !== undefined) {
    if (options.continue === true && options.session !== undefined)
      throw new RetinueError("usage", "--continue and --session do not go together.", {
        hint: "--continue goes on with the latest session, --session with the one that is named.",
      });
    // Nothing is read from a pipe unasked: a session that was cut off goes on without a word.
    const task = words.length === 0 ? undefined : (await toTask()).text;
    return resumeSession({ name: options.session, task }, options, surroundings);
  }
  if (options.takeOver === true)
    throw new RetinueError("usage", "--take-over needs a session to take over.", {
      hint: "Name it with --session or --continue.",
    });
  const { settings, workspace, flagged } = await loadSessionSettings(options, surroundings);
  const { text: task, command } = await toTask();
  const context = { workspace, flagModel: options.model, settingsModel: settings.model };
  return withCassette(options, context, surroundings, (cassette) =>
    workWith(
      { workspace, settings, view: toView(options), more: cassette.more },
      surroundings,
      async ({ retinue, signal, show }) => {
        await cassette.note(retinue.model);
        const wanted = options.agent ?? command?.agent;
        const isMissing = options.agent === undefined && wanted !== undefined && !retinue.agents.has(wanted);
        if (isMissing)
          await stderr.write(
            `retinue: /${command?.name} names the agent "${toPrintable(wanted, "line")}", which there is not; main carries it out.\n`,
          );
        const agent = isMissing ? undefined : wanted;
        const run = await retinue.run(task, { signal, ...flagged, ...(agent !== undefined && { agent }) });
        const exitCode = await show(run);
        if (exitCode === EXIT.done) cassette.assertDone();
        return exitCode;
      },
    ),
  );
};
