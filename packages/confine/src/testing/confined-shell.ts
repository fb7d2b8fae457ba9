/** Command lines in the sandbox of this machine, with what they printed, for tests of the walls. */
import type { ToolScope } from "@retinue/runtime";
import { toShellEnvironment } from "../process/shell-environment.ts";
import type { ConfinedEnd, ConfinedRun } from "../sandbox/run-confined.ts";
import { runConfined } from "../sandbox/run-confined.ts";

/** May write the whole workspace and reach every host. */
export const WHOLE: ToolScope = { writes: [], hosts: [], approve: "all" };

export type ShellRun = ConfinedEnd & { readonly output: string };

export const runConfinedShell = async (
  command: string,
  {
    workspace,
    env = {},
    ...options
  }: Partial<ConfinedRun> & { readonly workspace: string; readonly env?: Record<string, string> },
): Promise<ShellRun> => {
  let output = "";
  const run = await runConfined({
    scope: WHOLE,
    ...options,
    workspace,
    command: {
      file: "/bin/bash",
      args: ["-c", command],
      cwd: workspace,
      env: { ...toShellEnvironment(process.env, { workspace }), ...env },
      timeoutMs: 50_000,
      signal: new AbortController().signal,
      onOutput: (chunk) => (output += chunk.toString("utf8")),
    },
  });
  return { ...run, output };
};
