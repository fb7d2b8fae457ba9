/** `retinue init`: puts a commented settings file into the workspace. What is there already is left as it is. */
import { RetinueError } from "@retinue/protocol";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { SETTINGS_FILE } from "../settings/retinue-home.ts";
import { toPrintable } from "../terminal/printable.ts";
import { packageFile } from "./package-file.ts";
import type { SessionOptions } from "./session-options.ts";
import { toWorkspace } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";

/** The schema lies beside the agents, so that editors find it without a network. */
const SCHEMA_FILE = "retinue.schema.json";

export const SETTINGS_TEMPLATE = `# yaml-language-server: $schema=./.retinue/${SCHEMA_FILE}
# Settings of Retinue for this project. Your own are in ~/.retinue/retinue.yaml; RETINUE_… variables and flags go over both.
# What is commented out shows the default or an example. \`retinue doctor\` tells what is in force and why.

# The model, as provider/model. Without it, what is reachable is detected: keys in the environment, then local servers.
# model: anthropic/claude-sonnet-5

# Servers besides the known ones. The key itself never stands here: apiKeyEnv names the variable that holds it.
# providers:
#   local:
#     type: openai-compatible
#     baseUrl: http://127.0.0.1:8080/v1
#     apiKeyEnv: LOCAL_API_KEY

# Short names for models.
# models:
#   cheap: deepseek/deepseek-v4-flash

# What a run may use up before it has to hand in what it has.
# limits:
#   iterations: 50
#   durationMs: 600000
#   costUsd: 1

# What acts that are more than reading need: ask, read-only, workspace or all. A project may only narrow it.
# approve: ask

# streamIdleMs: 120000
# retry:
#   attempts: 4
#   maxWaitMs: 60000
#   unreachableMs: 300000
# agent:
#   maxDepth: 3
#   maxConcurrent: 3
#   statsInPrompt: false
`;

const isTaken = (thrown: unknown): boolean => (thrown as NodeJS.ErrnoException).code === "EEXIST";

export const initCommand = async (options: Pick<SessionOptions, "workspace">, { stdout }: Surroundings): Promise<number> => {
  const workspace = toWorkspace(options);
  const file = join(workspace, SETTINGS_FILE);
  const folder = join(workspace, ".retinue");
  const schema = await readFile(packageFile("retinue.schema.json"));
  try {
    // Never through a link that lies there, and never over anything.
    await writeFile(file, SETTINGS_TEMPLATE, { flag: "wx" });
  } catch (thrown) {
    if (isTaken(thrown)) throw new RetinueError("file_exists", `${file} is already there and was left as it is.`);
    throw new RetinueError("usage", `${file} cannot be written.`, {
      hint: "Choose a folder that you may write to.",
      cause: thrown,
    });
  }
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, SCHEMA_FILE), schema, { flag: "wx" });
  } catch (thrown) {
    if (!isTaken(thrown))
      throw new RetinueError("usage", `${folder} cannot be made.`, {
        hint: "Choose a folder that you may write to.",
        cause: thrown,
      });
  }
  await stdout.write(
    `${toPrintable(relative(process.cwd(), file), "line")} is written; everything in it is commented out.\n` +
      "Next:\n" +
      "  retinue doctor                            shows settings, models and tools\n" +
      '  retinue run "what does this project do?"  asks about this folder\n' +
      "  retinue                                   opens the prompt\n",
  );
  return 0;
};
