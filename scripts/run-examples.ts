/** Runs every example as a process of its own, the way a reader would; an example passes when it ends with 0. */
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { toHermeticEnvironment } from "./hermetic-environment.ts";
import { type NodeEnding, runNode } from "./run-node.ts";

export type ExampleResult = { readonly example: string; readonly failure?: string; readonly output: string };

export type ExampleOptions = { readonly root: string; readonly timeoutMs?: number; readonly signal?: AbortSignal };

/** Files, and folders that hold more than one. */
const EXAMPLES = ["examples/*.ts", "examples/*/example.ts"];

const describeFailure = ({ exitCode, signal, timedOut }: NodeEnding, timeoutMs: number): string | undefined => {
  if (timedOut) return `did not end within ${timeoutMs / 1000} s`;
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === 0 ? undefined : `ended with ${exitCode}`;
};

/** One after the other, in the order of their names. */
export const runExamples = async ({ root, timeoutMs = 60_000, signal }: ExampleOptions): Promise<ExampleResult[]> => {
  const results: ExampleResult[] = [];
  for (const example of globSync(EXAMPLES, { cwd: root }).toSorted()) {
    const home = mkdtempSync(path.join(tmpdir(), "retinue-example-"));
    try {
      const ending = await runNode({
        args: [path.join(root, example)],
        cwd: root,
        env: toHermeticEnvironment(process.env, home),
        output: "captured",
        group: true,
        timeoutMs,
        ...(signal === undefined ? {} : { signal }),
      });
      const failure = describeFailure(ending, timeoutMs);
      results.push({ example, output: ending.output, ...(failure === undefined ? {} : { failure }) });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  return results;
};

if (import.meta.main) {
  const signal = abortOnSignal();
  const results = await runExamples({ root: path.dirname(import.meta.dirname), signal });
  endIfAborted(signal);
  const failed = results.filter((result) => result.failure !== undefined);
  for (const { example, failure, output } of failed) console.error(`${example} ${failure}\n${output}`);
  console.log(`${results.length - failed.length} of ${results.length} examples passed`);
  process.exitCode = results.length > 0 && failed.length === 0 ? 0 : 1;
}
