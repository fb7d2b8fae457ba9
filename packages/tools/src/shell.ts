/**
 * `shell`: a command line, run with no more rights than the run has. The output is a first line in brackets with how it ended and what was
 * kept from it, then both outputs as they came; when they are long, beginning and end, with the rest kept as an artifact.
 */
import path from "node:path";
import type { ErrorValue, FileChanges, TestCounts } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Artifacts, Tool, ToolContext, ToolOutput } from "@retinue/runtime";
import { classifyCommand, defineTool, secretNamesIn } from "@retinue/runtime";
import { z } from "zod";
import { count, formatBytes, MAX_OUTPUT_CHARS, toModelText } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import { digestFile, findTreeChanges } from "@retinue/confine";
import type { SpooledOutput } from "@retinue/confine";
import { OutputSpool } from "@retinue/confine";
import type { CommandEnd } from "@retinue/confine";
import { createThrottledProgress } from "@retinue/confine";
import type { Confinement, ConfinementOptions } from "@retinue/confine";
import { isUnsandboxedAllowed, runConfined } from "@retinue/confine";
import type { FilledLine, SecretValues } from "./fill-secrets.ts";
import { fillSecrets } from "./fill-secrets.ts";
import type { ShellCommand } from "./shell-command.ts";
import { describeCopy } from "./describe-copy.ts";
import { toNames } from "./name-list.ts";
import { toShellCommand } from "./shell-command.ts";
import { countsInOutput } from "./test/counts-in-output.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const HEAD_CHARS = 7000;
const TAIL_CHARS = 7000;

const INPUT = z.object({
  command: z.string().min(1).max(100_000),
  timeoutMs: z.number().int().min(1).max(MAX_TIMEOUT_MS).optional().describe(`Default ${DEFAULT_TIMEOUT_MS}.`),
});

export type ShellInput = z.infer<typeof INPUT>;

export type ShellOptions = ConfinementOptions & {
  /** What `{{secret:NAME}}` may stand for; nothing by default. */
  readonly secrets?: () => SecretValues;
};

const NO_SECRETS: SecretValues = new Map();

export const createShellTool = ({ secrets = () => NO_SECRETS, ...options }: ShellOptions = {}): Tool<ShellInput> =>
  defineTool({
    name: "shell",
    description:
      "Runs a line of bash in the workspace and gives output and exit code: no terminal, no input, and nothing outlives it. Only what you may " +
      "write stays changed; .git is read-only (use git_commit); home and /tmp are empty for each command; localhost is the command itself. " +
      "{{secret:NAME}} is filled in from .env if the user allows it.",
    input: INPUT,
    effect: "execute",
    // A little more than a command may ask for, so that its own time is up first.
    timeoutMs: MAX_TIMEOUT_MS + 10_000,
    touches: ({ command }) => ({ command, needsSandbox: true, secrets: secretNamesIn(command) }),
    execute: async ({ command, timeoutMs = DEFAULT_TIMEOUT_MS }, context) => {
      const { workspace, scope, signal } = context;
      const filled = fillSecrets(command, secrets());
      const isHarmless = classifyCommand(command).type === "harmless";
      const spool = new OutputSpool();
      const shown = createThrottledProgress(context.progress);
      try {
        const { end, confinement, files } = await runConfined({
          ...options,
          allowUnsandboxed: isUnsandboxedAllowed(options, context.act),
          workspace,
          scope,
          beforeStart: () => requireApproved(context),
          // What passed without a question for being harmless gets no chance to be anything else.
          onlyLooks: scope.approve === "workspace" && isHarmless,
          writesNothing: isHarmless,
          command: {
            ...toFilledCommand(filled, workspace),
            timeoutMs,
            signal,
            onOutput: (chunk) => {
              spool.write(chunk);
              shown.add(chunk);
            },
          },
        });
        const status = [toStatus(end, timeoutMs), ...toNotes(confinement, files)].join("; ");
        const refused = confinement.refusals
          .map(
            (why) => `[${why}]
`,
          )
          .join("");
        const output = spool.read();
        const text = `[${status}]
${refused}${await toBoundedText(output, context.artifacts)}`;
        const error = toFailure(end);
        const tests = error === undefined ? countsInOutput(command, output.head + output.tail) : undefined;
        return toOutput(text, { files, sandbox: confinement.sandbox, error, tests });
      } finally {
        shown.flush();
        spool.close();
      }
    },
  });

const toFilledCommand = ({ command, env }: FilledLine, workspace: string): ShellCommand => {
  const plain = toShellCommand(command, workspace);
  return { ...plain, env: { ...plain.env, ...env } };
};

/** A human has allowed the command with the content that its files had then. */
const requireApproved = async ({ workspace, act }: ToolContext): Promise<void> => {
  const changed = new Set<string>();
  for (const { path: file, digest } of act?.scripts ?? [])
    if ((await digestFile(path.resolve(workspace, file))) !== digest) changed.add(file);
  const others = act?.tree === undefined ? undefined : await findTreeChanges(workspace, act.tree);
  if (changed.size === 0 && others === undefined) return;
  for (const file of others ?? []) changed.add(file);
  const what = changed.size === 0 ? "Files of the workspace" : toNames([...changed]);
  throw new RetinueError("act_denied", `Changed after the command was asked about, so that it was not run: ${what}.`, {
    hint: "Call it again to have it asked about as it is now.",
  });
};

/** What a command did before it was ended is told with why it was. */
type Ran = {
  readonly files: FileChanges | undefined;
  readonly sandbox: string;
  readonly error: ErrorValue | undefined;
  /** Where the command ran tests. */
  readonly tests: TestCounts | undefined;
};

const toOutput = (text: string, { files, sandbox, error, tests }: Ran): ToolOutput => ({
  content: [{ type: "text", text }],
  sandbox,
  ...(tests === undefined ? {} : { tests }),
  ...(files === undefined ? {} : { files }),
  ...(error === undefined ? {} : { error }),
});

const toFailure = (end: CommandEnd): ErrorValue | undefined => {
  switch (end.type) {
    case "aborted":
      return { code: "cancelled", message: "The command was stopped, with everything it had started." };
    case "timeout":
      return { code: "tool_timeout", message: "The command took longer than its time and was ended." };
    case "exited":
      return end.exceeded === undefined
        ? undefined
        : { code: "tool_failed", message: `The command was ended because ${end.exceeded}.` };
    default:
      return end satisfies never;
  }
};

const toStatus = (end: CommandEnd, timeoutMs: number): string => {
  switch (end.type) {
    case "aborted":
      return "stopped, with everything it had started";
    case "timeout":
      return `ended after ${timeoutMs} ms, with everything it had started`;
    case "exited": {
      if (end.exceeded !== undefined) return `ended, with everything it had started, because ${end.exceeded}`;
      const how = end.exitCode === null ? `ended by ${end.signal ?? "a signal"}` : `exit code ${end.exitCode}`;
      const left = count(end.leftBehind, "background process", "background processes");
      return end.leftBehind > 0 ? `${how}; ${left} ended with it` : how;
    }
    default:
      return end satisfies never;
  }
};

/** What the reader must know to understand the output. */
const toNotes = (
  { backend, isWaived, hidden, quarantined, quarantine, unchecked, copy }: Confinement,
  files: FileChanges | undefined,
): readonly string[] => [
  ...(copy === undefined ? [] : describeCopy(copy)),
  ...(isWaived ? ["not sandboxed, which the user has waived"] : backend === "none" ? ["not sandboxed"] : []),
  ...(hidden.length > 0 ? [`hidden from it: ${toNames(hidden)}`] : []),
  ...(quarantine === undefined
    ? []
    : [`may not be put there and was moved to ${escapeName(quarantine)}: ${toNames(quarantined)}`]),
  ...(unchecked === undefined
    ? []
    : [
        `whether it made settings or hooks of other programs could not be looked at, and no other command is run until it can: ${unchecked}`,
      ]),
  ...(files === undefined ? ["too many files to measure what it changed"] : []),
];

const toBoundedText = async ({ head, tail, totalBytes, omittedBytes }: SpooledOutput, artifacts: Artifacts): Promise<string> => {
  if (totalBytes === 0) return "(no output)";
  const gap = omittedBytes === 0 ? "" : `\n\n[... ${formatBytes(omittedBytes)} were not kept ...]\n\n`;
  const text = toModelText(head + gap + tail);
  if (text.length <= MAX_OUTPUT_CHARS - 500) return text;
  const { artifactId, lines } = await artifacts.write(text);
  const note =
    `\n\n[… ${formatBytes(totalBytes)} in all; the middle is left out here. The output (${count(lines, "line")}) is kept as ` +
    `"artifact:${artifactId}": read it in ranges, or search it with grep. …]\n\n`;
  return text.slice(0, HEAD_CHARS).toWellFormed() + note + text.slice(-TAIL_CHARS).toWellFormed();
};
