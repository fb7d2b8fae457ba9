/** Cuts generated runs after every event and resumes them: the long form of a test, with more seeds than that has time for. */
import path from "node:path";
import { runNode } from "../../run-node.ts";
import type { Form } from "./form.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const SEEDS = 12;

export const CUT: Form = {
  name: "cut",
  about: "generated runs are cut after every event and resumed: they end equal (the short form is one of the tests)",
  run: async function* ({ full, signal }) {
    if (!full) return;
    const { exitCode, output, durationMs } = await runNode({
      args: ["node_modules/vitest/vitest.mjs", "run", "packages/engine/src/equal-after-cut.test.ts", "--testTimeout=600000"],
      cwd: ROOT,
      env: { ...process.env, CUT_SEEDS: String(SEEDS), NO_COLOR: "1" },
      output: "captured",
      // Its workers are too busy to hear that it was ended.
      group: true,
      signal,
    });
    yield {
      title: "runs cut after every event",
      figures: `${SEEDS} seeds of each family, ${Math.round(durationMs / 1000)} s`,
      // Interrupted, it has found what it had told until then.
      findings: exitCode === 0 || (signal.aborted && !output.includes("FAIL")) ? [] : [output.slice(-4_000)],
    };
  },
};
