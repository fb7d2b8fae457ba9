/**
 * `command_check`: runs a command line with the same rights as `shell`, and says whether it ended, and wrote, as it should. A command that could not be run is no
 * failure of what it was to check.
 */
import type { CheckResult } from "@retinue/protocol/test-case";
import { checkResultSchema, checkSchema, describeCheck, isMatch, matcherSchema } from "@retinue/protocol/test-case";
import type { AnyTool, Tool, ToolOutput } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import type { ShellInput } from "./shell.ts";

const INPUT = z.object({
  run: z.string().min(1).max(100_000).describe("The command line."),
  exit: z.number().int().min(0).max(255).optional().describe("The exit code it must end with; 0 by default."),
  output: matcherSchema.optional().describe("What its output must be."),
  timeoutMs: z.number().int().min(1).max(600_000).optional(),
});

const ENDED = /^\[exit code (\d+)/;
const MOST_SEEN = 400;
/** A little more than a command may ask for. */
const MOST_MS = 620_000;

/** The shell is asked for when it is needed: who makes the tools of a workspace has none before. */
export const createCommandCheckTool = (shell: () => Tool<ShellInput>): AnyTool =>
  defineTool({
    name: "command_check",
    description: "Runs a command line and says whether it ends with the exit code, and writes the output, that is expected.",
    input: INPUT,
    effect: "execute",
    timeoutMs: MOST_MS,
    touches: ({ run, timeoutMs }) => shell().touches?.(toShellInput(run, timeoutMs)) ?? {},
    execute: async (input, context): Promise<ToolOutput> => {
      const { run, exit = 0, output, timeoutMs } = input;
      const made = await shell().execute(toShellInput(run, timeoutMs), context);
      const text = typeof made === "string" ? made : textOf(made);
      const [status = "", ...lines] = text.split("\n");
      const [, code] = ENDED.exec(status) ?? [];
      const written = lines.join("\n") === "(no output)" ? "" : lines.join("\n");
      const result: CheckResult = checkResultSchema.parse({
        status:
          code === undefined ? "unknown" : Number(code) === exit && (!output || isMatch(written, output)) ? "held" : "failed",
        expected: describeCheck(checkSchema.parse({ check: "command", ...input })),
        observed: `${code === undefined ? status : `exit code ${code}`}${written === "" ? "" : `, output: ${cut(written)}`}`,
        scoped: true,
      });
      return {
        ...(typeof made === "string" ? {} : made),
        content: [{ type: "text", text: JSON.stringify(result) }],
        ...(result.status === "held"
          ? {}
          : { error: { code: "tool_failed" as const, message: `Expected that ${result.expected}; seen: ${result.observed}` } }),
      };
    },
  });

const toShellInput = (command: string, timeoutMs: number | undefined): ShellInput => ({
  command,
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

const textOf = ({ content }: Exclude<ToolOutput, string>): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

const cut = (text: string): string => {
  const line = text.trim().replaceAll(/\s*\n\s*/g, " ⏎ ");
  return line.length > MOST_SEEN ? `…${line.slice(-MOST_SEEN)}` : line;
};
