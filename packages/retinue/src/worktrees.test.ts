// @module-tag long
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { ModelRequest } from "@retinue/model/contract";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { createMemoryLog } from "@retinue/store";
import { afterEach, describe, expect, test } from "vitest";
import type { Retinue, RetinueOptions } from "./create-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import type { RetinueStore } from "./open-record.ts";

const run = promisify(execFile);
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const agent = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.`, isolation: "worktree" }),
  prompt: `You are ${name}.`,
  ...more,
});

/** A conversation is told apart by who speaks and what it was asked. */
const keyOf = ({ system, messages }: ModelRequest): string => {
  const who = /You are ([\w-]+)\./.exec(system)?.[1] ?? "?";
  const [first] = messages[0]?.content ?? [];
  return `${who}: ${first?.type === "text" ? first.text.split("\n")[0] : ""}`;
};

type Turns = Readonly<Record<string, readonly ScriptedTurn[]>>;

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("");

const createFolders = async (): Promise<{ workspace: string; home: string; git: (...args: string[]) => Promise<string> }> => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-worktrees-")));
  cleanups.push(() => rm(base, { recursive: true, force: true }));
  const [workspace, home] = [path.join(base, "workspace"), path.join(base, "home")];
  await mkdir(workspace);
  await mkdir(home);
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const git = async (...args: string[]): Promise<string> => (await run("git", args, { cwd: workspace, env })).stdout;
  await writeFile(path.join(workspace, "shared.txt"), LINES);
  await writeFile(path.join(workspace, "other.txt"), "other\n");
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "user.name", "Test User");
  await git("config", "user.email", "test@example.com");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=first");
  return { workspace, home, git };
};

type Folders = Awaited<ReturnType<typeof createFolders>>;

const open = async (
  { workspace, home }: Folders,
  turns: Turns,
  { agents = [agent("writer")], startAt, ...more }: Partial<RetinueOptions> & { startAt?: Readonly<Record<string, number>> } = {},
): Promise<Retinue> => {
  const model = createScriptedModel({ key: keyOf, turns }, startAt === undefined ? {} : { startAt });
  const retinue = await createRetinue({
    workspace,
    env: { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: path.join(home, ".retinue"), RETINUE_APPROVE: "all" },
    agents,
    model,
    ...more,
  });
  cleanups.push(() => retinue.close());
  return retinue;
};

const edit = (file: string, old: string, text: string): ScriptedTurn => ({
  toolCalls: [{ tool: "edit", input: { path: file, edits: [{ old, new: text }] } }],
});

const read = ({ workspace }: Folders, file: string): Promise<string> => readFile(path.join(workspace, file), "utf8");

const worktreesLeft = async ({ home, git }: Folders): Promise<readonly string[]> => [
  ...(await readdir(path.join(home, ".retinue/worktrees")).catch(() => [])),
  ...(await git("worktree", "list")).trimEnd().split("\n").slice(1),
];

describe("runs in worktrees of their own", () => {
  test("five writers at once: two merge, two conflict, one is cancelled, and nothing is lost", { tags: ["long"] }, async () => {
    const folders = await createFolders();
    const { workspace, git } = folders;
    // Uncommitted work of the user, which the writers see and keep.
    await writeFile(path.join(workspace, "shared.txt"), LINES.replace("line 10\n", "the user's\n"));
    const begun = Promise.withResolvers<void>();
    const lastDone = Promise.withResolvers<void>();
    const stop = new AbortController();
    const retinue = await open(folders, {
      // The first to be started is the last to be done.
      "writer: first": [edit("shared.txt", "line 0\n", "first\n"), { before: () => lastDone.promise, text: "Done first." }],
      "writer: second": [edit("shared.txt", "line 19\n", "second\n"), { text: "Done second." }],
      "writer: third": [
        edit("shared.txt", "line 0\n", "third\n"),
        { toolCalls: [{ tool: "write", input: { path: "third.txt", content: "third\n" } }] },
        { beforeAnswer: async () => lastDone.resolve(), text: "Done third." },
      ],
      "writer: fourth": [edit("shared.txt", "line 19\n", "fourth\n"), { text: "Done fourth." }],
      "writer: fifth": [
        edit("other.txt", "other\n", "fifth\n"),
        { before: async () => (begun.resolve(), new Promise(() => undefined)), text: "Never said." },
      ],
    });
    const results = retinue.fanOut(
      ["first", "second", "third", "fourth"].map((task) => ({ agent: "writer", task })),
      { maxConcurrent: 4 },
    );
    const fifth = retinue.spawn("writer", "fifth", { signal: stop.signal });
    await begun.promise;
    stop.abort();
    const [first, second, third, fourth] = await results;
    expect((await fifth).status).toBe("cancelled");

    expect(first?.merge).toEqual({ created: [], modified: ["shared.txt"], deleted: [], conflicts: [], ref: null });
    expect(second?.merge).toEqual({ created: [], modified: ["shared.txt"], deleted: [], conflicts: [], ref: null });
    const conflict = { path: "shared.txt", reason: "the same lines were changed here and in the workspace (1 place)" };
    expect(third?.merge).toMatchObject({ created: ["third.txt"], modified: [], conflicts: [conflict] });
    expect(fourth?.merge).toMatchObject({ created: [], modified: [], conflicts: [conflict] });
    expect(third?.status).toBe("completed");
    expect(third?.warnings).toContain(`Not merged: shared.txt: ${conflict.reason}`);
    expect(await read(folders, "shared.txt")).toBe(
      LINES.replace("line 10\n", "the user's\n").replace("line 0\n", "first\n").replace("line 19\n", "second\n"),
    );
    expect(await read(folders, "third.txt")).toBe("third\n");

    const ref = third?.merge?.ref ?? "";
    expect(await git("show", `${ref}:shared.txt`)).toBe(
      LINES.replace("line 10\n", "the user's\n").replace("line 0\n", "third\n"),
    );
    expect(await git("show", `${fourth?.merge?.ref}:shared.txt`)).toContain("fourth\n");
    const kept = (await fifth).merge;
    expect(kept).toMatchObject({ created: [], modified: [], notMerged: "the run ended as cancelled." });
    expect(await git("show", `${kept?.ref}:other.txt`)).toBe("fifth\n");
    expect(await read(folders, "other.txt")).toBe("other\n");
    expect((await git("for-each-ref", "--format=%(refname)", "refs/retinue")).trimEnd().split("\n").toSorted()).toEqual(
      [ref, fourth?.merge?.ref ?? "", kept?.ref ?? ""].toSorted(),
    );
    expect(await worktreesLeft(folders)).toEqual([]);
    expect(await git("status", "--porcelain")).toBe(" M shared.txt\n?? third.txt\n");
  });

  test("sub-agents are merged into the workspace of their parent, and what was merged is what the parent is told", async () => {
    const folders = await createFolders();
    const store = createStore();
    const retinue = await open(
      folders,
      {
        "boss: go": [
          {
            toolCalls: [
              { tool: "delegate_to_agent", callId: "one", input: { agent: "writer", task: "left" } },
              { tool: "delegate_to_agent", callId: "two", input: { agent: "writer", task: "right" } },
            ],
          },
          { text: "Both are done." },
        ],
        "writer: left": [
          edit("other.txt", "other\n", "left\n"),
          {
            expect: ({ system }) => expect(system).toContain("It is a copy of the project for you alone"),
            text: "Left.",
          },
        ],
        "writer: right": [edit("other.txt", "other\n", "right\n"), { text: "Right." }],
      },
      { agents: [agent("boss", { delegates: ["writer"], isolation: "none" }), agent("writer")], store },
    );
    const handle = await retinue.run("go", { agent: "boss" });
    const result = await handle.result;
    expect(result).toMatchObject({ status: "completed", filesModified: ["other.txt"] });
    expect(await read(folders, "other.txt")).toBe("left\n");
    const events = await retinue.events(handle.sessionId);
    expect(toSteps(events, "writer")).toEqual([
      "run.requested",
      "worktree.made",
      "run.started",
      "worktree.merging",
      "worktree.merged",
      "run.settled",
    ]);
    const told = events.flatMap((event) =>
      event.type === "tool.settled" && event.callId === "two"
        ? event.content.flatMap((part) => (part.type === "text" ? part.text : []))
        : [],
    );
    expect(JSON.parse(told.join(""))).toMatchObject({ status: "completed", conflicts: [{ path: "other.txt" }] });
    expect(await retinue.verify(handle.sessionId)).toMatchObject({ divergence: null });
    expect(await worktreesLeft(folders)).toEqual([]);
  });

  test("a run that was killed goes on in the worktree that it had", async () => {
    const folders = await createFolders();
    const store = createStore("tool.settled");
    const turns: Turns = { "writer: go": [edit("shared.txt", "line 3\n", "mine\n"), { text: "Done." }] };
    const before = await open(folders, turns, { store });
    const handle = await before.run("go", { agent: "writer" });
    await expect(handle.result).rejects.toThrow("the disk is gone");
    await rewrite(folders, "line 15\n", "meanwhile\n");
    expect(await readdir(worktreeOf(await store.read(handle.sessionId)))).toContain("shared.txt");
    store.mend();
    const after = await open(folders, turns, { store, startAt: { "writer: go": 1 } });
    const resumed = await after.resume(handle.sessionId, { takeOver: true });
    expect((await resumed.result).merge).toMatchObject({ modified: ["shared.txt"], conflicts: [], ref: null });
    expect(await read(folders, "shared.txt")).toBe(LINES.replace("line 3\n", "mine\n").replace("line 15\n", "meanwhile\n"));
    expect(countSteps(await store.read(handle.sessionId))).toEqual({ made: 1, merging: 1, merged: 1 });
    expect(await worktreesLeft(folders)).toEqual([]);
  });

  test("a run whose worktree is gone when it is to go on fails, and says so", async () => {
    const folders = await createFolders();
    const store = createStore("tool.settled");
    const turns: Turns = { "writer: go": [edit("shared.txt", "line 3\n", "mine\n")] };
    const handle = await (await open(folders, turns, { store })).run("go", { agent: "writer" });
    await expect(handle.result).rejects.toThrow("the disk is gone");
    await rm(worktreeOf(await store.read(handle.sessionId)), { recursive: true });
    store.mend();
    const after = await open(folders, turns, { store, startAt: { "writer: go": 1 } });
    const result = await (await after.resume(handle.sessionId, { takeOver: true })).result;
    expect(result).toMatchObject({ status: "failed", error: { code: "worktree_unavailable" }, merge: { ref: null } });
    expect(result.warnings).toEqual(["The changes of this run were not merged: the worktree is gone, and what was in it."]);
    expect(await read(folders, "shared.txt")).toBe(LINES);
    expect(await worktreesLeft(folders)).toEqual([]);
    expect(await after.verify(handle.sessionId)).toMatchObject({ divergence: null });
  });

  test("a merge that was cut off half-way is finished, and no file is merged twice", async () => {
    const folders = await createFolders();
    const store = createStore("worktree.merging");
    const turns: Turns = {
      "writer: go": [
        edit("shared.txt", "line 3\n", "line 3\nadded\n"),
        edit("other.txt", "other\n", "mine\n"),
        // The user works on, and what is merged is more than what the run wrote.
        { before: () => rewrite(folders, "line 2\n", "meanwhile\n"), text: "Done." },
      ],
    };
    const before = await open(folders, turns, { store });
    const handle = await before.run("go", { agent: "writer" });
    await expect(handle.result).rejects.toThrow("the disk is gone");
    // One of the two files was written before the end.
    const merged = LINES.replace("line 2\n", "meanwhile\n").replace("line 3\n", "line 3\nadded\n");
    await writeFile(path.join(folders.workspace, "shared.txt"), merged);
    store.mend();
    const after = await open(folders, turns, { store, startAt: { "writer: go": 3 } });
    const resumed = await after.resume(handle.sessionId, { takeOver: true });
    expect((await resumed.result).merge).toMatchObject({ modified: ["other.txt", "shared.txt"], conflicts: [], ref: null });
    expect(await read(folders, "shared.txt")).toBe(merged);
    expect(await read(folders, "other.txt")).toBe("mine\n");
    expect(countSteps(await store.read(handle.sessionId))).toEqual({ made: 1, merging: 1, merged: 1 });
    expect(await worktreesLeft(folders)).toEqual([]);
    expect(await after.verify(handle.sessionId)).toMatchObject({ divergence: null });
  });

  test("what a process left behind that ended after its run had settled is taken away later", { tags: ["long"] }, async () => {
    const folders = await createFolders();
    const store = createStore();
    const turns: Turns = { "writer: one": [{ text: "Done." }], "writer: two": [{ text: "Done." }] };
    const before = await open(folders, turns, { store });
    const handle = await before.run("one", { agent: "writer" });
    await handle.result;
    const { runId } = handle;
    const [requested] = await store.read(handle.sessionId);
    if (requested?.type !== "run.requested" || !requested.spec.worktree) throw new Error("no worktree");
    const { folder, of } = requested.spec.worktree;
    await folders.git("worktree", "add", "--detach", folder);
    await writeFile(`${folder}.json`, JSON.stringify({ runId, of, workspace: folder }));
    expect(await worktreesLeft(folders)).toHaveLength(3);
    const after = await open(folders, turns, { store });
    await after.spawn("writer", "two");
    expect(await worktreesLeft(folders)).toEqual([]);
  });

  test("where there is no repository the run is refused, and never works in the workspace itself", async () => {
    const folders = await createFolders();
    await rm(path.join(folders.workspace, ".git"), { recursive: true });
    const retinue = await open(
      folders,
      {
        "boss: go": [
          { toolCalls: [{ tool: "delegate_to_agent", callId: "one", input: { agent: "writer", task: "left" } }] },
          {
            expect: ({ messages }) => expect(JSON.stringify(messages.at(-1))).toContain("The workspace is no git repository."),
            text: "It could not.",
          },
        ],
      },
      { agents: [agent("boss", { delegates: ["writer"], isolation: "none" }), agent("writer")] },
    );
    await expect(retinue.spawn("writer", "go")).rejects.toMatchObject({ code: "worktree_unavailable" });
    expect((await (await retinue.run("go", { agent: "boss" })).result).status).toBe("completed");
  });

  test(
    "an agent without isolation is given a worktree where the caller says so, and one with it none",
    { tags: ["long"] },
    async () => {
      const folders = await createFolders();
      const turns: Turns = {
        "plain: inside": [edit("other.txt", "other\n", "inside\n"), { expect: inFolder(true), text: "Done." }],
        "writer: outside": [{ expect: inFolder(false), text: "Done." }],
      };
      const retinue = await open(folders, turns, { agents: [agent("plain", { isolation: "none" }), agent("writer")] });
      expect((await retinue.spawn("plain", "inside", { isolation: "worktree" })).merge).toMatchObject({
        modified: ["other.txt"],
      });
      expect((await retinue.spawn("writer", "outside", { isolation: "none" })).merge).toBeUndefined();
    },
  );

  test("what was kept elsewhere for a worktree goes with it", { tags: ["long"] }, async () => {
    const folders = await createFolders();
    await writeFile(path.join(folders.workspace, "a.ts"), "export const findMe = 1;\n");
    const retinue = await open(folders, {
      "writer: go": [
        { toolCalls: [{ tool: "code_search", input: { query: "findMe" } }] },
        { expect: ({ messages }) => expect(JSON.stringify(messages.at(-1))).toContain("a.ts"), text: "Done." },
      ],
    });
    expect((await retinue.spawn("writer", "go")).status).toBe("completed");
    expect((await readdir(path.join(folders.home, ".retinue/cache"))).filter((name) => name.includes(".sqlite"))).toEqual([]);
  });

  test("a shell in a worktree cannot write to the workspace, and git works in it", async () => {
    const folders = await createFolders();
    const command = `echo mine > other.txt; echo theirs > ${path.join(folders.workspace, "other.txt")}; git log --oneline | head -1`;
    const retinue = await open(folders, {
      "writer: go": [{ toolCalls: [{ tool: "shell", callId: "sh", input: { command } }] }, { text: "Done." }],
    });
    const handle = await retinue.run("go", { agent: "writer" });
    const result = await handle.result;
    expect(result.merge).toMatchObject({ modified: ["other.txt"], conflicts: [] });
    expect(await read(folders, "other.txt")).toBe("mine\n");
    const said = (await retinue.events(handle.sessionId)).find((event) => event.type === "tool.settled");
    expect(JSON.stringify(said)).toContain("retinue: the workspace as");
  });
});

const inFolder =
  (isWorktree: boolean) =>
  ({ system }: ModelRequest): void =>
    expect(system.includes("It is a copy of the project for you alone")).toBe(isWorktree);

const toSteps = (events: readonly RetinueEvent[], name: string): readonly string[] => {
  const first = events.find((event) => event.agent === name)?.runId;
  return events.flatMap(({ type, runId }) =>
    runId === first && (type.startsWith("run.") || type.startsWith("worktree.")) ? type : [],
  );
};

const worktreeOf = (events: readonly RetinueEvent[]): string =>
  events.flatMap((event) => (event.type === "run.requested" ? (event.spec.worktree?.folder ?? []) : []))[0] ?? "";

const countSteps = (events: readonly RetinueEvent[]): Readonly<Record<string, number>> => {
  const count = (type: RetinueEvent["type"]): number => events.filter((event) => event.type === type).length;
  return { made: count("worktree.made"), merging: count("worktree.merging"), merged: count("worktree.merged") };
};

const rewrite = async (folders: Folders, old: string, text: string): Promise<void> =>
  writeFile(path.join(folders.workspace, "shared.txt"), (await read(folders, "shared.txt")).replace(old, text));

type TestStore = RetinueStore & { readonly mend: () => void };

/** A record that takes nothing more once it has taken an event of this type, as if the process were killed there. */
const createStore = (cutAfter?: RetinueEvent["type"]): TestStore => {
  const log = createMemoryLog();
  let isGone = false;
  return {
    ...log,
    append: async (drafts, lease) => {
      if (isGone) throw new Error("the disk is gone");
      const events = log.append(drafts, lease);
      isGone = events.some(({ type }) => type === cutAfter);
      if (isGone) throw new Error("the disk is gone");
      return events;
    },
    close: async () => undefined,
    mend: () => {
      isGone = false;
      cutAfter = undefined;
    },
  };
};
