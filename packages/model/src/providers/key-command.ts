/** A key that a command of the user's prints, such as one of a password manager. It is run once a process, when a model is first asked for. */
import { exec } from "node:child_process";
import { promisify } from "node:util";
import { RetinueError } from "@retinue/protocol";

const run = promisify(exec);
const WAIT_MS = 30_000;
const keys = new Map<string, Promise<string>>();

export const readKeyOf = (provider: string, command: string): Promise<string> => {
  let key = keys.get(command);
  if (key === undefined) {
    key = runKeyCommand(provider, command);
    keys.set(command, key);
    // A command that failed may do so no longer.
    key.catch(() => keys.delete(command));
  }
  return key;
};

/** The keys that commands have printed so far, which are secrets. */
export const printedKeys = async (): Promise<readonly string[]> =>
  (await Promise.allSettled(keys.values())).flatMap((key) => (key.status === "fulfilled" ? [key.value] : []));

const runKeyCommand = async (provider: string, command: string): Promise<string> => {
  try {
    const { stdout } = await run(command, { timeout: WAIT_MS, maxBuffer: 64 * 1024 });
    if (stdout.trim() !== "") return stdout.trim();
  } catch (thrown) {
    // What it printed may hold half of a key: only how it ended is told.
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
    throw new RetinueError("key_missing", `The command of providers.${provider}.apiKeyCommand failed with ${code}.`, {
      hint: "Run it in a terminal; it has to print the key, and nothing besides, to its standard output.",
    });
  }
  throw new RetinueError("key_missing", `The command of providers.${provider}.apiKeyCommand printed nothing.`);
};
