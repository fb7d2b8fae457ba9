/**
 * `shell`: a command line. The output is a first line in brackets with how it ended, then both outputs as they came; when they are long,
 * beginning and end, with the rest kept as an artifact.
 */
import { existsSync } from "node:fs";
import { RetinueError } from "@retinue/protocol";
import type { Artifacts, Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count, formatBytes, MAX_OUTPUT_CHARS, toModelText } from "./files/output-text.ts";
import type { SpooledOutput } from "./process/output-spool.ts";
import { OutputSpool } from "./process/output-spool.ts";
import type { CommandEnd } from "./process/run-command.ts";
import { runCommand } from "./process/run-command.ts";
import { toShellEnvironment } from "./process/shell-environment.ts";
import { createThrottledProgress } from "./process/throttled-progress.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const HEAD_CHARS = 7000;
const TAIL_CHARS = 7000;

const INPUT = z.object({
  command: z.string().min(1).max(100_000).describe("The command line, run by bash in the workspace."),
  timeoutMs: z
    .number()
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe(`When to end it, ${DEFAULT_TIMEOUT_MS} by default, ${MAX_TIMEOUT_MS} at most.`),
});

export type ShellInput = z.infer<typeof INPUT>;

export const createShellTool = (): Tool<ShellInput> =>
  defineTool({
    name: "shell",
    description:
      "Runs a command line in the workspace and gives its output and exit code. It has no terminal and no input, and everything it " +
      "started ends with it: nothing can be left running in the background.",
    input: INPUT,
    effect: "execute",
    // A little more than a command may ask for, so that its own time is up first.
    timeoutMs: MAX_TIMEOUT_MS + 10_000,
    execute: async ({ command, timeoutMs = DEFAULT_TIMEOUT_MS }, { workspace, signal, artifacts, progress }) => {
      const spool = new OutputSpool();
      const shown = createThrottledProgress(progress);
      try {
        const end = await runCommand({
          ...toShellArgv(command),
          cwd: workspace,
          env: toShellEnvironment(process.env),
          timeoutMs,
          signal,
          onOutput: (chunk) => {
            spool.write(chunk);
            shown.add(chunk);
          },
        });
        if (end.type === "aborted")
          throw new RetinueError("cancelled", "The command was stopped, with everything it had started.");
        const output = await toBoundedText(spool.read(), artifacts);
        if (end.type === "timeout")
          throw new RetinueError("tool_timeout", `[ended after ${timeoutMs} ms, with everything it had started]\n${output}`);
        return `${toStatus(end)}\n${output}`;
      } finally {
        shown.flush();
        spool.close();
      }
    },
  });

/** The one place that knows how a command line becomes a program with arguments. */
const toShellArgv = (command: string): { readonly file: string; readonly args: readonly string[] } => ({
  file: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
  args: ["-c", command],
});

const toStatus = ({ exitCode, signal, leftBehind }: CommandEnd & { readonly type: "exited" }): string => {
  const how = exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
  return `[${how}${leftBehind > 0 ? `; ${count(leftBehind, "background process", "background processes")} ended with it` : ""}]`;
};

const toBoundedText = async ({ head, tail, totalBytes, omittedBytes }: SpooledOutput, artifacts: Artifacts): Promise<string> => {
  if (totalBytes === 0) return "(no output)";
  const gap = omittedBytes === 0 ? "" : `\n\n[... ${formatBytes(omittedBytes)} were not kept ...]\n\n`;
  const text = toModelText(head + gap + tail);
  if (text.length <= MAX_OUTPUT_CHARS - 200) return text;
  const { artifactId, lines } = await artifacts.write(text);
  const note =
    `\n\n[… ${formatBytes(totalBytes)} in all; the middle is left out here. The output (${count(lines, "line")}) is kept as ` +
    `"artifact:${artifactId}": read it in ranges, or search it with grep. …]\n\n`;
  return text.slice(0, HEAD_CHARS).toWellFormed() + note + text.slice(-TAIL_CHARS).toWellFormed();
};
