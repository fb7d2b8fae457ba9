/** The one place that knows how a command line becomes a program with arguments, a folder and an environment. */
import { existsSync } from "node:fs";
import { toShellEnvironment } from "@retinue/confine";

export type ShellCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

export const toShellCommand = (command: string, workspace: string): ShellCommand => ({
  file: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
  args: ["-c", command],
  cwd: workspace,
  env: toShellEnvironment(process.env, { workspace }),
});
