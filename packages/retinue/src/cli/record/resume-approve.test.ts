/** Which approve mode a run continues with: the one it was begun with, and never a wider one than settings and flags set now. */
import { createClient } from "@retinue/client";
import { startMockServer } from "@retinue/model/testing";
import { existsSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { openServer } from "../../serve/open-server.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject, mockSettings } from "../testing/mock-project.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject, toEnvironment } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type LeftOpen = { readonly project: Project; readonly isMade: () => boolean };

/** A run that is left open because its server is away; then the server is there, and the model writes a file. */
const leaveOpen = async (flags: readonly string[]): Promise<LeftOpen> => {
  const gone = await startMockServer({ replies: [] });
  await gone.close();
  const project = await createProject();
  cleanups.push(project.remove);
  await writeFile(join(project.home, "retinue.yaml"), mockSettings(gone.baseUrl));
  expect(await callRetinue(project, ["run", "-q", ...flags, "write it"])).toMatchObject({ code: 1 });
  const server = await startMockServer({
    replies: [{ toolCalls: [call("write", { path: "made.txt", content: "made\n" })] }, { text: "Done." }],
    port: Number(new URL(gone.origin).port),
  });
  cleanups.push(server.close);
  return { project, isMade: () => existsSync(join(project.workspace, "made.txt")) };
};

describe("retinue sessions resume", () => {
  test("continues with the approve mode that the run was begun with, and says so", async () => {
    const { project, isMade } = await leaveOpen(["--approve", "workspace"]);
    const ended = await callRetinue(project, ["sessions", "resume", "latest"]);
    expect(ended).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(ended.stderr).toContain("with --approve workspace, as it was begun.\n");
    expect(isMade()).toBe(true);
  });

  test.each([["-q"], ["--json"], []])("ends with 3 where a stricter mode of now denies an act, with %s", async (...flags) => {
    const { project, isMade } = await leaveOpen(["--approve", "workspace"]);
    const ended = await callRetinue(project, ["sessions", "resume", ...flags, "--approve", "read-only", "latest"]);
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining("1 act denied") as string });
    expect(isMade()).toBe(false);
  });

  test.each<[string, string | undefined, readonly string[]]>([
    ["a setting", "ask", []],
    ["a flag", undefined, ["--approve", "ask"]],
  ])("continues with the stricter mode that %s sets now, and says so also with -q", async (_, setting, flags) => {
    const { project, isMade } = await leaveOpen(["--approve", "workspace"]);
    if (setting !== undefined) await appendFile(join(project.home, "retinue.yaml"), `approve: ${setting}\n`);
    const ended = await callRetinue(project, ["sessions", "resume", "-q", ...flags, "latest"]);
    expect(ended).toMatchObject({ code: 3, stdout: "Done.\n" });
    expect(ended.stderr).toContain(
      "with --approve ask: it was begun with workspace, and settings and flags allow no more now.\n",
    );
    expect(isMade()).toBe(false);
  });

  test("never continues with a wider mode than the run was begun with", async () => {
    const { project, isMade } = await leaveOpen([]);
    const ended = await callRetinue(project, ["sessions", "resume", "--approve", "all", "latest"]);
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.stderr).toContain("with --approve ask, as it was begun.\n");
    expect(isMade()).toBe(false);
  });
});

describe("a run that parked and is answered through a server", () => {
  const WRITE = call("write", { path: "made.txt", content: "made\n" });

  const answer = async (more: string) => {
    const settings = `approvals: { unattended: park }\n${more}`;
    const mock = await createMockProject(
      [{ toolCalls: [call("ask_user", { question: "Which?" })] }, { toolCalls: [WRITE] }, { text: "Done." }],
      settings,
    );
    cleanups.push(mock.remove);
    const { project } = mock;
    expect(await callRetinue(project, ["run", "-q", "--approve", "workspace", "write it"])).toMatchObject({ code: 4 });
    const server = await openServer({ folders: [project.workspace], env: toEnvironment(project.home) });
    cleanups.push(server.close);
    const client = createClient({ url: server.url, token: server.token });
    const [asked] = (await client.listApprovals()).approvals;
    if (!asked) throw new Error("nothing was asked");
    const body = { allowed: true, hash: asked.hash, text: "This one." };
    const answered = await client.answerApproval({ params: asked, body });
    return { project, client, answered, sessionId: asked.sessionId };
  };

  test("continues with the mode it was begun with, which the answer tells", async () => {
    const { project, client, answered, sessionId } = await answer("");
    expect(answered).toEqual({ ok: true, approve: "workspace" });
    await vi.waitFor(
      async () => expect(await client.getSession({ params: { sessionId } })).toMatchObject({ status: "completed" }),
      {
        timeout: 20_000,
      },
    );
    expect(existsSync(join(project.workspace, "made.txt"))).toBe(true);
  });

  test("continues with a stricter mode that the settings set", async () => {
    const { project, client, answered, sessionId } = await answer("approve: ask\n");
    expect(answered).toEqual({ ok: true, approve: "ask" });
    await vi.waitFor(async () => expect((await client.listApprovals({ query: { sessionId } })).approvals).toHaveLength(1), {
      timeout: 20_000,
    });
    expect(existsSync(join(project.workspace, "made.txt"))).toBe(false);
  });
});
