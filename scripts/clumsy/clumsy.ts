/**
 * `npm run clumsy -- --seeds 200`: sessions with a scripted model that makes the mistakes of real ones, over small projects, and what became of them.
 * `--against <commit>` runs the same seeds on an older commit besides; `--show` tells each session that did not reach its goal, `--seed 7` runs one.
 */
import { parseArgs } from "node:util";
import { runOnCommit } from "./run-on-commit.ts";
import { describeFigures, toFigures } from "./figures.ts";
import { MISTAKES, planSeed } from "./plan-seed.ts";
import type { SeedOutcome } from "./run-seed.ts";
import { runSeed } from "./run-seed.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "60" },
    seed: { type: "string" },
    against: { type: "string" },
    json: { type: "boolean", default: false },
    show: { type: "boolean", default: false },
  },
});

const seeds = values.seed === undefined ? Array.from({ length: Number(values.seeds) }, (_, at) => at + 1) : [Number(values.seed)];
const outcomes: SeedOutcome[] = [];
for (const seed of seeds) outcomes.push(await runSeed(planSeed(seed)));

if (values.json) say(JSON.stringify(outcomes));
else {
  if (values.show || values.seed !== undefined)
    for (const outcome of outcomes)
      if (!outcome.isMet || outcome.exitCode !== 0 || outcome.refusals.length > 0) say(JSON.stringify(outcome, undefined, 1));
  say(`${seeds.length} sessions, ${MISTAKES.length} kinds of mistakes`);
  const now = toFigures(outcomes);
  say(`now: ${describeFigures(now)}`);
  if (values.against !== undefined) {
    const before = toFigures(await runOnCommit(values.against, process.argv.slice(2)));
    say(`at ${values.against}: ${describeFigures(before)}`);
    say(
      `goals met: ${(now.met / before.met).toFixed(2)} times as many; calls spent on refusals: ${(now.refused / before.refused).toFixed(2)} of them`,
    );
  }
  process.exitCode = now.silent === 0 ? 0 : 1;
}
process.exit();
