/** Where an example plays: a copy of its project under git, a home of its own, and a server on the loopback in the place of the model. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { MockRequest } from "@retinue/model/testing";
import { startMockServer } from "@retinue/model/testing";
import { createPrompter, type Part } from "./script.ts";

export type SceneOptions = {
  /** The folder of the example; its `project` is copied. */
  readonly example: string;
  readonly script: readonly Part[];
  /** What the server speaks. */
  readonly protocol?: "openai-compatible" | "anthropic";
};

export type Scene = {
  readonly workspace: string;
  /** With a home whose settings name the server as the model. */
  readonly env: NodeJS.ProcessEnv;
  /** What the model was asked, in order. */
  readonly requests: readonly MockRequest[];
  /** Runs a program in the workspace and gives what it printed. */
  readonly run: (program: string, ...args: readonly string[]) => Promise<string>;
  /** Fails where a part of the script was not spoken. */
  readonly assertSpoken: () => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export const RETINUE = fileURLToPath(new URL("../../packages/retinue/bin/retinue.mjs", import.meta.url));

export const openScene = async ({ example, script, protocol = "openai-compatible" }: SceneOptions): Promise<Scene> => {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-example-")));
  const [workspace, home] = [path.join(root, "project"), path.join(root, "home")];
  await cp(path.join(example, "project"), workspace, { recursive: true });
  await mkdir(home);
  const run = async (program: string, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, [...args], { cwd: workspace })).stdout;
  await run("git", "init", "-q");
  await run("git", "config", "user.name", "You");
  await run("git", "config", "user.email", "you@example.org");
  await run("git", "add", ".");
  await run("git", "commit", "-qm", "the project as it was");

  const prompter = createPrompter(script);
  const server = await startMockServer({ reply: prompter.reply });
  await writeFile(
    path.join(home, "retinue.yaml"),
    [
      "model: played/large",
      "models: { cheap: played/small }",
      `providers: { played: { type: ${protocol}, baseUrl: "${server.baseUrl}", apiKeyEnv: PLAYED_KEY } }`,
      "retry: { attempts: 1 }",
    ].join("\n"),
  );
  const env = { ...process.env, HOME: home, RETINUE_HOME: home, PLAYED_KEY: "none" };
  // The project has agents in place of built-in ones, which whoever works in it has to trust once.
  await promisify(execFile)(process.execPath, [RETINUE, "trust", "--yes"], { cwd: workspace, env });
  return {
    workspace,
    env,
    requests: server.requests,
    run,
    assertSpoken: () => assert.deepEqual(prompter.unread(), []),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
};
