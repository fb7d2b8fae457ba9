/** The reference of the command line as Markdown, made from the commands themselves. */
import type { Command } from "commander";
import { listCommands, type ListedCommand } from "./list-commands.ts";
import { exampleOf } from "./register/examples.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");

const table = (rows: readonly (readonly [string, string])[]): readonly string[] =>
  rows.length === 0
    ? []
    : ["| | |", "|---|---|", ...rows.map(([name, about]) => `| \`${name.replaceAll("|", "\\|")}\` | ${cell(about)} |`), ""];

const toSection = ({ path, about, usage, arguments: taken, options, below }: ListedCommand): readonly string[] => {
  const example = exampleOf(path);
  return [
    `## \`retinue${path === "" ? "" : ` ${path}`}\``,
    "",
    about === "" ? "" : `${about.charAt(0).toUpperCase()}${about.slice(1)}.`.replace(/\.\.$/, "."),
    "",
    ...(path === "" ? [] : ["```", `retinue ${path} ${usage}`.trimEnd(), "```", ""]),
    ...(below.length === 0 || path === "" ? [] : [`Below it: ${below.map((name) => `\`${name}\``).join(", ")}.`, ""]),
    ...table([
      ...taken.map(({ name, about: what }) => [name, what] as const),
      ...options.map(({ flags, about: what }) => [flags, what] as const),
    ]),
    ...(example === undefined ? [] : ["Example:", "", "```sh", example, "```", ""]),
  ];
};

export const toCommandsReference = (program: Command): string =>
  `${[
    "# Commands",
    "",
    "Made from the commands themselves by `npm run commands-doc`; a test keeps the two equal. `retinue help COMMAND` tells the same in the terminal.",
    "",
    ...listCommands(program).flatMap(toSection),
  ]
    .join("\n")
    .trimEnd()}\n`;
