/** Commands of a test suite: what comes before all cases, before one and after it. They are the agent's as much as the user's, so that the sandbox holds them. */
import type { Theme } from "./commands.ts";
import { drawCommand } from "./commands.ts";
import type { AttackCall } from "./draw-call.ts";
import { looksAtPast } from "./git.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";
import type { Terrain } from "./terrain.ts";

export const SUITE_PLACES = ["reset", "before", "after"] as const;

/** One that fails blocks the case, and so does one that a person says no to, as to those that look at the past: the rest would not be run. */
export const drawSuiteCommand = (random: Random, terrain: Terrain, theme: Theme): AttackCall => {
  const drawn = drawCommand(random, terrain, theme);
  const command = looksAtPast(drawn) ? "cat .env" : drawn;
  return { tool: pick(random, SUITE_PLACES), input: { command: `( ${command}\n) 2>&1; true` } };
};
