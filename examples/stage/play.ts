/** Plays an example by the real `retinue` command, shows the tree of its runs, and gives back what was recorded. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { RetinueEvent } from "retinue";
import { openScene, RETINUE, type Scene, type SceneOptions } from "./scene.ts";
import { toTree, type TreeNode } from "./tree.ts";

export type PlayOptions = SceneOptions & {
  /** What is typed after `retinue`. */
  readonly words: readonly string[];
};

export type Played = Scene & {
  readonly exitCode: number | null;
  readonly events: readonly RetinueEvent[];
  /** The main run, with those below it. */
  readonly main: TreeNode;
};

export const play = async ({ words, ...options }: PlayOptions): Promise<Played> => {
  const scene = await openScene(options);
  try {
    const { exitCode, stdout, stderr } = await runCommand([...words, "--json"], scene);
    assert.equal(stderr, "", stderr);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RetinueEvent);
    const main = toTree(events);
    console.log(main.lines().join("\n"));
    scene.assertSpoken();
    return { ...scene, exitCode, events, main };
  } catch (thrown) {
    await scene[Symbol.asyncDispose]();
    throw thrown;
  }
};

const runCommand = (
  words: readonly string[],
  { workspace, env }: Scene,
): Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [RETINUE, ...words], { cwd: workspace, env, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
      });
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, ...output }));
  });
