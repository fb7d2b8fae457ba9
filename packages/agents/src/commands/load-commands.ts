/**
 * Finds the commands of a user and of a project in every world's folders. What is found later takes the place of what was found before, but
 * no command of a project that of the user.
 */
import path from "node:path";
import { placesOf } from "@retinue/runtime";
import type { Problem } from "../problem.ts";
import { createNotes } from "../problem.ts";
import { findFiles, readSource } from "../source-files.ts";
import type { CommandDialect, CommandEntry } from "./command-file.ts";
import { readCommandFile } from "./command-file.ts";

export type CommandOptions = {
  /** From the project's root down to the workspace. */
  readonly folders: readonly string[];
  /** The user's folder of Retinue. */
  readonly userDir?: string | undefined;
  readonly homeDir?: string | undefined;
  /** Where other programs keep the user's settings; `.config` in the home by default. */
  readonly configDir?: string | undefined;
};

export type LoadedCommands = {
  readonly commands: ReadonlyMap<string, CommandEntry>;
  /** All files that were read for it, also those that are no command. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
};

type CommandPlace = {
  readonly folder: string;
  readonly dialect: CommandDialect;
  readonly origin: "user" | "project";
  /** Nothing that leads out of here is read. */
  readonly inside?: string;
};

export const loadCommands = async (options: CommandOptions): Promise<LoadedCommands> => {
  const commands = new Map<string, CommandEntry>();
  const problems: Problem[] = [];
  const files: string[] = [];
  for (const { folder, dialect, origin, inside } of toPlaces(options)) {
    const onProblem = (file: string, message: string): void =>
      void problems.push({ file, line: 1, severity: "warning", message });
    for (const { file, relative } of await findFiles({ folder, accepts: isMarkdown, recursively: true, onProblem })) {
      files.push(file);
      const notes = createNotes(file);
      try {
        const text = await readSource(file, inside);
        const command =
          text === undefined ? undefined : readCommandFile({ text, relative, file, origin, dialect, note: notes.note });
        const earlier = command && commands.get(command.name);
        if (earlier?.origin === "user" && origin === "project")
          notes.note(
            "warning",
            1,
            `the user has a command "${earlier.name}" in ${earlier.file}, which is kept; this one is left out`,
          );
        else if (command) commands.set(command.name, Object.freeze(command));
      } catch (thrown) {
        notes.note("error", 1, thrown instanceof Error ? thrown.message : "it cannot be read");
      }
      problems.push(...notes.problems);
    }
  }
  return { commands, files, problems };
};

const isMarkdown = (relative: string): boolean => /\.md$/i.test(relative);

const place = (dialect: CommandDialect, folder: string): CommandPlace => ({ dialect, folder, origin: "user" });

const toPlaces = ({
  folders,
  userDir,
  homeDir,
  configDir = homeDir && path.join(homeDir, ".config"),
}: CommandOptions): readonly CommandPlace[] => {
  const [root] = folders;
  return [
    ...(homeDir === undefined ? [] : [place("claude-code", path.join(homeDir, ".claude", "commands"))]),
    ...(configDir === undefined
      ? []
      : ["command", "commands"].map((name) => place("opencode", path.join(configDir, "opencode", name)))),
    ...(userDir === undefined ? [] : [place("retinue", path.join(userDir, "commands"))]),
    ...folders.flatMap((folder) =>
      placesOf("commands").flatMap(({ dialect, at }): readonly CommandPlace[] =>
        dialect === "any"
          ? []
          : [{ dialect, folder: path.join(folder, at), origin: "project", ...(root === undefined ? {} : { inside: root }) }],
      ),
    ),
  ];
};
