/** `node bench/tree-digest.ts [files]`: what it costs to bind an approval to all files of a workspace, once for the question and once before the run. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { digestTree, findTreeChanges } from "../packages/confine/src/process/tree-digest.ts";

const FOLDERS = 200;
const ROUNDS = 9;
const files = Number(process.argv[2] ?? 10_000);
const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
};

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-bench-")));
try {
  for (let at = 0; at < FOLDERS; at += 1) mkdirSync(path.join(root, `folder${at}`));
  for (let at = 0; at < files; at += 1) writeFileSync(path.join(root, `folder${at % FOLDERS}`, `file${at}.ts`), "x".repeat(500));
  // A tree that was changed just now is waited for, which is not what is measured.
  await delay(100);
  const digest = await digestTree(root);
  const [asked, compared]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    asked.push(await timed(() => digestTree(root)));
    compared.push(await timed(() => findTreeChanges(root, digest)));
  }
  console.log(
    `${files} files: ${median(asked).toFixed(0)} ms for the question, ${median(compared).toFixed(0)} ms before the run`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
