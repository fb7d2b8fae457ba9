/** A run that `retinue run` began elsewhere, in a process of its own: it is seen live through the server, and its question is answered there. */
import { createClient } from "@retinue/client";
import type { MockReply } from "@retinue/model/testing";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { MockProject } from "../cli/testing/mock-project.ts";
import { createMockProject } from "../cli/testing/mock-project.ts";
import { startInTerminal } from "../cli/testing/in-terminal.ts";
import { toEnvironment } from "../cli/testing/spawn-retinue.ts";
import { openServer } from "./open-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const LONG = { timeout: 40_000, interval: 50 };
const WRITE = { toolCalls: [{ name: "write", arguments: JSON.stringify({ path: "made.txt", content: "by hand\n" }) }] };

const ASK = {
  toolCalls: [{ name: "ask_user", arguments: JSON.stringify({ question: "Which port?", options: ["80", "8080"] }) }],
};

const openBoth = async (settings: string, replies: readonly MockReply[] = [WRITE, { text: "It is written." }]) => {
  const mock: MockProject = await createMockProject(replies, settings);
  cleanups.push(mock.remove);
  const { project } = mock;
  const server = await openServer({ folders: [project.workspace], env: toEnvironment(project.home) });
  cleanups.push(server.close);
  return { project, client: createClient({ url: server.url, token: server.token }) };
};

const waitForQuestion = (client: ReturnType<typeof createClient>) =>
  vi.waitFor(async () => {
    const [asked] = (await client.listApprovals()).approvals;
    if (!asked) throw new Error("nothing waits yet");
    return asked;
  }, LONG);

test("a run that parked and whose process is gone goes on in the server once its question is answered", async () => {
  const { project, client } = await openBoth("approvals: { unattended: park }\n");
  const sessions: string[] = [];
  const all = client.followAll({ onSession: ({ title }) => sessions.push(title) });
  cleanups.push(all.close);
  const running = project.start(["run", "write the file"]);
  const asked = await waitForQuestion(client);
  const feed = client.followSession(asked.sessionId);
  cleanups.push(feed.close);
  expect((await running.ended).code).toBe(4);
  await vi.waitFor(() => expect(feed.store().view.openApprovals.size).toBe(1), LONG);
  await vi.waitFor(() => expect(sessions).toContain("write the file"), LONG);
  await client.answerApproval({ params: asked, body: { allowed: true, hash: asked.hash } });
  await vi.waitFor(() => expect(feed.store().view.roots[0]?.result?.summary).toBe("It is written."), LONG);
  expect(await readFile(path.join(project.workspace, "made.txt"), "utf8")).toBe("by hand\n");
  expect(feed.store().view.approvals.get(asked.approvalId)?.answer?.source?.via).toBe("server");
});

test("a question that is open at a terminal is answered through the server, and the terminal's run goes on", async () => {
  const { project, client } = await openBoth("");
  const terminal = startInTerminal(project, ["run", "write the file"]);
  await terminal.until("made.txt");
  const asked = await waitForQuestion(client);
  const feed = client.followSession(asked.sessionId);
  cleanups.push(feed.close);
  const { driver } = await client.getSession({ params: asked });
  expect(driver?.isSelf).toBe(false);
  await client.answerApproval({ params: asked, body: { allowed: false, hash: asked.hash, reason: "not there" } });
  expect((await terminal.ended).stdout).toContain("It is written.");
  await vi.waitFor(() => expect(feed.store().view.roots[0]?.state.type).toBe("settled"), LONG);
  expect([...(feed.store().view.roots[0]?.calls.values() ?? [])].map(({ outcome }) => outcome)).toEqual(["denied"]);
  // It was driven to its end by the process that began it.
  expect(feed.store().view.roots[0]?.drives).toBe(1);
});

test("what an agent asks at a terminal is answered in words through the server, and never by a bare yes", async () => {
  const { project, client } = await openBoth("", [ASK, { text: "It is served at 8080." }]);
  const terminal = startInTerminal(project, ["run", "serve the shop"]);
  await terminal.until("Your answer, or a number:");
  const asked = await waitForQuestion(client);
  expect(asked.act.question).toEqual({ text: "Which port?", options: ["80", "8080"] });
  const feed = client.followSession(asked.sessionId);
  cleanups.push(feed.close);
  const answer = (body: object) => client.answerApproval({ params: asked, body: { allowed: true, hash: asked.hash, ...body } });
  await expect(answer({})).rejects.toMatchObject({ code: "request_invalid" });
  await answer({ text: "8080" });
  expect((await terminal.ended).stdout).toContain("It is served at 8080.");
  await vi.waitFor(() => expect(feed.store().view.roots[0]?.state.type).toBe("settled"), LONG);
  expect([...(feed.store().view.roots[0]?.calls.values() ?? [])][0]).toMatchObject({
    outcome: "ok",
    content: [{ type: "text", text: "The user answered: 8080" }],
    approval: { answer: { text: "8080", source: { via: "server" } } },
  });
  expect(feed.store().view.roots[0]?.drives).toBe(1);
});
