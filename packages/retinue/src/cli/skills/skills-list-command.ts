/** `retinue skills list`: which skills agents can load here, and where each comes from. */
import { toJsonLine } from "../../terminal/json-line.ts";
import { cutToWidth } from "../../terminal/text-width.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { toCell } from "../record/to-cell.ts";
import type { Surroundings } from "../surroundings.ts";
import { formatTable, WIDTH } from "../table.ts";
import type { SkillsOptions } from "./read-skills.ts";
import { readSkills, toShownFile } from "./read-skills.ts";

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 120;

export const skillsListCommand = async ({ json, ...options }: SkillsOptions, surroundings: Surroundings): Promise<number> => {
  const { stdout, stderr, redact } = surroundings;
  const { skills, counts, folder } = await readSkills(options, surroundings);
  if (json === true) {
    await stdout.write(`${toJsonLine({ skills, errors: counts.error, warnings: counts.warning }, redact)}\n`);
    return EXIT.done;
  }
  const width = Math.min(stdout.columns() ?? WIDTH, WIDEST);
  const [titles = "", ...lines] = formatTable(
    [{ title: "skill" }, { title: "from" }, { title: "file", isFlexible: true }],
    skills.map(({ name, origin, file }) => [name, origin, toCell(toShownFile(file, folder), redact)]),
  );
  if (skills.length === 0) await stdout.write("There are no skills.\n");
  else await stdout.write(`${titles}\n`);
  for (const [index, line] of lines.entries())
    await stdout.write(`${line}\n${cutToWidth(`    ${toCell(skills[index]?.description ?? "", redact)}`, width)}\n`);
  if (counts.error + counts.warning > 0)
    await stderr.write(
      `retinue: ${count(counts.error, "error")} and ${count(counts.warning, "warning")} in files of skills; retinue skills check tells them.\n`,
    );
  return EXIT.done;
};
