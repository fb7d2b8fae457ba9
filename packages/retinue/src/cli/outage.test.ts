import type { MockReply, MockServer } from "@retinue/model/testing";
import { startMockServer } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import { createMockProject, mockSettings } from "./testing/mock-project.ts";
import type { Project } from "./testing/spawn-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A port that nobody listens at, until `open` starts a server there. */
const awayServer = async (unreachableMs: number): Promise<{ project: Project; open: (text: string) => Promise<MockServer> }> => {
  const gone = await startMockServer({ replies: [] });
  await gone.close();
  const project = await createProject();
  cleanups.push(project.remove);
  await writeFile(
    join(project.home, "retinue.yaml"),
    mockSettings(gone.baseUrl).replace("unreachableMs: 0", `unreachableMs: ${unreachableMs}`),
  );
  return {
    project,
    open: async (text) => {
      const server = await startMockServer({ replies: [{ text }], port: Number(new URL(gone.origin).port) });
      cleanups.push(server.close);
      return server;
    },
  };
};

describe.concurrent("retinue run, while its model cannot be reached", { timeout: 120_000 }, () => {
  test("says so, tries again, and completes when the server is back", async () => {
    const { project, open } = await awayServer(300_000);
    const running = project.start(["run", "hi"]);
    // The first wait was in vain: the server stays away for longer than its retries took.
    await running.said("stderr", "trying again in 2.0 s");
    await open("Back again.");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0, stdout: "Back again.\n" });
    expect(ended.stderr).toMatch(
      /^main: cannot reach local\/any-name, trying again in 1\.0 s, for 300\.0 s at most: local \(127\.0\.0\.1:\d+\) refused the connection; is providers\.local\.baseUrl right\?$/m,
    );
  });

  test("leaves the run open when the time for it is over, says how to go on, and a resume completes it", async () => {
    const { project, open } = await awayServer(100);
    const ended = await callRetinue(project, ["run", "--json", "hi"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^retinue: local\/any-name cannot be reached: .* \[run_left_open\]$/m);
    expect(ended.stderr).toMatch(/^retinue: left open; retinue sessions resume \S+ goes on\.$/m);
    const events = ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RetinueEvent);
    expect(events.some(({ type }) => type === "run.settled")).toBe(false);
    await open("Done after all.");
    const resumed = await callRetinue(project, ["sessions", "resume", "latest"]);
    expect(resumed).toMatchObject({ code: 0, stdout: "Done after all.\n" });
  });

  test("-q says once what is away, which setting names it, and for how long it is waited for", async () => {
    const { project, open } = await awayServer(300_000);
    const running = project.start(["run", "-q", "hi"]);
    await running.said("stderr", "providers.local.baseUrl");
    await open("Back again.");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0, stdout: "Back again.\n" });
    expect(ended.stderr).toMatch(
      /^retinue: Cannot reach local\/any-name: local \(127\.0\.0\.1:\d+\) refused the connection; is providers\.local\.baseUrl right\? Trying again for 300\.0 s\. \[model_unreachable\]\n {2}hint: Nothing listens at http:\/\/127\.0\.0\.1:\d+\/v1\/\S+: start the server, .*\n$/,
    );
  });

  test.each([["test"], ["test", "--json"]])("retinue %s %s says so, too, while it waits", async (...words) => {
    const { project } = await awayServer(300_000);
    await mkdir(join(project.workspace, "tests"));
    await writeFile(join(project.workspace, "tests/a.yaml"), "title: A\nsteps:\n  - action: Look\n    expected: it is there\n");
    const running = project.start(words);
    await running.said("stderr", "Cannot reach local/any-name");
    running.child.kill("SIGINT");
    expect((await running.ended).stderr).toContain("providers.local.baseUrl");
  });

  test("Ctrl-C ends the wait and cancels the run", async () => {
    const { project } = await awayServer(300_000);
    const running = project.start(["run", "hi"]);
    await running.said("stderr", "cannot reach local/any-name");
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toContain("cancelled in");
  });
});

const PASSING: readonly { readonly name: string; readonly fault: NonNullable<MockReply["fault"]>; readonly said: RegExp }[] = [
  {
    name: "asks to be left alone for an hour",
    fault: { type: "status", status: 429, headers: { "retry-after": "3600" } },
    said: /rate limit: .*\[run_left_open\]\n.*In 60 min: retinue sessions resume/,
  },
  {
    name: "refuses the key",
    fault: { type: "status", status: 401 },
    said: /refused the key, which it took before: .*\[run_left_open\]\n.*With a valid key: retinue sessions resume/,
  },
  { name: "gives a web page in place of an answer", fault: { type: "html" }, said: /cannot be reached: .*\[run_left_open\]/ },
];

describe("retinue run, whose provider has answered and then", () => {
  test.each(PASSING)("$name, leaves the run open, and a resume completes it", async ({ fault, said }) => {
    let isBack = false;
    let answers = 0;
    const made = await createMockProject(() => {
      if (answers === 0) {
        answers += 1;
        return { toolCalls: [{ name: "ls", arguments: "{}" }] };
      }
      return isBack ? { text: "Done after all." } : { fault };
    });
    cleanups.push(made.remove);
    const ended = await callRetinue(made.project, ["run", "hi"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(said);
    isBack = true;
    expect(await callRetinue(made.project, ["sessions", "resume", "latest"])).toMatchObject({
      code: 0,
      stdout: "Done after all.\n",
    });
  });
});
