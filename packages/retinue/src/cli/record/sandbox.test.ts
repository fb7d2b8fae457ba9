import { afterAll, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import { WITHOUT_SANDBOX } from "../testing/spawn-retinue.ts";
import { withoutSandboxLine } from "../testing/without-sandbox-line.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

test("the record tells in which sandbox each command was run, or that there was none, and still replays", async () => {
  const made = await createMockProject(() => ({ text: "" }));
  cleanups.push(made.remove);
  const { project } = made;
  const doctor = await callRetinue(project, ["doctor", "--json"]);
  const { sandbox } = JSON.parse(doctor.stdout) as { readonly sandbox: { readonly backend: string; readonly version?: string } };
  const here = sandbox.backend === "none" ? "none" : `${sandbox.backend} ${sandbox.version}`;
  const ways = [
    { by: [], expected: here },
    { by: WITHOUT_SANDBOX, expected: "none" },
  ];
  for (const { by, expected } of ways) {
    const ran = await createMockProject([{ toolCalls: [call("shell", { command: "echo hi" })] }, { text: "Done." }]);
    cleanups.push(ran.remove);
    const ended = await ran.project.run(["run", "--approve", "all", "--json", "go"], { by });
    expect({ code: ended.code, stderr: withoutSandboxLine(ended.stderr) }).toEqual({ code: 0, stderr: "" });
    const settled = ended.stdout
      .split("\n")
      .filter((line) => line.includes('"tool.settled"'))
      .map((line) => (JSON.parse(line) as { readonly sandbox: string }).sandbox);
    expect(settled).toEqual([expected]);
    expect((await callRetinue(ran.project, ["sessions", "show", "latest"])).stdout).toContain(
      `run in this sandbox: ${expected}\n`,
    );
    const whole = await callRetinue(ran.project, ["sessions", "show", "latest", "--messages"]);
    expect(whole.stdout).toContain(`, sandbox ${expected}`);
    expect((await callRetinue(ran.project, ["replay", "latest", "--verify"])).code).toBe(0);
  }
});
