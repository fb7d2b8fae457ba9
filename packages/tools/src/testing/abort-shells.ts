/**
 * The orphans of SAFETY §4, 23: shells that start children in every way there is, each aborted at another moment of its life. The judge is
 * the process table afterwards, searched for what only these children have on their command lines.
 */
import { randomInt } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { ConfinementOptions } from "@retinue/confine";
import { createTestWorkspace } from "@retinue/confine/testing";
import { createShellTool } from "../shell.ts";

export type AbortedShells = {
  readonly aborted: number;
  /** Command lines of processes that are still there. */
  readonly left: readonly string[];
};

export const abortShells = async ({
  shells,
  ...options
}: ConfinementOptions & { readonly shells: number }): Promise<AbortedShells> => {
  const shell = createShellTool(options);
  const mark = `7${randomInt(1_000_000_000)}`;
  let aborted = 0;
  for (let number = 0; number < shells; number += 1) {
    await using test = await createTestWorkspace();
    const sleep = `sleep ${mark}.${number}`;
    const command =
      `${sleep} & setsid ${sleep} & (setsid sh -c '${sleep} & ${sleep}' &) ; nohup ${sleep} >/dev/null 2>&1 & ` +
      `(trap '' TERM INT HUP; ${sleep}; ${sleep}) & echo ready; wait; ${sleep}`;
    // Every third before anything runs, every third at its first output, the others a little later.
    const context = {
      ...test.context,
      progress: () => void setTimeout(() => test.stop(new Error("stopped")), number % 3 === 1 ? 0 : number % 20),
    };
    if (number % 3 === 0) setTimeout(() => test.stop(new Error("stopped")), number % 30);
    const outcome = await shell.execute({ command }, context).then(
      (output) => (typeof output === "string" ? undefined : output.error?.code),
      (thrown: { readonly code?: string }) => thrown.code,
    );
    if (outcome === "cancelled") aborted += 1;
  }
  return { aborted, left: await findByCommandLine(`sleep ${mark}`) };
};

/** Command lines of processes that hold a text. */
export const findByCommandLine = async (text: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const line = (await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")).replaceAll("\0", " ").trim();
    if (line.includes(text)) found.push(line);
  }
  return found;
};
