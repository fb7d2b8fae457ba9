/** Which runner a project uses: looked for from where the tests are up to the workspace, the most telling sign first. */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Project } from "./project.ts";
import { readProject } from "./project.ts";
import { cargo } from "./runners/cargo.ts";
import { go } from "./runners/go.ts";
import { jest } from "./runners/jest.ts";
import { mocha } from "./runners/mocha.ts";
import { nodeTest } from "./runners/node-test.ts";
import { pytest } from "./runners/pytest.ts";
import { script } from "./runners/script.ts";
import { unittest } from "./runners/unittest.ts";
import { vitest } from "./runners/vitest.ts";
import type { TestRunner } from "./test-runner.ts";

/** In the order in which they are asked. */
export const TEST_RUNNERS: readonly TestRunner[] = [vitest, jest, mocha, nodeTest, go, cargo, unittest, pytest, script];

export type FoundRunner = { readonly runner: TestRunner; readonly project: Project };

/** `from` is a folder inside the workspace. */
export const findRunner = async (workspace: string, from: string): Promise<FoundRunner> => {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const project = await readProject(folder);
    const runner = TEST_RUNNERS.find((candidate) => candidate.isUsedBy(project));
    if (runner) return { runner, project };
    if (folder === workspace || folder === path.dirname(folder)) break;
  }
  throw new RetinueError("tool_failed", "No tests were found that we know how to run.", {
    hint:
      "Looked for an npm script named test, npm workspaces, vitest, jest, mocha, go.mod, Cargo.toml, pytest, test_*.py, deno.json, bun.lock, and a " +
      "Makefile or justfile with a target test. Name a path inside a project, or run the tests by a shell command.",
  });
};
