/** The one place that knows how a command line becomes a program with arguments. */
import { existsSync } from "node:fs";

export const toShellArgv = (command: string): { readonly file: string; readonly args: readonly string[] } => ({
  file: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
  args: ["-c", command],
});
