/**
 * `npm run attack -- 10000 --seed 7`: lets a hostile model loose on the tools, sheltered from the machine, in as many processes as there are cores, and ends
 * with 1 where it found something. `--user` has root work as somebody who is not, and `--hole <name>` opens a hole in the product first, to show that it is found.
 */
import { parseArgs } from "node:util";
import { HOLES, openHole } from "./holes.ts";
import { isTheme, isTrialKind } from "./plan-trial.ts";
import { attackInParts } from "./attack-in-parts.ts";
import { isSheltered } from "./shelter.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const TOLD_AFTER = 500;
const FOUND = 1;
const NOT_RUN = 2;

const unknown = (word: string): never => {
  throw new Error(`"${word}" is neither a kind of trials nor a theme of theirs.`);
};

const attack = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    options: {
      calls: { type: "string" },
      seed: { type: "string" },
      kind: { type: "string" },
      theme: { type: "string" },
      hole: { type: "string" },
      user: { type: "boolean", default: false },
      show: { type: "boolean", default: false },
      reruns: { type: "string" },
      "calls-per-trial": { type: "string" },
      part: { type: "string" },
    },
    allowPositionals: true,
  });
  const given = values.calls ?? positionals[0] ?? "1000";
  const [index = 0, count = 1] = (values.part ?? "0/1").split("/").map(Number);
  const calls = Math.floor(Number(given) / count) + (index < Number(given) % count ? 1 : 0);
  const hole = HOLES.find(({ name }) => name === values.hole);
  if (values.hole !== undefined && hole === undefined)
    throw new Error(`There is no hole "${values.hole}". There are: ${HOLES.map(({ name }) => name).join(", ")}.`);
  const opened = hole && openHole(hole);
  // Only now, so that the product is loaded with the hole in it.
  const { describeOutcome, runAttack } = await import("./run-attack.ts");
  const seed = Number(values.seed ?? hole?.seed ?? Date.now() % 10_000);
  const kind = values.kind ?? hole?.kind;
  const theme = values.theme ?? hole?.theme;
  say(
    `seed ${seed}, ${calls} calls${kind === undefined ? "" : ` of ${kind} trials`}${theme === undefined ? "" : ` about ${theme}`}${hole === undefined ? "" : `, with the hole "${hole.name}": ${hole.what}`}`,
  );
  const startedAt = performance.now();
  const outcome = await runAttack({
    seed,
    calls,
    part: { index, count },
    onProgress: (done) => {
      if (done % TOLD_AFTER === 0) say(`${done} calls, nothing found so far`);
    },
    ...(values.show ? { onAnswer: (line) => say(line.slice(0, 400)) } : {}),
    ...(values.reruns === undefined ? {} : { mostReruns: Number(values.reruns) }),
    ...(values["calls-per-trial"] === undefined ? {} : { callsPerTrial: Number(values["calls-per-trial"]) }),
    ...(kind === undefined ? {} : { kind: isTrialKind(kind) ? kind : unknown(kind) }),
    ...(theme === undefined ? {} : { theme: isTheme(theme) ? theme : unknown(theme) }),
  });
  opened?.requireUsed();
  say(describeOutcome(outcome));
  say(`${outcome.calls} calls in ${Math.round((performance.now() - startedAt) / 1000)} s: ${outcome.found.length} found`);
  return outcome.found.length === 0 ? 0 : FOUND;
};

const attackSheltered = async (): Promise<number> => {
  try {
    const { exitCode } = await attackInParts(process.argv.slice(2), { onOutput: (text) => process.stdout.write(text) });
    if (exitCode !== null && exitCode < 128) return exitCode;
    say("crashed: what drove the runs was killed from below");
    return FOUND;
  } catch (thrown) {
    say(`The attack was not run: it needs unshare of util-linux for a shelter (${String(thrown)}).`);
    return NOT_RUN;
  }
};

process.exit(await (isSheltered() ? attack() : attackSheltered()));
