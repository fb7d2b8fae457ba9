/** Shares the trials of an attack among processes, each in a shelter of its own, and adds up what they found. */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { ShelteredEnd } from "./shelter.ts";
import { runSheltered } from "./shelter.ts";

const SCRIPT = fileURLToPath(new URL("attack.ts", import.meta.url));
const TOTAL = /^(\d+) calls in \d+ s: (\d+) found$/m;
const MOST_PARTS = 8;

export type PartOptions = {
  readonly onOutput?: (text: string) => void;
  /** How many processes; one for each core where absent, and a single one for a hole. */
  readonly parts?: number;
};

export const attackInParts = async (
  args: readonly string[],
  { onOutput = () => undefined, ...options }: PartOptions = {},
): Promise<ShelteredEnd> => {
  const isOne = ["--hole", "--show", "--part"].some((word) => args.includes(word));
  const count = options.parts ?? (isOne ? 1 : Math.min(MOST_PARTS, availableParallelism()));
  const asUser = args.includes("--user");
  if (count === 1) return runSheltered(SCRIPT, args, { onOutput, asUser });
  const startedAt = performance.now();
  // All of them draw by the same seed.
  const seeded = args.includes("--seed") ? args : [...args, "--seed", String(Date.now() % 10_000)];
  const ends = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      runSheltered(SCRIPT, [...seeded, "--part", `${index}/${count}`], { onOutput, asUser }),
    ),
  );
  const totals = ends.map(({ output }) => TOTAL.exec(output) ?? ["", "0", "0"]);
  const [calls, found] = [1, 2].map((at) => totals.reduce((sum, total) => sum + Number(total[at]), 0));
  const line = `all together: ${calls} calls in ${Math.round((performance.now() - startedAt) / 1000)} s: ${found} found\n`;
  onOutput(line);
  const failed = ends.find(({ exitCode }) => exitCode !== 0);
  return { exitCode: failed === undefined ? 0 : failed.exitCode, output: ends.map(({ output }) => output).join("") + line };
};
