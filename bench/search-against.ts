/**
 * `node bench/search-against.ts <commit> [files] [rounds]`: what `grep` and `read` take on a large tree, beside the same calls of an older commit. Calls alternate, so that
 * whatever else the machine does is felt by both; told is the median of the ratios of calls made one after the other.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { checkOutCommit } from "./older-commit.ts";
import { COMMON, RARE, writeSearchTree } from "./search-tree.ts";

type Tool = { readonly execute: (input: never, context: unknown) => Promise<unknown> };
type Calls = Readonly<Record<string, () => Promise<unknown>>>;

const MOST_SLOWER = 1.1;

const [commit, files = "100000", rounds = "15"] = process.argv.slice(2);
if (commit === undefined) throw new Error("Name the commit to compare with.");

const load = async (bench: string, workspace: string): Promise<Calls> => {
  const source = path.join(path.dirname(bench), "packages", "tools", "src");
  const create = async (file: string, name: string): Promise<Tool> => {
    const module = (await import(pathToFileURL(path.join(source, file)).href)) as Readonly<
      Record<string, (options: object) => Tool>
    >;
    const made = module[name]?.({});
    if (!made) throw new Error(`${file} of ${source} has no ${name}.`);
    return made;
  };
  const [grep, read] = [await create("grep.ts", "createGrepTool"), await create("read.ts", "createReadTool")];
  const context = {
    callId: "call_bench",
    run: { sessionId: "ses_bench", runId: "run_bench", parentRunId: null, depth: 0, agent: "bench" },
    workspace,
    scope: { writes: [], hosts: [], approve: "all" },
    signal: new AbortController().signal,
    timeLeftMs: () => Infinity,
    progress: () => undefined,
    artifacts: { write: async () => ({ artifactId: "art_1", chars: 0, lines: 0 }), read: async () => undefined },
  };
  const call = (tool: Tool, input: object) => () => tool.execute(input as never, context);
  return {
    "grep, a rare word": call(grep, { pattern: RARE }),
    "grep, a word of every line": call(grep, { pattern: COMMON }),
    "read, 50 files": async () => {
      for (let at = 0; at < 50; at += 1) await read.execute({ path: `area${at}/.gitignore` } as never, context);
    },
  };
};

const timed = async (call: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await call();
  return performance.now() - from;
};

const older = checkOutCommit(commit);
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-bench-search-")));
try {
  writeSearchTree(folder, Number(files));
  const [then, now] = [await load(older.bench, folder), await load(import.meta.dirname, folder)];
  let over = 0;
  for (const [what, call] of Object.entries(now)) {
    const before = then[what];
    if (!before) continue;
    const ratios: number[] = [];
    for (let round = -2; round < Number(rounds); round += 1) {
      const isFirst = round % 2 === 0;
      const first = await timed(isFirst ? before : call);
      const second = await timed(isFirst ? call : before);
      if (round >= 0) ratios.push(isFirst ? second / first : first / second);
    }
    const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Infinity;
    if (median > MOST_SLOWER) over += 1;
    console.log(
      `${what.padEnd(30)} ${median.toFixed(2)} of ${commit}, at most ${MOST_SLOWER}${median > MOST_SLOWER ? "  OVER" : ""}`,
    );
  }
  process.exitCode = over === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  older.remove();
}
