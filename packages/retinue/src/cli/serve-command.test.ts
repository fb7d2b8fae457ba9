/** `retinue serve` as a process of its own: what it prints, what it serves, and how it ends. */
import { createClient } from "@retinue/client";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { Project, Running } from "./testing/spawn-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const open = async (): Promise<Project> => {
  const project = await createProject();
  cleanups.push(project.remove);
  return project;
};

type Told = { readonly url: string; readonly link: string; readonly token: string; readonly pid: number };

const serve = async (
  project: Project,
  words: readonly string[] = [],
): Promise<{ readonly running: Running; readonly told: Told }> => {
  const running = project.start(["serve", "--port", "0", "--json", ...words]);
  const line = await new Promise<string>((resolve, reject) => {
    running.child.stdout.once("data", (text: string) => resolve(text));
    running.ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return { running, told: JSON.parse(line) as Told };
};

test("prints a link with a token, serves the folders that it was given, and ends when it is told to", async () => {
  const project = await open();
  const other = path.join(project.workspace, "other");
  await mkdir(other);
  const { running, told } = await serve(project, [other]);
  expect(told.link).toBe(`${told.url}#token=${told.token}`);
  const client = createClient(told);
  const { workspaces } = await client.listWorkspaces();
  expect(workspaces.map(({ folder, isOffline }) => [folder, isOffline])).toEqual([
    [project.workspace, true],
    [other, true],
  ]);
  const [first] = workspaces;
  if (!first) throw new Error("no folder");
  const { sessionId } = await client.startSession({ body: { workspaceId: first.workspaceId, text: "what is here?" } });
  const feed = client.followSession(sessionId);
  running.child.kill("SIGTERM");
  const { code, stderr } = await running.ended;
  feed.close();
  expect([code, stderr]).toEqual([0, expect.stringContaining("can be resumed")]);
  const shown = await callRetinue(project, ["sessions", "list", "--json"]);
  expect(shown.stdout).toContain(sessionId);
});

test("refuses to be reachable from elsewhere without a password and TLS, and says what is missing", async () => {
  const project = await open();
  const { code, stderr } = await callRetinue(project, ["serve", "--host", "0.0.0.0", "--port", "0"]);
  expect(code).toBe(2);
  expect(stderr).toContain("[server_open_bind]");
  await writeFile(path.join(project.home, "password"), "short\n");
  const short = await callRetinue(project, ["serve", "--password-file", path.join(project.home, "password")]);
  expect([short.code, short.stderr]).toEqual([2, expect.stringContaining("shorter than 12")]);
});

test("a command of an agent serves nothing", { tags: ["long"] }, async () => {
  const project = await open();
  const { code, stderr } = await callRetinue(project, ["serve", "--port", "0"], { RETINUE_COMMAND: "1" });
  expect([code, stderr]).toEqual([2, expect.stringContaining("[answer_refused]")]);
});
