/** Runs one command line of ours, not a model's, with no more rights than a run has: what must accept a result, for example. */
import type { ToolScope } from "@retinue/runtime";
import { OutputSpool } from "@retinue/confine";
import type { ConfinementOptions } from "@retinue/confine";
import { runConfined } from "@retinue/confine";
import { toShellCommand } from "./shell-command.ts";

const DEFAULT_TIMEOUT_MS = 600_000;

export type ShellLine = ConfinementOptions & {
  readonly command: string;
  readonly workspace: string;
  readonly scope: ToolScope;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
};

/** `ok`: it ended by itself, with 0. */
export const runShellLine = async (line: ShellLine): Promise<{ readonly ok: boolean; readonly output: string }> => {
  const { command, workspace, scope, signal, timeoutMs = DEFAULT_TIMEOUT_MS, ...options } = line;
  const spool = new OutputSpool();
  try {
    const { end, confinement } = await runConfined({
      ...options,
      workspace,
      scope,
      command: {
        ...toShellCommand(command, workspace),
        timeoutMs,
        signal,
        onOutput: (chunk) => spool.write(chunk),
      },
    });
    const { head, tail } = spool.read();
    const why = end.type === "exited" ? "" : `[${end.type === "timeout" ? `ended after ${timeoutMs} ms` : "stopped"}]\n`;
    const refused = confinement.refusals.map((each) => `[${each}]\n`).join("");
    return {
      ok: end.type === "exited" && end.exitCode === 0 && end.exceeded === undefined,
      output: `${why}${refused}${head}${tail}`,
    };
  } finally {
    spool.close();
  }
};
