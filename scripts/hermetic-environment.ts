/**
 * The environment that tests and examples run in: no provider's key or address, no setting, taste in colours or home of the user,
 * so that they cost nothing, leave nothing behind and do the same everywhere.
 */
import path from "node:path";

/** Shared by all, since every home is new and would begin without: a process that is started from the sources is there in a third of the time. */
const COMPILED = path.join(import.meta.dirname, "../node_modules/.cache/retinue-tests");

const LEFT_OUT = /(_API_KEY|_AUTH_TOKEN|_BASE_URL)$|^(OLLAMA_HOST|XDG_\w+_HOME|NO_COLOR|FORCE_COLOR)$|^RETINUE_/;

export const toHermeticEnvironment = (env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !LEFT_OUT.test(name))),
  HOME: home,
  USERPROFILE: home,
  APPDATA: path.join(home, "AppData", "Roaming"),
  LOCALAPPDATA: path.join(home, "AppData", "Local"),
  RETINUE_TEST: "1",
  NODE_COMPILE_CACHE: COMPILED,
});
