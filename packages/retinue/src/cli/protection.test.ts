import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { probeSandbox } from "@retinue/confine";
import { afterAll, describe, expect, test } from "vitest";
import type { MockProject } from "./testing/mock-project.ts";
import { call, createMockProject } from "./testing/mock-project.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { WITHOUT_SANDBOX } from "./testing/spawn-retinue.ts";

const isSandboxed = (await probeSandbox()).backend !== "none";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const looks = async (more: string): Promise<MockProject> => {
  const made = await createMockProject(
    [
      {
        toolCalls: [
          call("read", { path: ".env.test" }),
          call("read", { path: ".env" }),
          // Only a sandbox hides a file from a command.
          ...(isSandboxed ? [call("shell", { command: "cat .env.test .env" })] : []),
        ],
      },
      { text: "Looked." },
    ],
    more,
  );
  cleanups.push(made.remove);
  await writeFile(join(made.project.workspace, ".env.test"), "COLOUR=free-green\nTEST_TOKEN=free-canary-1\n");
  await writeFile(join(made.project.workspace, ".env"), "COLOUR=kept-green\nREAL_TOKEN=kept-canary-1\n");
  return made;
};

/** What the model was told of its calls. */
const heard = ({ server }: MockProject): string => server.requests.at(-1)?.text ?? "";

describe("paths that are set free", () => {
  test("are read and seen by commands, and no others", async () => {
    const made = await looks("unprotected: ['.env.test']\n");
    expect((await callRetinue(made.project, ["run", "--approve", "all", "look"])).code).toBe(0);
    expect(heard(made)).toContain("free-canary-1");
    expect(heard(made).split("free-green")).toHaveLength(isSandboxed ? 3 : 2);
    expect(heard(made)).not.toContain("kept-");
    expect(heard(made)).toContain("path_protected");
  });

  test("are not set free by a project that is not trusted, which is said, and are once it is", async () => {
    const made = await looks("");
    await writeFile(join(made.project.workspace, "retinue.yaml"), "unprotected: ['.env.test']\n");
    const ended = await callRetinue(made.project, ["run", "--approve", "all", "look"]);
    expect(ended.stderr).toContain("unprotected is not followed: this project is not trusted");
    expect(heard(made)).not.toContain("free-");

    expect((await callRetinue(made.project, ["trust", "--yes"])).stdout).toContain('{"unprotected":[".env.test"]}');
    const again = await looks("");
    expect((await callRetinue(made.project, ["doctor"])).stdout).toMatch(/unprotected\s+\.env\.test\s+project: /);
    await again.remove();
  });
});

describe("commands of an agent that may not write everything, on a machine without a sandbox", () => {
  const AGENT = "---\nname: scoped\ndescription: Works in one folder.\ntools: [shell]\nwrites: ['src/**']\n---\nWork.\n";

  test.each([
    { more: "", isRun: false },
    { more: "allowUnsandboxed: true\n", isRun: true },
  ])("with $more are run: $isRun", async ({ more, isRun }) => {
    const made = await createMockProject([{ toolCalls: [call("shell", { command: "echo was-run" })] }, { text: "Done." }], more);
    cleanups.push(made.remove);
    await mkdir(join(made.project.home, "agents"), { recursive: true });
    await writeFile(join(made.project.home, "agents/scoped.md"), AGENT);
    await made.project.run(["spawn", "scoped", "--approve", "all", "go"], { by: WITHOUT_SANDBOX });
    expect(heard(made).includes("not sandboxed, which the user has waived")).toBe(isRun);
    expect(heard(made).includes("[exit code 0")).toBe(isRun);
    expect(heard(made).includes("approval_unavailable")).toBe(!isRun);
    expect(heard(made).includes("It would run without a sandbox")).toBe(!isRun);
  });
});
