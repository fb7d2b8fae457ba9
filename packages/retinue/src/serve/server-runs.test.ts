/** What a person does through the server: ask, watch nested agents, answer, stop one, go on, fork, search. Only the model is played. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import type { SessionFeed } from "@retinue/client";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { serveProject, type ServedProject, type ServeProjectOptions } from "./testing/serve-project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const open = async (options: ServeProjectOptions): Promise<ServedProject> => {
  const project = await serveProject(options);
  cleanups.push(project.close);
  return project;
};

const taskOf = ({ messages }: ModelRequest): string => {
  const [first] = messages[0]?.content ?? [];
  return first?.type === "text" ? (first.text.split("\n")[0] ?? "") : "";
};
const keyed = (turns: Readonly<Record<string, readonly ScriptedTurn[]>>) => ({ key: taskOf, turns });
const call = (tool: string, input: Record<string, string>): ScriptedTurn => ({ toolCalls: [{ tool, input }] });

const follow = (project: ServedProject, sessionId: `ses_${string}`): SessionFeed => {
  const feed = project.client.followSession(sessionId);
  cleanups.push(feed.close);
  return feed;
};
const rootOf = (feed: SessionFeed) => feed.store().view.roots.at(-1);

const LONG = { timeout: 20_000, interval: 20 };

describe("a session through the server", () => {
  test("streams what the model says while it says it, and the whole once it has answered", async () => {
    const [begin, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const project = await open({
      script: [{ text: "Good morning, all.", chunkSize: 4, before: begin.promise, beforeAnswer: go.promise }],
    });
    const { client, workspaceId } = project;
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "greet" } });
    const feed = follow(project, sessionId);
    await vi.waitFor(() => expect(rootOf(feed)?.steps[0]?.state).toBe("asked"), LONG);
    begin.resolve();
    await vi.waitFor(() => expect(rootOf(feed)?.steps[0]?.text).toBe("Good morning, all."), LONG);
    expect(rootOf(feed)?.steps[0]?.state).toBe("asked");
    go.resolve();
    await vi.waitFor(() => expect(rootOf(feed)?.result?.summary).toBe("Good morning, all."), LONG);
    expect(feed.store().view.gap).toBeNull();
    expect(await client.getSession({ params: { sessionId } })).toMatchObject({ status: "completed", title: "greet" });
  });

  test("an edit two levels down is shown with its diff and done once it is allowed", async () => {
    const project = await open({
      files: {
        "note.txt": "old line\n",
        ".retinue/agents/lead.md": "---\nname: lead\ndescription: Leads.\ntools: ['*']\ndelegates: [hand]\n---\nLead.\n",
        ".retinue/agents/hand.md": "---\nname: hand\ndescription: Does.\ntools: [write]\n---\nDo.\n",
      },
      script: keyed({
        start: [call("delegate_to_agent", { agent: "lead", task: "level one" }), { text: "All done." }],
        "level one": [call("delegate_to_agent", { agent: "hand", task: "level two" }), { text: "Passed on." }],
        "level two": [call("write", { path: "note.txt", content: "new line\n" }), { text: "Written." }],
      }),
    });
    const { client, workspaceId, folder } = project;
    const agents = (await client.listAgents({ params: { workspaceId } })).agents.map(({ name }) => name);
    expect(agents).toEqual(expect.arrayContaining(["main", "lead", "hand"]));
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "start" } });
    const feed = follow(project, sessionId);
    const asked = await vi.waitFor(async () => {
      const { approvals } = await client.listApprovals({ query: { sessionId } });
      expect(approvals).toHaveLength(1);
      return approvals[0];
    }, LONG);
    if (!asked) throw new Error("nobody asked");
    const { approvalId, hash } = asked;
    const shown = await client.getApproval({ params: { approvalId } });
    expect(shown.diff).toContain("-old line");
    expect(shown.diff).toContain("+new line");
    expect(await readFile(path.join(folder, "note.txt"), "utf8")).toBe("old line\n");
    await client.answerApproval({ params: { approvalId }, body: { allowed: true, hash } });
    await vi.waitFor(() => expect(rootOf(feed)?.result?.status).toBe("completed"), LONG);
    expect(await readFile(path.join(folder, "note.txt"), "utf8")).toBe("new line\n");
    expect([asked.depth, asked.path]).toEqual([2, ["main", "lead", "hand"]]);
  });

  test("a no carries its reason to the agent", async () => {
    let read = "";
    const project = await open({
      script: [
        call("write", { path: "a.txt", content: "x" }),
        { text: "Then not.", expect: ({ messages }) => void (read = JSON.stringify(messages.at(-1))) },
      ],
    });
    const { client, workspaceId } = project;
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "write it" } });
    const feed = follow(project, sessionId);
    const { approvalId, hash } = await vi.waitFor(async () => {
      const [one] = (await client.listApprovals()).approvals;
      if (!one) throw new Error("not asked yet");
      return one;
    }, LONG);
    const body = { allowed: false, hash, reason: "wrong folder" };
    await client.answerApproval({ params: { approvalId }, body });
    await vi.waitFor(() => expect(rootOf(feed)?.result?.status).toBe("completed"), LONG);
    expect(read).toContain("wrong folder");
    expect(feed.store().view.approvals.get(approvalId)?.answer).toMatchObject({
      allowed: false,
      source: { via: "server" },
    });
  });

  test("one child is stopped, and its parent goes on with what it has", async () => {
    const hang = new Promise<void>(() => undefined);
    const project = await open({
      script: keyed({
        both: [
          {
            toolCalls: ["slow one", "quick one"].map((task) => ({
              tool: "delegate_to_agent",
              input: { agent: "general-assistant", task },
            })),
          },
          { text: "One of two." },
        ],
        "slow one": [{ text: "never", before: hang }],
        "quick one": [{ text: "Here it is." }],
      }),
    });
    const { client, workspaceId } = project;
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "both" } });
    const feed = follow(project, sessionId);
    const slow = await vi.waitFor(() => {
      const runs = [...feed.store().view.runs.values()];
      const found = runs.find(({ task, state }) => state.type === "running" && JSON.stringify(task).includes("slow one"));
      if (!found) throw new Error("not there yet");
      return found;
    }, LONG);
    await client.cancelRun({ params: { runId: slow.runId }, body: { reason: "too slow" } });
    await vi.waitFor(() => expect(rootOf(feed)?.result?.status).toBe("completed"), LONG);
    expect(feed.store().view.runs.get(slow.runId)?.state).toEqual({ type: "settled", status: "cancelled" });
    expect(rootOf(feed)?.result?.summary).toBe("One of two.");
  });

  test("goes on with the next turn, is forked at an event, searched, exported and deleted", async () => {
    const project = await open({
      script: [{ text: "First answer." }, { text: "Second answer about walruses." }, { text: "Forked." }],
    });
    const { client, workspaceId, store } = project;
    const settled = (sessionId: `ses_${string}`) =>
      vi.waitFor(async () => expect((await client.getSession({ params: { sessionId } })).status).toBe("completed"), LONG);
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "one" } });
    await settled(sessionId);
    const { headSeq } = await client.getSession({ params: { sessionId } });
    const turn = await client.startTurn({ params: { sessionId }, body: { text: "two" } });
    expect(turn.sessionId).toBe(sessionId);
    await vi.waitFor(
      async () => expect((await client.getTree({ params: { sessionId } })).runs[1]?.status).toBe("completed"),
      LONG,
    );
    const fork = await client.forkSession({ params: { sessionId }, body: { seq: headSeq, text: "another way" } });
    await settled(fork.sessionId);
    expect(fork.sessionId).not.toBe(sessionId);
    const { items } = await client.listSessions({ query: { search: "walruses" } });
    expect(items.map((item) => [item.sessionId, item.snippet?.includes("walruses")])).toEqual([[sessionId, true]]);
    expect(await client.exportSession({ params: { sessionId } })).toMatchObject({
      format: "retinue-session",
      session: { sessionId },
    });
    const deleted: string[] = [];
    const all = client.followAll({ onDeleted: (gone) => deleted.push(gone) });
    cleanups.push(all.close);
    await client.deleteSession({ params: { sessionId }, query: {} });
    expect(await store.readSide.session(sessionId)).toBeUndefined();
    await expect(client.getSession({ params: { sessionId } })).rejects.toMatchObject({ code: "session_unknown", status: 404 });
  });

  test("a picture reaches the model as a picture, and what is none is refused", async () => {
    const png = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`;
    let seen: unknown;
    const project = await open({
      script: [{ text: "A dot.", expect: ({ messages }) => void (seen = messages[0]?.content) }],
    });
    const { client, workspaceId } = project;
    const images = [{ mediaType: "image/png" as const, data: png }];
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "what is this", images } });
    await vi.waitFor(async () => expect((await client.getSession({ params: { sessionId } })).status).toBe("completed"), LONG);
    expect(seen).toEqual(expect.arrayContaining([{ type: "image", mediaType: "image/png", data: png }]));
    const lie = [{ mediaType: "image/png" as const, data: Buffer.from("<svg onload=alert(1)>").toString("base64") }];
    await expect(client.startSession({ body: { workspaceId, text: "and this", images: lie } })).rejects.toMatchObject({
      code: "request_invalid",
    });
  });

  test("what changes in the list and which questions wait is told as it happens", async () => {
    const project = await open({ script: [call("write", { path: "b.txt", content: "b" }), { text: "Done." }] });
    const { client, workspaceId } = project;
    const told: string[] = [];
    let waiting = 0;
    const feed = client.followAll({
      onSession: ({ title, status }) => told.push(`${title}: ${status}`),
      onApprovals: (approvals) => (waiting = approvals.length),
    });
    cleanups.push(feed.close);
    await client.startSession({ body: { workspaceId, text: "write b" } });
    await vi.waitFor(() => expect(waiting).toBe(1), LONG);
    const [asked] = (await client.listApprovals()).approvals;
    if (!asked) throw new Error("nobody asked");
    await client.answerApproval({ params: asked, body: { allowed: true, hash: asked.hash } });
    await vi.waitFor(() => expect(told).toContain("write b: completed"), LONG);
    await vi.waitFor(() => expect(waiting).toBe(0), LONG);
  });
});

describe("a server that stops", () => {
  test("leaves what has not settled open in the record, and tells its clients", async () => {
    const first = await open({ script: [{ text: "never", before: new Promise<void>(() => undefined) }] });
    const { sessionId } = await first.client.startSession({ body: { workspaceId: first.workspaceId, text: "long work" } });
    await vi.waitFor(async () => expect((await first.client.getSession({ params: { sessionId } })).status).toBe("running"), LONG);
    const closed: string[] = [];
    const feed = first.client.followSession(sessionId, { onState: (state) => closed.push(state) });
    await vi.waitFor(() => expect(feed.state()).toBe("open"), LONG);
    const { readSide } = first.store;
    await first.server.close();
    await vi.waitFor(() => expect(feed.state()).toBe("connecting"), LONG);
    feed.close();
    expect((await readSide.session(sessionId))?.status).toBe("running");
    expect((await readSide.tree(sessionId))[0]?.completedAt).toBeNull();
  });
});
