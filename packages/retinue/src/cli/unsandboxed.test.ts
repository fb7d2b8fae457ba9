/** Where nothing confines commands and nothing is asked, the start says so on every surface; where a sandbox confines them, nothing is said. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { probeSandbox } from "@retinue/confine";
import { afterAll, describe, expect, test } from "vitest";
import { findUnsandboxed, UNSANDBOXED } from "../host/unsandboxed-notice.ts";
import { serveProject } from "../serve/testing/serve-project.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { createMockProject } from "./testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const hasSandbox = (await probeSandbox()).backend !== "none";
const CASE = "title: A case\nsteps:\n  - action: Say hello\n    expected: It is said\n";

const SURFACES: readonly (readonly [surface: string, words: readonly string[]])[] = [
  ["run", ["run", "--approve", "all", "go"]],
  ["run --json", ["run", "--approve", "all", "--json", "go"]],
  ["spawn", ["spawn", "--approve", "all", "researcher", "go"]],
  ["fanout", ["fanout", "--approve", "all", "researcher", "go"]],
  ["test", ["test", "tests"]],
  ["plan", ["plan", "go", "--approve", "all"]],
  ["the prompt", ["--approve", "all"]],
];

describe("a start with --approve all", () => {
  test.each(SURFACES)(
    "says by %s in one line that commands have all rights, only where there is no sandbox",
    async (_, words) => {
      const made = await createMockProject(() => ({ text: "Done." }));
      cleanups.push(made.remove);
      await mkdir(path.join(made.project.workspace, "tests"));
      await writeFile(path.join(made.project.workspace, "tests", "a.yaml"), CASE);
      const { stderr } = await callRetinue(made.project, words);
      expect(stderr.split("\n").filter((line) => line.includes(UNSANDBOXED))).toHaveLength(hasSandbox ? 0 : 1);
    },
  );

  test("says nothing where each command is asked about", async () => {
    const made = await createMockProject(() => ({ text: "Done." }));
    cleanups.push(made.remove);
    expect((await callRetinue(made.project, ["run", "--approve", "ask", "go"])).stderr).not.toContain(UNSANDBOXED);
  });

  test("says it on the page, too", async () => {
    const served = await serveProject();
    cleanups.push(served.close);
    const { workspaces } = await served.client.listWorkspaces();
    expect(workspaces.map(({ problems }) => problems.filter((problem) => problem === UNSANDBOXED).length)).toEqual([
      hasSandbox ? 0 : 1,
    ]);
  });

  test("finds out by the sandbox of this machine", async () => {
    for (const allowUnsandboxed of [false, true])
      expect(await findUnsandboxed({ allowUnsandboxed })).toBe(hasSandbox ? undefined : UNSANDBOXED);
  });
});
