import { hostname } from "node:os";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import type { Running } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A process in the middle of a shell command, which ends by itself should nobody end it. */
const beginWork = async (): Promise<MockProject & { readonly running: Running }> => {
  const made = await createMockProject([
    { toolCalls: [call("shell", { command: "echo up; sleep 60" })] },
    { text: "It went on here." },
    { text: "The next turn." },
  ]);
  const running = made.project.start(["run", "--approve", "all", "run the command"]);
  cleanups.push(made.remove, async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  });
  await running.said("stderr", "main: up\n");
  return { ...made, running };
};

type Listed = { readonly sessions: readonly { readonly state: string; readonly status: string; readonly holder?: object }[] };

const listed = async ({ project }: MockProject): Promise<Listed["sessions"]> =>
  (JSON.parse((await callRetinue(project, ["sessions", "list", "--json"])).stdout) as Listed).sessions;

describe("a session that a living process works on", () => {
  test("is shown as running, and refused by name of the process; after its death it is interrupted and resumed at once", async () => {
    const made = await beginWork();
    const { project, running, server } = made;
    const { pid } = running.child;
    expect((await callRetinue(project, ["sessions", "list"])).stdout).toMatch(/ running +1 /);
    expect(await listed(made)).toMatchObject([{ state: "running", holder: { host: hostname(), pid } }]);
    expect((await callRetinue(project, ["sessions", "show", "latest"])).stdout).toContain(`at work in process ${pid} on `);

    for (const words of [
      ["sessions", "resume", "latest"],
      ["run", "--continue"],
      ["run", "--continue", "and then?"],
    ]) {
      const refused = await callRetinue(project, words);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toMatch(new RegExp(`ses_\\w+ is at work in process ${pid} on .+ since 20\\d\\d-.+--take-over`, "s"));
    }
    expect(server.requests).toHaveLength(1);

    running.child.kill("SIGKILL");
    await running.ended;
    expect((await callRetinue(project, ["sessions", "list"])).stdout).toMatch(/ interrupted +1 /);
    expect(await listed(made)).toMatchObject([{ state: "interrupted", status: "running" }]);
    expect(await callRetinue(project, ["sessions", "resume", "latest"])).toMatchObject({ code: 0, stdout: "It went on here.\n" });
    expect(await listed(made)).toMatchObject([{ state: "settled", status: "completed" }]);
  });

  test("goes on elsewhere when it is taken over, and its process can write nothing more", { tags: ["long"] }, async () => {
    const made = await beginWork();
    const { project, running } = made;
    const taken = await callRetinue(project, ["run", "--continue", "--take-over"]);
    expect(taken).toMatchObject({ code: 0, stdout: "It went on here.\n" });
    expect(taken.stderr).toContain(`taken over from process ${running.child.pid}`);
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toContain("lease_lost");
    expect(await listed(made)).toMatchObject([{ state: "settled", status: "completed" }]);
    expect(await callRetinue(project, ["sessions", "verify"])).toMatchObject({ code: 0 });
  });

  test("is not deleted, unless it is forced, and its process can write nothing more then", { tags: ["long"] }, async () => {
    const made = await beginWork();
    const { project, running } = made;
    const refused = await callRetinue(project, ["sessions", "delete", "latest", "--yes"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/at work in process \d+ on .+\[session_running\].+--force deletes it/s);
    expect(await listed(made)).toMatchObject([{ state: "running" }]);
    const forced = await callRetinue(project, ["sessions", "delete", "latest", "--yes", "--force"]);
    expect(forced).toMatchObject({ code: 0 });
    expect(await listed(made)).toEqual([]);
    running.child.kill("SIGINT");
    await running.ended;
    expect(await listed(made)).toEqual([]);
    expect(await callRetinue(project, ["sessions", "verify"])).toMatchObject({ code: 0 });
  });

  test("is named when something is to be taken over", async () => {
    const made = await createMockProject([]);
    cleanups.push(made.remove);
    expect(await callRetinue(made.project, ["run", "--take-over", "a task"])).toMatchObject({ code: 2 });
  });
});
