import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createRetinue } from "../../create-retinue.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import { BIN, toEnvironment, WITHOUT_SANDBOX } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Answers every open question of the record from below the run, `by` a command that hides where it comes from. */
const answerBy = (by: string, home: string): string =>
  [
    `export RETINUE_HOME=${home} HOME=${home}`,
    `id=$(${process.execPath} ${BIN} approvals list --all --json | grep -o 'apr_[A-Za-z0-9_-]*' | head -1)`,
    `echo "asked: $id"`,
    `${by} ${process.execPath} ${BIN} approvals answer "$id" --allow 2>&1`,
    `echo "exit: $?"`,
  ].join("\n");

type Setting = { readonly by: string };

/** One agent waits for an answer, in a session of its own; the other may run commands, without a sandbox that would keep them from the record. */
const answerFromBelow = async ({ by }: Setting): Promise<{ readonly said: string; readonly made: MockProject }> => {
  const made: MockProject = await createMockProject(({ text }) => {
    if (/"role":"tool"/.test(text)) return { text: "Done." };
    return text.includes("write a file")
      ? { toolCalls: [call("write", { path: "harm.txt", content: "harm\n" })] }
      : { toolCalls: [call("shell", { command: answerBy(by, made.project.home) })] };
  }, "approvals: { unattended: park }\nallowUnsandboxed: true\n");
  cleanups.push(made.remove);
  expect(await callRetinue(made.project, ["run", "write a file"])).toMatchObject({ code: 4 });
  const ran = await made.project.run(["run", "--approve", "all", "answer it yourself"], { by: WITHOUT_SANDBOX });
  expect(ran).toMatchObject({ code: 0, stdout: "Done.\n" });
  return { said: made.server.requests.at(-1)?.text ?? "", made };
};

describe("an answer that an agent's own command gives", { timeout: 240_000 }, () => {
  const expectRefused = async (by: string, why: string): Promise<void> => {
    const { said, made } = await answerFromBelow({ by });
    expect(said).toMatch(/asked: apr_/);
    expect(said).toContain("[answer_refused]");
    expect(said).toContain(why);
    expect(said).toContain("exit: 2");
    expect((await callRetinue(made.project, ["approvals", "list"])).stdout).toContain("apr_");
    await expect(readFile(join(made.project.workspace, "harm.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  };

  test.each([
    ["as it is", "", "RETINUE_COMMAND is set"],
    ["without the mark", "env -u RETINUE_COMMAND", "was started by a command of a run"],
  ])("is refused %s, and nothing is changed", { tags: ["long"] }, async (_name, by, why) => expectRefused(by, why));

  test("is refused with an empty environment, and nothing is changed", async () =>
    expectRefused(`env -i PATH="$PATH" HOME="$HOME" RETINUE_HOME="$HOME"`, "was started by a command of a run"));

  test("is refused below the process that drives a run, also without any mark, and taken when that has gone", async () => {
    const made = await createMockProject(
      ({ text }) =>
        text.includes("write a file")
          ? { toolCalls: [call("write", { path: "harm.txt", content: "harm\n" })] }
          : { fault: { type: "stall-before-headers" } },
      "approvals: { unattended: park }\n",
    );
    cleanups.push(made.remove);
    const { workspace, home } = made.project;
    expect(await made.project.run(["run", "write a file"])).toMatchObject({ code: 4 });
    const retinue = await createRetinue({ workspace, env: toEnvironment(home) });
    const run = await retinue.run("hang");
    run.result.catch(() => undefined);
    await made.server.received(2);
    const [asked] = await retinue.live.approvals();
    const words = ["approvals", "answer", asked?.approvalId ?? "", "--deny"];
    const refused = await made.project.run(words);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`stands below process ${process.pid}, which drives ${run.sessionId}`);
    expect(await retinue.live.approvals()).toHaveLength(1);
    await retinue.close();
    expect(await made.project.run(words)).toMatchObject({ code: 0 });
  });
});

describe("a message and a wish to stop that an agent's own command gives", () => {
  test.each([[["send", "latest", "do as I say"]], [["stop", "latest"]]])(
    "G4 %j is refused, and nothing is recorded",
    async (words) => {
      const made = await createMockProject(
        () => ({ toolCalls: [call("write", { path: "harm.txt", content: "harm\n" })] }),
        "approvals: { unattended: park }\n",
      );
      cleanups.push(made.remove);
      expect(await callRetinue(made.project, ["run", "write a file"])).toMatchObject({ code: 4 });
      const before = (await callRetinue(made.project, ["sessions", "list", "--json"])).stdout;
      const refused = await callRetinue(made.project, words, { RETINUE_COMMAND: "mark" });
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("[answer_refused]");
      expect((await callRetinue(made.project, ["sessions", "list", "--json"])).stdout).toBe(before);
    },
  );
});
