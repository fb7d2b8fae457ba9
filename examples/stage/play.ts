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
  /** Agent and tool of each call that was denied because nobody could be asked, as commands of agents with limited rights are where there is no sandbox. */
  readonly denied: readonly string[];
  /** The main run, with those below it. */
  readonly main: TreeNode;
};

export const play = async ({ words, ...options }: PlayOptions): Promise<Played> => {
  const scene = await openScene(options);
  try {
    const { exitCode, stdout, stderr } = await runCommand([...words, "--json"], scene);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RetinueEvent);
    const denied = events.flatMap((event) =>
      event.type === "tool.settled" && event.error?.code === "approval_unavailable" ? [`${event.agent} ${event.tool}`] : [],
    );
    // Nothing else is said beside the events, but where commands run without a sandbox.
    const said = stderr.replace(/^retinue: This machine has no sandbox: .*\n/, "");
    if (denied.length === 0) assert.equal(said, "", said);
    else assert.match(said, new RegExp(`^retinue: ${denied.length} acts? denied: `));
    const main = toTree(events);
    console.log(main.lines().join("\n"));
    scene.assertSpoken();
    return { ...scene, exitCode, events, main, denied };
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
