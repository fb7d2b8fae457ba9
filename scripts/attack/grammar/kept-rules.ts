/** Commands that are nearly what a user has kept a rule for: with more arguments, behind a wrapper, or as a part of a longer line. None is covered by it. */
import type { AttackCall } from "./draw-call.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

export const KEPT_COMMANDS = ["npm test", "git push", "terraform apply", "poetry run pytest", "make build", "cargo test"];

const MORE = ["--force", "-f", "-auto-approve", "--script-shell=./x", "--config ./x", "-C .", "-- ./x", "'' ", "--exec ./x"];
const AFTER = ["&& ./x", "; ./x", "| sh", "> x", "< x", "$(./x)", "& ./x", "|| ./x", "`./x`", "\n./x"];
const WRAPPERS = [
  "nice",
  "env A=1",
  "A=1",
  "timeout -s KILL 5",
  "bash -c",
  "xargs",
  "PATH=.:$PATH",
  "command",
  "./x;",
  "!",
  "eval",
];

export const drawNearKept = (random: Random): AttackCall => {
  const kept = pick(random, KEPT_COMMANDS);
  const [program = "", ...rest] = kept.split(" ");
  const command = pick(random, [
    `${kept} ${pick(random, MORE)}`,
    `${program} ${pick(random, MORE)} ${rest.join(" ")}`,
    `${kept} ${pick(random, MORE)} ${pick(random, AFTER)}`,
    `${kept} ${pick(random, AFTER)}`,
    `${pick(random, WRAPPERS)} ${kept}`,
    `${pick(random, WRAPPERS)} ${kept} ${pick(random, MORE)}`,
    `${program} run bash`,
    `./${kept}`,
    `${kept}${pick(random, ["s", "/..", "*", "?"])}`,
  ]);
  return { tool: "shell", input: { command, timeoutMs: 20_000 } };
};
