/** The one folder of all user state: settings, history and what else is the user's and not a project's. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export const SETTINGS_FILE = "retinue.yaml";

export const retinueHome = (env: NodeJS.ProcessEnv): string => {
  const moved = env["RETINUE_HOME"]?.trim();
  return moved ? resolve(moved) : join(env["HOME"] || env["USERPROFILE"] || homedir(), ".retinue");
};
