/** `retinue skills …` on the command line. */
import { RetinueError } from "@retinue/protocol";
import { closestWord } from "@retinue/protocol/names";
import type { Command } from "commander";
import type { SkillsOptions } from "../skills/read-skills.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

/** Every one of them takes a folder, and tells the same as data. */
const plain = (command: Command): Command =>
  withWorkspace(command, "the folder whose skills are meant").option("--json", "print one JSON object");

export const registerSkills = ({ program, surroundings, act }: Registrar): void => {
  const skills = program
    .command("skills")
    .description("list, show and check skills")
    .helpCommand("help [command]", "show help for a command");

  plain(skills.command("list", { isDefault: true }))
    .description("the skills that agents can load here, and where each comes from")
    .allowExcessArguments()
    .action((options: SkillsOptions, command: Command) =>
      act(async () => {
        const [word] = command.args;
        const names = skills.commands.map((one) => one.name());
        if (word !== undefined)
          throw new RetinueError(
            "usage",
            `There is no command skills ${word}; did you mean ${closestWord(word, names) ?? "list"}?`,
          );
        const { skillsListCommand } = await import("../skills/skills-list-command.ts");
        return skillsListCommand(options, surroundings);
      }),
    );

  plain(skills.command("show").argument("<name>"))
    .description("one skill as agents read it, or why its file is left out")
    .action((name: string, options: SkillsOptions) =>
      act(async () => {
        const { skillsShowCommand } = await import("../skills/skills-show-command.ts");
        return skillsShowCommand(name, options, surroundings);
      }),
    );

  plain(skills.command("check"))
    .description("what is wrong with files of skills, or read and not honoured, line by line")
    .action((options: SkillsOptions) =>
      act(async () => {
        const { skillsCheckCommand } = await import("../skills/skills-check-command.ts");
        return skillsCheckCommand(options, surroundings);
      }),
    );
};
