import type { MockServer } from "@retinue/model/testing";
import { startMockServer } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import { mockSettings } from "./testing/mock-project.ts";
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
