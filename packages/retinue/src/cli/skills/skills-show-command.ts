/** `retinue skills show`: one skill as an agent reads it, with the files it brings, or why its file is left out. */
import { RetinueError } from "@retinue/protocol";
import { nearestName } from "@retinue/protocol/names";
import path from "node:path";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import type { Surroundings } from "../surroundings.ts";
import type { FoundSkills, SkillFile, SkillsOptions } from "./read-skills.ts";
import { readSkills } from "./read-skills.ts";

export const skillsShowCommand = async (
  name: string,
  { json, ...options }: SkillsOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, redact } = surroundings;
  const found = await readSkills(options, surroundings);
  const { file, skill, problems } = findSkill(name, found);
  const { readSkillBody } = await import("@retinue/tools");
  const body = skill && (await readSkillBody(skill, found.folder));
  if (json === true) {
    await stdout.write(`${toJsonLine({ skill: skill ?? null, file, body: body ?? null, problems }, redact)}\n`);
    return skill ? EXIT.done : EXIT.failed;
  }
  const lines = [
    skill ? `${skill.name}: ${skill.description}` : `${name} is left out: its file has an error or another one stands before it.`,
    `From ${skill?.origin ?? "the file"}: ${file}`,
    ...(skill?.allowedTools === undefined
      ? []
      : [
          `${
            found.preapproving.has(skill.name)
              ? "While it is loaded, not asked about"
              : "Not in force until this project is trusted (retinue trust)"
          }: ${skill.allowedTools.join(", ")}`,
        ]),
    ...problems.map(({ line, severity, message }) => `${line}: ${severity}: ${message}`),
  ];
  for (const line of lines) await stdout.write(`${toPrintable(redact(line), "line")}\n`);
  if (body !== undefined) await stdout.write(`\n${toPrintable(redact(body), "prose")}\n`);
  return skill ? EXIT.done : EXIT.failed;
};

/** By its name, else by the folder of a file that is left out. */
const findSkill = (name: string, { files }: FoundSkills): SkillFile => {
  const file =
    files.find(({ skill }) => skill?.name === name) ?? files.find((one) => path.basename(path.dirname(one.file)) === name);
  if (file) return file;
  const names = files.map((one) => one.skill?.name ?? path.basename(path.dirname(one.file)));
  const meant = nearestName(name, names);
  throw new RetinueError("skill_unknown", `There is no skill "${name}"${meant === undefined ? "" : `; did you mean ${meant}?`}`, {
    hint: "retinue skills list tells which there are.",
  });
};
