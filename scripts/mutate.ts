/**
 * `npm run mutate`: plants each change of `scripts/mutations/planted/` in a copy of the tree and runs the tests that should notice it. Ends with 1
 * where one survives or cannot be planted any more. `--only purse` tries those of an area (or one, by its name), `--from 12` goes on there.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { MUTATIONS } from "./mutations/planted/index.ts";
import { runMutations } from "./mutations/run-mutations.ts";

const { values } = parseArgs({ options: { only: { type: "string", multiple: true }, from: { type: "string", default: "1" } } });
const from = Number(values.from);
const isChosen = (name: string): boolean =>
  values.only === undefined || values.only.some((only) => name === only || name.startsWith(`${only}/`));
const mutations = MUTATIONS.filter(({ name }) => isChosen(name)).slice(from - 1);
if (!Number.isInteger(from) || from < 1 || mutations.length === 0) {
  process.stderr.write("No planted change is chosen: --only takes an area or a name, --from a number from 1 on.\n");
  process.exit(2);
}
const signal = abortOnSignal();
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { tried, noticed, failures } = await runMutations({
  root: path.dirname(import.meta.dirname),
  mutations,
  signal,
  say,
  firstNumber: from,
});
if (failures.length > 0) say(`\n${failures.join("\n")}`);
say(`${tried} planted, ${noticed} noticed, ${tried - noticed} not.`);
process.exitCode = failures.length === 0 ? 0 : 1;
endIfAborted(signal);
