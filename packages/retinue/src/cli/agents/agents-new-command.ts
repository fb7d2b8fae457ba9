/** `retinue agents new`: puts the file of a new agent into the project. What is there already is left as it is. */
import { newAgentFile } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import type { SessionOptions } from "../session-options.ts";
import { toWorkspace } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";

export type AgentsNewOptions = Pick<SessionOptions, "workspace"> & { readonly description?: string; readonly json?: boolean };

export const agentsNewCommand = async (
  name: string,
  { description, json, ...options }: AgentsNewOptions,
  { stdout, redact }: Surroundings,
): Promise<number> => {
  const text = newAgentFile(name, description === undefined ? {} : { description });
  const folder = join(toWorkspace(options), ".retinue", "agents");
  const file = join(folder, `${name}.md`);
  try {
    await mkdir(folder, { recursive: true });
    // Never through a link that lies there, and never over anything.
    await writeFile(file, text, { flag: "wx" });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST")
      throw new RetinueError("file_exists", `${file} is already there and was left as it is.`);
    throw new RetinueError("usage", `${file} cannot be written.`, {
      hint: "Choose a folder that you may write to.",
      cause: thrown,
    });
  }
  if (json === true) {
    await stdout.write(`${toJsonLine({ name, file }, redact)}\n`);
    return EXIT.done;
  }
  const spawn = `retinue spawn ${name} "task"`;
  await stdout.write(
    `${toPrintable(relative(process.cwd(), file), "line")} is written; fill in what stands as ….\n` +
      "Next:\n" +
      `  ${"retinue agents check".padEnd(spawn.length)}  tells what is wrong with it\n` +
      `  ${spawn}  runs it\n`,
  );
  return EXIT.done;
};
