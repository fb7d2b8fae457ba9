/** `retinue skills check`: what is wrong with files of skills, line by line. Fails where one is left out by an error. */
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Surroundings } from "../surroundings.ts";
import type { SkillsOptions } from "./read-skills.ts";
import { readSkills, toShownFile } from "./read-skills.ts";

export const skillsCheckCommand = async ({ json, ...options }: SkillsOptions, surroundings: Surroundings): Promise<number> => {
  const { stdout, redact } = surroundings;
  const { skills, files, counts, folder } = await readSkills(options, surroundings);
  if (json === true)
    await stdout.write(
      `${toJsonLine({ files: files.map(({ file, skill, problems }) => ({ file, skill: skill?.name ?? null, problems })), counts }, redact)}\n`,
    );
  else {
    const sections = files
      .filter(({ problems }) => problems.length > 0)
      .flatMap(({ file, skill, problems }) => [
        `${toShownFile(file, folder)}${skill ? `: ${skill.name}` : " (left out)"}`,
        ...problems.map(({ line, severity, message }) => `  ${line}  ${severity.padEnd("warning".length)}  ${message}`),
      ]);
    const found = [count(counts.error, "error"), count(counts.warning, "warning"), count(counts.notice, "notice")];
    const summary = `${count(skills.length, "skill")} in ${count(files.length, "file")}: ${found.join(", ")}.`;
    for (const line of [...sections, summary]) await stdout.write(`${toPrintable(redact(line), "line")}\n`);
  }
  return counts.error > 0 ? EXIT.failed : EXIT.done;
};
