import type { RunNode, SessionRow } from "@retinue/store";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import type { MockProject } from "../testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Leaves a trace each time it begins, and ends by itself should nobody end it. */
const COMMAND = "echo once >> effects; echo up; sleep 5";

/** A session whose process was killed in the middle of a shell command. The replies are those to come after it. */
const cutOff = async (replies: Parameters<typeof createMockProject>[0] & readonly unknown[]): Promise<MockProject> => {
  const made = await createMockProject([
    { text: "I run it.", toolCalls: [call("shell", { command: COMMAND })] },
    ...(replies as readonly { readonly text?: string }[]),
  ]);
  cleanups.push(made.remove);
  const running = made.project.start(["run", "--approve", "all", "run the command"]);
  await running.said("stderr", "main: up\n");
  running.child.kill("SIGKILL");
  expect(await running.ended).toMatchObject({ code: null, signal: "SIGKILL" });
  return made;
};

const effects = ({ project }: MockProject): Promise<string> => readFile(join(project.workspace, "effects"), "utf8");

const sessionsOf = async ({ project }: MockProject): Promise<readonly SessionRow[]> =>
  (JSON.parse((await callRetinue(project, ["sessions", "list", "--json"])).stdout) as { sessions: SessionRow[] }).sessions;

describe("after kill -9 in the middle of a tool call", () => {
  test(
    "a session is listed, resumed without doing it twice, verified, replayed, forked and deleted by the real command",
    { tags: ["long"] },
    async () => {
      const made = await cutOff([{ text: "Whether it ran is not known." }, { text: "Another end." }]);
      const { project, server } = made;

      const listed = await project.run(["sessions", "list"]);
      expect(listed.stdout).toMatch(/^ses_\w+ +\S+ +interrupted +1 .* run the command$/m);
      const open = await callRetinue(project, ["replay", "latest", "--speed", "0"]);
      expect(open).toMatchObject({ code: 0, stdout: "I run it.\n" });
      expect(open.stderr).toMatch(/^retinue: the record ends here; retinue sessions resume ses_\w+ goes on\.$/m);
      expect((await callRetinue(project, ["sessions", "export", "latest"])).stdout).toContain(
        "shell: under way where the record ends",
      );

      const resumed = await project.run(["sessions", "resume", "latest"]);
      expect(resumed).toMatchObject({ code: 0, stdout: "Whether it ran is not known.\n" });
      expect(resumed.stderr).toMatch(/^retinue: ses_\w+ continues where it was, with --approve \w+, as it was begun\.$/m);
      expect(resumed.stderr).toMatch(/^main: shell unknown: /m);
      expect(JSON.stringify(server.requests[1]?.body)).toContain("whether it took effect is not known");
      expect(await effects(made)).toBe("once\n");

      const again = await callRetinue(project, ["sessions", "resume", "latest"]);
      expect(again).toMatchObject({ code: 0, stdout: "Whether it ran is not known.\n" });
      expect(again.stderr).toContain("it had ended already");
      expect(server.requests).toHaveLength(2);

      expect(await callRetinue(project, ["sessions", "verify"])).toMatchObject({ code: 0 });
      const replayed = await project.run(["replay", "latest", "--verify"]);
      expect(replayed.stdout).toMatch(/ events verified; the loop would do the same again\n$/);
      expect(replayed.code).toBe(0);

      const [origin] = await sessionsOf(made);
      const fork = await project.run([
        "sessions",
        "fork",
        "latest",
        "--at",
        "6",
        "--model",
        "local/other",
        "and",
        "now",
        "differently",
      ]);
      expect(fork).toMatchObject({ code: 0, stdout: "Another end.\n" });
      const body = JSON.stringify(server.requests[2]?.body);
      for (const part of ['"model":"other"', "run the command", "and now differently"]) expect(body).toContain(part);
      const shown = await callRetinue(project, ["sessions", "show", "latest"]);
      expect(shown.stdout).toMatch(new RegExp(`^forked from ${origin?.sessionId} at event #6$`, "m"));
      expect(await sessionsOf(made)).toHaveLength(2);

      expect(await project.run(["sessions", "delete", "latest", origin?.sessionId ?? "", "--yes"])).toMatchObject({ code: 0 });
      expect(await sessionsOf(made)).toEqual([]);
    },
  );

  test("run --continue goes on where it was", async () => {
    const made = await cutOff([{ text: "I looked: it ran." }]);
    const ended = await made.project.run(["run", "--continue"], { keepInput: true });
    expect(ended).toMatchObject({ code: 0, stdout: "I looked: it ran.\n" });
    expect(await effects(made)).toBe("once\n");
  });

  test("run --continue with a task brings it to its end first; the task is its next turn", { tags: ["long"] }, async () => {
    const made = await cutOff([{ text: "It ran." }, { text: "Thank you, too." }]);
    const ended = await callRetinue(made.project, ["run", "--continue", "thank you"]);
    expect(ended).toMatchObject({ code: 0, stdout: "It ran.\nThank you, too.\n" });
    const last = JSON.stringify(made.server.requests.at(-1)?.body);
    for (const part of ["run the command", "It ran.", "thank you"]) expect(last).toContain(part);
    expect(await sessionsOf(made)).toHaveLength(1);
  });

  test("the prompt takes it up again", { tags: ["long"] }, async () => {
    const made = await cutOff([{ text: "It ran." }, { text: "You are welcome." }]);
    const [session] = await sessionsOf(made);
    const ended = await made.project.run([], { input: `/resume ${session?.sessionId.slice(4, 20)}\nthank you\n` });
    expect(ended).toMatchObject({ code: 0, stdout: "It ran.\nYou are welcome.\n" });
    expect(await effects(made)).toBe("once\n");
  });

  test("a resume that is interrupted ends as cancelled and can be told so", { tags: ["long"] }, async () => {
    const made = await cutOff([{ text: "Beginning and then nothing", deltaChars: 4, fault: { type: "stall", afterBytes: 600 } }]);
    const running = made.project.start(["sessions", "resume", "latest", "--json"]);
    await running.said("stdout", "model.delta");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, signal: null });
    const shown = await callRetinue(made.project, ["sessions", "show", "latest", "--json"]);
    const { tree } = JSON.parse(shown.stdout) as { tree: RunNode[] };
    expect(tree[0]).toMatchObject({ outcome: "cancelled" });
    expect(await callRetinue(made.project, ["sessions", "resume", "latest"])).toMatchObject({ code: 1 });
  });

  test("a model that cannot be had is told before the run is taken up, so that it is not lost", { tags: ["long"] }, async () => {
    const made = await cutOff([{ text: "It ran." }]);
    const before = await readFile(made.settingsFile, "utf8");
    await writeFile(made.settingsFile, before.replace("local:", "other:"));
    expect(await callRetinue(made.project, ["sessions", "resume", "latest"])).toMatchObject({ code: 2 });
    expect((await sessionsOf(made))[0]?.status).toBe("running");
    await writeFile(made.settingsFile, before);
    expect(await callRetinue(made.project, ["sessions", "resume", "latest"])).toMatchObject({ code: 0, stdout: "It ran.\n" });
  });
});
