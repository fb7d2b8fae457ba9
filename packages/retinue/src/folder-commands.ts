/** The commands that a user and a project have written as files, and the tasks they become. Files that they name are given only where `read` would give them. */
import type { CommandEntry, Problem } from "@retinue/agents";
import { expandCommand, findProjectFolders, loadCommands } from "@retinue/agents";
import { createSecretCheck, formatBytes, readContextFile } from "@retinue/confine";
import { RetinueError } from "@retinue/protocol";
import { nearestName } from "@retinue/protocol/names";
import { realpath } from "node:fs/promises";
import { retinueHome } from "./settings/retinue-home.ts";
import type { Settings } from "./settings/settings.ts";

export type CommandTask = { readonly text: string; readonly command?: CommandEntry };

export type FolderCommands = {
  readonly commands: ReadonlyMap<string, CommandEntry>;
  readonly problems: readonly Problem[];
  readonly expand: (command: CommandEntry, typed: string) => Promise<string>;
};

export type FolderCommandOptions = {
  readonly folder: string;
  readonly settings: Pick<Settings, "unprotected">;
  readonly env: NodeJS.ProcessEnv;
};

const MOST_FILE_BYTES = 128 * 1024;

export const readFolderCommands = async ({ folder, settings, env }: FolderCommandOptions): Promise<FolderCommands> => {
  const workspace = await realpath(folder);
  const { folders } = await findProjectFolders(workspace, env["HOME"]);
  const { commands, problems } = await loadCommands({
    folders,
    userDir: retinueHome(env),
    homeDir: env["HOME"],
  });
  const isSecret = createSecretCheck(settings.unprotected);
  const readFile = async (named: string): Promise<string> => {
    const { text, size } = await readContextFile({ workspace, named, isSecret, mostBytes: MOST_FILE_BYTES });
    if (size > MOST_FILE_BYTES) throw new Error(`it has ${formatBytes(size)}; read what is needed of it`);
    return text;
  };
  return { commands, problems, expand: (command, typed) => expandCommand(command, typed, readFile) };
};

/** `/name and more`; a path such as `/etc/hosts` is none. */
const CALL = /^\/(\w[\w:.-]*)(?:\s+([\s\S]*))?$/;

export const isCommandCall = (text: string): boolean => CALL.test(text);

/** The task that a text means. One that calls a command which there is not throws where `isStrict`, and else stays as it is. */
export const toCommandTask = async (
  text: string,
  options: FolderCommandOptions & { readonly isStrict: boolean },
): Promise<CommandTask> => {
  const [, name, typed = ""] = CALL.exec(text) ?? [];
  if (name === undefined) return { text };
  const { commands, expand } = await readFolderCommands(options);
  const command = commands.get(name);
  if (command) return { text: await expand(command, typed), command };
  if (!options.isStrict) return { text };
  const meant = nearestName(name, commands.keys());
  throw new RetinueError("usage", `There is no command /${name}${meant === undefined ? "" : `; did you mean /${meant}?`}`, {
    hint:
      commands.size === 0
        ? "Commands are files in .retinue/commands, .claude/commands and .opencode/command; a task that begins with a slash is given with a blank before it."
        : `There are ${[...commands.keys()].slice(0, 20).join(", ")}. A task that begins with a slash is given with a blank before it.`,
  });
};
