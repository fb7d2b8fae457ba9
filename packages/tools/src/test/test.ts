/** `test`: finds the project's tests, runs them by their own runner and tells how many passed and what failed. Counts are the runner's, never guessed. */
import { realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { ErrorValue } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { defineTool, isInside } from "@retinue/runtime";
import { z } from "zod";
import { readPlainFile } from "@retinue/confine";
import { createTemporaryFolder, toModelText } from "@retinue/confine";
import { toToolError } from "@retinue/confine";
import { toAbsolutePath, toShownPath } from "@retinue/confine";
import { OutputSpool } from "@retinue/confine";
import type { CommandEnd } from "@retinue/confine";
import { toShellEnvironment } from "@retinue/confine";
import { createThrottledProgress } from "@retinue/confine";
import type { ConfinementOptions } from "@retinue/confine";
import { isUnsandboxedAllowed, runConfined } from "@retinue/confine";
import { describeCopy } from "../describe-copy.ts";
import { countsInOutput } from "./counts-in-output.ts";
import { describeTests } from "./describe-tests.ts";
import { findRunner } from "./find-runner.ts";
import { TELLING } from "./project.ts";
import type { TestRequest } from "./test-runner.ts";

const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_TIMEOUT_MS = 1_200_000;
const MAX_REPORT_BYTES = 32_000_000;

const INPUT = z.object({
  path: z.string().min(1).optional().describe("A file or folder; default: all."),
  filter: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[^-\0]/, "must not begin with a dash")
    .optional()
    .describe("Part of their names."),
  timeoutMs: z.number().int().min(1).max(MAX_TIMEOUT_MS).optional(),
});

export type TestInput = z.infer<typeof INPUT>;

/** What a shell would be told in its place: rules about any of these are about tests, too. */
const TEST_COMMANDS: readonly string[] = [
  ...["npm", "pnpm", "yarn", "bun"].flatMap((manager) => [`${manager} test`, `${manager} run test`]),
  ...["vitest", "jest", "mocha"].flatMap((runner) => [runner, `npx ${runner}`]),
  "node --test",
  "pytest",
  "python -m pytest",
  "go test",
  "cargo test",
];

/** The folder itself and those above it, as far as the workspace goes. */
const foldersAbove = (named: string): readonly string[] => {
  const parts = path.posix
    .normalize(named)
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..");
  return [".", ...parts.map((_, at) => parts.slice(0, at + 1).join("/"))];
};

export const createTestTool = (options: ConfinementOptions = {}): Tool<TestInput> =>
  defineTool({
    name: "test",
    description: "Runs the project's tests with whatever runner it has, and gives what passed and failed, where and why.",
    input: INPUT,
    effect: "execute",
    timeoutMs: MAX_TIMEOUT_MS + 10_000,
    touches: ({ path: named = "." }) => ({
      paths: [named],
      about: TEST_COMMANDS,
      needsSandbox: true,
      decidedBy: foldersAbove(named).flatMap((folder) => TELLING.map((file) => path.posix.join(folder, file))),
    }),
    execute: async ({ path: named, filter, timeoutMs = DEFAULT_TIMEOUT_MS }, { workspace, scope, signal, progress, act }) => {
      const target = named === undefined ? undefined : await toTarget(workspace, named);
      const from = target === undefined ? workspace : target.isFolder ? target.absolute : path.dirname(target.absolute);
      const { runner, project } = await findRunner(workspace, from);
      const reportFolder = createTemporaryFolder("tests");
      const reportFile = path.join(reportFolder, "report");
      const spool = new OutputSpool();
      const shown = createThrottledProgress(progress);
      const startedAt = performance.now();
      try {
        // The project's own folder says all there is to say.
        const wanted = target?.absolute === project.folder ? undefined : target;
        const command = await runner.toCommand({ project, path: wanted, filter, reportFile });
        const { end, confinement, files } = await runConfined({
          ...options,
          allowUnsandboxed: isUnsandboxedAllowed(options, act),
          workspace,
          scope,
          alsoWritable: [reportFolder],
          command: {
            ...command,
            cwd: project.folder,
            // Runners that would watch or ask do neither.
            env: { ...toShellEnvironment(process.env, { workspace }), CI: "1" },
            timeoutMs,
            signal,
            onOutput: (chunk) => {
              spool.write(chunk);
              shown.add(chunk);
            },
          },
        });
        const output = toOutput(spool);
        const notes = confinement.copy === undefined ? [] : describeCopy(confinement.copy);
        const refused = [...confinement.refusals, ...notes].map((why) => `\n[${why}]`).join("");
        const error = toError(end, runner.name, timeoutMs);
        // What ended too early may have left a report of a part.
        const report = error === undefined ? await runner.toReport({ report: await readReport(reportFile), output }) : undefined;
        // A script that builds first has no report; the summary that its runner prints counts them.
        const counts = report
          ? { run: report.passed + report.failed, passed: report.passed }
          : error === undefined
            ? countsInOutput([command.file, ...command.args].join(" "), output)
            : undefined;
        const text = describeTests({
          workspace,
          projectFolder: project.folder,
          runner: confinement.backend === "none" ? `${runner.name}, not sandboxed` : runner.name,
          end: error?.message ?? toEndText(end),
          isClean: end.type === "exited" && end.exitCode === 0,
          durationMs: performance.now() - startedAt,
          report,
          output,
        });
        return {
          content: [{ type: "text", text: toModelText(text + refused) }],
          sandbox: confinement.sandbox,
          ...(files === undefined ? {} : { files }),
          ...(counts === undefined ? {} : { tests: counts }),
          ...(error === undefined ? {} : { error }),
        };
      } finally {
        shown.flush();
        spool.close();
        await rm(reportFolder, { recursive: true, force: true });
      }
    },
  });

const toError = (end: CommandEnd, runner: string, timeoutMs: number): ErrorValue | undefined => {
  switch (end.type) {
    case "aborted":
      return { code: "cancelled", message: "stopped, with everything it had started" };
    case "timeout":
      return { code: "tool_timeout", message: `${runner} took longer than ${timeoutMs} ms and was ended` };
    case "exited":
      return end.exceeded === undefined ? undefined : { code: "tool_failed", message: `ended because ${end.exceeded}` };
    default:
      return end satisfies never;
  }
};

const toEndText = (end: CommandEnd): string =>
  end.type === "exited" && end.exitCode !== null ? `exit code ${end.exitCode}` : "ended by a signal";

const toTarget = async (workspace: string, named: string): Promise<NonNullable<TestRequest["path"]>> => {
  const absolute = toAbsolutePath(workspace, named);
  const shown = toShownPath(workspace, absolute);
  try {
    const real = await realpath(absolute);
    if (!isInside(workspace, real)) throw new RetinueError("path_outside_workspace", `${shown} is outside the workspace.`);
    return { absolute: real, isFolder: (await stat(real)).isDirectory() };
  } catch (thrown) {
    throw toToolError(thrown, shown);
  }
};

const toOutput = (spool: OutputSpool): string => {
  const { head, tail, omittedBytes } = spool.read();
  return omittedBytes === 0 ? head + tail : `${head}\n[… ${omittedBytes} bytes were not kept …]\n${tail}`;
};

/** Undefined where there is none, or one that is too large to be read. */
const readReport = async (file: string): Promise<string | undefined> => {
  // The tests may have put anything in its place.
  const report = await readPlainFile(file, MAX_REPORT_BYTES);
  return report === undefined || report.length === 0 ? undefined : report.toString("utf8");
};
