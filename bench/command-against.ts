/**
 * `node bench/command-against.ts <commit> [rounds]`: what a sandboxed command takes beside the same command of an older commit. Calls alternate, so that whatever
 * else the machine does is felt by both; told is the median of the differences between calls made one after the other.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createTestWorkspace } from "../packages/confine/src/testing/index.ts";
import { checkOutCommit } from "./older-commit.ts";

type Shell = {
  readonly execute: (input: { readonly command: string }, context: unknown) => Promise<{ readonly sandbox?: string }>;
};

const MOST_MS = 5;
const COMMANDS = ["true", "echo a > made.txt; rm made.txt"];

const [commit, rounds = "41"] = process.argv.slice(2);
if (commit === undefined) throw new Error("Name the commit to compare with.");

const medianOf = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Infinity;

const load = async (bench: string): Promise<Shell> => {
  const file = path.join(path.dirname(bench), "packages", "tools", "src", "shell.ts");
  const { createShellTool } = (await import(pathToFileURL(file).href)) as { createShellTool: () => Shell };
  return createShellTool();
};

const older = checkOutCommit(commit);
try {
  await using test = await createTestWorkspace({ "a.txt": "a\n" });
  const [then, now] = [await load(older.bench), await load(import.meta.dirname)];
  const timed = async (shell: Shell, command: string): Promise<number> => {
    const from = performance.now();
    const { sandbox } = await shell.execute({ command }, test.context);
    if (sandbox === undefined || sandbox === "none")
      throw new Error(`The command ran with the sandbox "${sandbox}"; install bubblewrap.`);
    return performance.now() - from;
  };
  let over = 0;
  for (const command of COMMANDS) {
    const [before, after]: [number[], number[]] = [[], []];
    for (let round = -3; round < Number(rounds); round += 1) {
      const isFirst = round % 2 === 0;
      const first = await timed(isFirst ? then : now, command);
      const second = await timed(isFirst ? now : then, command);
      if (round < 0) continue;
      before.push(isFirst ? first : second);
      after.push(isFirst ? second : first);
    }
    const more = medianOf(after.map((took, at) => took - (before[at] ?? 0)));
    if (!(more <= MOST_MS)) over += 1;
    const figures = `${medianOf(after).toFixed(1)} ms, ${medianOf(before).toFixed(1)} ms at ${commit}`;
    console.log(
      `${command.padEnd(32)} ${more.toFixed(1)} ms more (${figures}), at most ${MOST_MS}${more > MOST_MS ? "  OVER" : ""}`,
    );
  }
  process.exitCode = over === 0 ? 0 : 1;
} finally {
  older.remove();
}
