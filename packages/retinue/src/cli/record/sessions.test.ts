import type { Spending } from "@retinue/client";
import type { RecordedEvent } from "@retinue/protocol";
import type { Damage, MessageRow, RunNode, SearchHit, SessionExport, SessionRow, Verification } from "@retinue/store";
import { spawn } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject, widestLine } from "../testing/mock-project.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { BIN, toEnvironment } from "../testing/spawn-retinue.ts";
import type { Ended } from "../testing/spawn-retinue.ts";
import type { ShownRun } from "./run-json.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const KEY = "sk-canary-0123456789";
const HIDDEN = ["canary", "\u001b"];

/** The main agent has a sub-agent search, writes a file, tries one that it may not read, and answers. */
const HISTORY = [
  { text: "I have it searched.", toolCalls: [call("delegate_to_agent", { agent: "code-search", task: "find the zebra" })] },
  { text: `The zebra is in zoo.txt; the key is ${KEY}.` },
  { toolCalls: [call("write", { path: "notes.md", content: "# Zebra\n\n```\nin the zoo\n```\n" })] },
  { toolCalls: [call("read", { path: "missing.txt" })] },
  { text: "# Done\n\nThe notes are <b>written</b> to `notes.md`." },
];

const setUp = async (replies: Parameters<typeof createMockProject>[0], more?: string): Promise<MockProject> => {
  const made = await createMockProject(replies, more);
  cleanups.push(made.remove);
  return made;
};

const parse = ({ stdout }: Ended): unknown => JSON.parse(stdout);

describe("a recorded session", () => {
  let made: MockProject;
  let sessionId = "";
  const run = (...words: string[]): Promise<Ended> => callRetinue(made.project, words, { OPENAI_API_KEY: KEY });

  beforeAll(async () => {
    made = await setUp([...HISTORY, { text: "from elsewhere" }]);
    const words = ["run", "--approve", "all", "take notes \u001b[2J of the zebra\nand more"];
    const ended = await callRetinue(made.project, words, { OPENAI_API_KEY: KEY });
    expect(ended).toMatchObject({ code: 0 });
    sessionId = /^retinue: recorded as (ses_\w+)$/m.exec(ended.stderr)?.[1] ?? "";
    expect(sessionId).not.toBe("");
  });

  test("is listed with what it took, safely, in 80 columns", async () => {
    const ended = await run("sessions", "list");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const [head, row, ...rest] = ended.stdout.trimEnd().split("\n");
    expect(head).toMatch(/^session +last +status +runs +tokens +cost +task$/);
    expect(row).toMatch(
      new RegExp(`^${sessionId.slice(0, 16)} +now +completed +2 +\\S+ +\\S+ +take notes \\\\u\\{1b\\}\\[2J of`),
    );
    expect(rest).toEqual([]);
    expect(widestLine(ended.stdout)).toBeLessThanOrEqual(80);
    expect(await run("sessions")).toMatchObject({ code: 0, stdout: ended.stdout });
  });

  test("--json lists it as data", async () => {
    const { sessions, isMore } = parse(await run("sessions", "list", "--json")) as { sessions: SessionRow[]; isMore: boolean };
    expect(sessions).toEqual([expect.objectContaining({ sessionId, status: "completed", runCount: 2, agent: "main" })]);
    expect(isMore).toBe(false);
  });

  test("is shown as a tree of runs and the messages in lines, in 80 columns", async () => {
    const ended = await run("sessions", "show", sessionId);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(new RegExp(`^${sessionId}$`, "m"));
    expect(ended.stdout).toMatch(/^run +event +status +time +in +out +cost$/m);
    expect(ended.stdout).toMatch(/^🤖 main +#1 +completed +\d+\.\d s +\S+ +\S+ +\S+$/m);
    expect(ended.stdout).toMatch(/^│ {2}with all below +\S+ +\S+ +\S+$/m);
    expect(ended.stdout).toMatch(/^└─ 🔎 code-search +#\d+ +completed /m);
    expect(ended.stdout).toMatch(/^#\d+ +code-search +task: find the zebra$/m);
    expect(ended.stdout).toMatch(/^#\d+ +main +read error: \{"path":"missing\.txt"\}$/m);
    expect(ended.stdout).not.toContain("canary");
    expect(widestLine(ended.stdout)).toBeLessThanOrEqual(80);
  });

  test("--messages shows every message whole", async () => {
    const ended = await run("sessions", "show", "latest", "--messages");
    expect(ended.stdout).toContain('  → write {"path":"notes.md","content":"# Zebra\\n\\n```\\nin the zoo\\n```\\n"}');
    expect(ended.stdout).toContain("  The zebra is in zoo.txt; the key is [redacted:OPENAI_API_KEY].");
    expect(ended.stdout).toMatch(/^#\d+ main, write, ok, \d+\.\d s/m);
    for (const hidden of HIDDEN) expect(ended.stdout).not.toContain(hidden);
  });

  test("--json shows the tree, and with --messages the rows", async () => {
    const shown = parse(await run("sessions", "show", sessionId, "--json", "--messages")) as {
      session: SessionRow;
      tree: RunNode[];
      messages: MessageRow[];
    };
    expect(shown.tree).toEqual([expect.objectContaining({ agent: "main", outcome: "completed" })]);
    expect(shown.tree[0]?.children).toEqual([expect.objectContaining({ agent: "code-search", depth: 1 })]);
    expect(shown.messages).toHaveLength(shown.session.messageCount);
  });

  test("--prompts shows the prompt of each role, by the id that messages name it by", async () => {
    const ended = await run("sessions", "show", "latest", "--prompts");
    expect(ended.stdout).toMatch(/^sys_\w+ main\n {2}You are the main agent/m);
    expect(ended.stdout).toMatch(/^sys_\w+ code-search\n {2}\S/m);
    const { systemPrompts, messages } = parse(await run("sessions", "show", "latest", "--prompts", "--messages", "--json")) as {
      systemPrompts: { id: string; agent: string; text: string }[];
      messages: MessageRow[];
    };
    expect(systemPrompts.map(({ agent }) => agent)).toEqual(["main", "code-search"]);
    for (const { id, agent, text } of systemPrompts) {
      expect(messages.find((row) => row.system_prompt_id === id)?.agent_role).toBe(agent);
      expect(text).not.toContain("zebra");
    }
  });

  test("--json tells of every run what it spent itself and with everything below, and what remains of its limits", async () => {
    const { tree, spent, openApprovals } = parse(await run("sessions", "show", sessionId, "--json")) as {
      tree: ShownRun[];
      spent: Spending;
      openApprovals: unknown[];
    };
    const [main] = tree;
    const [child] = main?.children ?? [];
    const tokens = (amounts: Spending | null | undefined): number => amounts?.usage.input ?? Number.NaN;
    expect(tokens(main?.own)).toBeGreaterThan(0);
    expect(tokens(child?.own)).toBeGreaterThan(0);
    expect(tokens(main?.inclusive)).toBe(tokens(main?.own) + tokens(child?.own));
    expect(child?.inclusive).toEqual(child?.own);
    expect(spent).toEqual(main?.inclusive);
    expect(openApprovals).toEqual([]);
    expect(main?.state).toEqual({ type: "settled", status: "completed" });
    expect(main?.limits.length).toBeGreaterThan(0);
    for (const { used, max, remaining } of main?.limits ?? []) expect(remaining).toBe(max - used);
  });

  test("is found by what was said in it", async () => {
    const ended = await run("sessions", "search", "in", "the", "zoo");
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(
      new RegExp(`^${sessionId.slice(0, 16)} #\\d+ {2}code-search, model\\.answered, now\\n {4}.*zoo`, "m"),
    );
    const { hits } = parse(await run("sessions", "search", "zebra", "--json", "--session", sessionId)) as { hits: SearchHit[] };
    expect(hits.map(({ type }) => type)).toContain("run.requested");
    expect(await run("sessions", "search", "okapi")).toMatchObject({ code: 0, stdout: "" });
  });

  test("is exported as JSON with events, rows and artifacts", async () => {
    const file = join(made.project.workspace, "session.json");
    const ended = await run("sessions", "export", sessionId, "-o", file);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect((await stat(file)).mode & 0o077).toBe(0);
    const exported = JSON.parse(await readFile(file, "utf8")) as SessionExport;
    expect(exported).toMatchObject({ format: "retinue-session", version: 1, damage: null, session: { sessionId } });
    expect(exported.events.map(({ seq }) => seq)).toEqual(exported.events.map((_, index) => index + 1));
    expect(exported.events).toHaveLength(exported.session.headSeq);
    expect(exported.messages).toHaveLength(exported.session.messageCount);
    expect(JSON.stringify(exported)).not.toContain("canary");
    expect(parse(await run("sessions", "export", sessionId, "--format", "json")) as SessionExport).toEqual(exported);
  });

  test("is exported as a document that shows the tree, every turn and every call, and interprets none of it", async () => {
    const ended = await run("sessions", "export", "latest");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const text = ended.stdout;
    expect(text).toMatch(/^# take notes \\u\{1b\}\[2J of the zebra$/m);
    expect(text).toMatch(/^- \*\*main\*\* \(#1\): completed in /m);
    expect(text).toMatch(/^ {2}- \*\*code-search\*\* \(#\d+\): completed in /m);
    expect(text).toMatch(/^#### code-search: task \(#\d+\)\n\n> find the zebra$/m);
    expect(text).toContain("> The zebra is in zoo.txt; the key is [redacted:OPENAI_API_KEY].");
    expect(text).toContain("`content`:\n\n````\n# Zebra\n\n```\nin the zoo\n```\n````");
    expect(text).toContain("Files created: `notes.md`");
    expect(text).toMatch(/^### read: error \(#\d+\)$/m);
    expect(text).toContain("> # Done\n>\n> The notes are &lt;b>written&lt;/b> to `notes.md`.");
    for (const hidden of HIDDEN) expect(text).not.toContain(hidden);
  });

  test("verifies", async () => {
    expect(await run("sessions", "verify")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 session with \d+ events verified: nothing is damaged\.\n$/) as string,
    });
    expect(await run("sessions", "verify", sessionId)).toMatchObject({ code: 0 });
  });

  test("replays what it printed, without a model", async () => {
    const asked = made.server.requests.length;
    const ended = await run("replay", sessionId, "--speed", "0");
    expect(ended.code).toBe(0);
    expect(ended.stdout).toBe("I have it searched.\n# Done\n\nThe notes are <b>written</b> to `notes.md`.\n");
    expect(ended.stderr).toMatch(/^ {2}code-search: completed in /m);
    expect(ended.stderr).toMatch(/^retinue: completed in /m);
    expect(made.server.requests).toHaveLength(asked);
  });

  test("replays as JSON the very events that were recorded", async () => {
    const ended = await run("replay", sessionId, "--speed", "0", "--json");
    const events = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedEvent);
    expect(events).toEqual((parse(await run("sessions", "export", sessionId, "--format", "json")) as SessionExport).events);
  });

  test("replay --verify finds that the loop would do the same again", async () => {
    const ended = await run("replay", sessionId, "--verify");
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^ses_\w+: \d+ events verified; the loop would do the same again\n$/);
    const { verified, divergence } = parse(await run("replay", sessionId, "--verify", "--json")) as {
      verified: number;
      divergence: unknown;
    };
    expect({ verified, divergence }).toEqual({ verified: Number(/(\d+) events/.exec(ended.stdout)?.[1]), divergence: null });
  });

  test.each([
    ["the whole id", (id: string) => id],
    ["the beginning of the id", (id: string) => id.slice(0, 14)],
    ["the beginning without ses_", (id: string) => id.slice(4, 16)],
    ["latest", () => "latest"],
  ])("is named by %s", async (_what, name) => {
    const { session } = parse(await run("sessions", "show", name(sessionId), "--json")) as { session: SessionRow };
    expect(session.sessionId).toBe(sessionId);
  });

  test("belongs to its folder; --all lists those of all", async () => {
    const other = join(dirname(made.project.workspace), "other");
    await mkdir(other);
    const here = await run("sessions", "list", "-C", other);
    expect(here).toMatchObject({ code: 0, stdout: "" });
    expect(here.stderr).toContain("--all lists those of other folders");
    const all = await run("sessions", "list", "--all", "-C", other);
    expect(all.stdout).toMatch(new RegExp(`^${sessionId.slice(0, 16)} .* project +take notes`, "m"));
    const latest = await run("sessions", "show", "latest", "-C", other);
    expect(latest).toMatchObject({ code: 2, stdout: "" });
    expect(latest.stderr).toMatch(/\[session_unknown\]\n {2}hint: .*--all/);
  });

  test("goes on with a further turn from another folder, where it belongs", async () => {
    const other = join(dirname(made.project.workspace), "elsewhere");
    await mkdir(other);
    const ended = await run("run", "-C", other, "--session", sessionId.slice(0, 16), "and now?");
    expect(ended).toMatchObject({ code: 0, stdout: "from elsewhere\n" });
    const body = JSON.stringify(made.server.requests.at(-1)?.body);
    for (const part of ["take notes", "# Done", "and now?", made.project.workspace]) expect(body).toContain(part);
    const replayed = await run("replay", sessionId, "--speed", "0");
    expect(replayed.stdout.endsWith("to `notes.md`.\nfrom elsewhere\n")).toBe(true);
    expect(replayed.stderr).toMatch(/^retinue: turn: and now\?$/m);
  });
});

describe.concurrent("what cannot be done is said, with exit code 2", () => {
  test.each<[string, readonly string[], RegExp]>([
    [
      "a session that there is not",
      ["sessions", "show", "ses_nope"],
      /^retinue: There is no session ses_nope\. \[session_unknown\]\n {2}hint: /,
    ],
    ["a session to replay that there is not", ["replay", "nope"], /\[session_unknown\]/],
    ["a session to fork that there is not", ["sessions", "fork", "nope", "go"], /\[session_unknown\]/],
    ["a session to delete that there is not", ["sessions", "delete", "nope", "--yes"], /\[session_unknown\]/],
    [
      "nothing to go on with",
      ["run", "--continue", "go"],
      /^retinue: There is no session of the folder .* to go on with\. \[session_unknown\]/,
    ],
    [
      "two ways to go on",
      ["run", "--continue", "--session", "x", "go"],
      /^retinue: --continue and --session do not go together\. \[usage\]/,
    ],
    [
      "a command that there is not",
      ["sessions", "remove"],
      /^retinue: There is no command sessions remove; did you mean \w+\? \[usage\]/,
    ],
    [
      "a format that there is not",
      ["sessions", "export", "x", "--format", "pdf"],
      /^retinue: --format is markdown or json, not pdf\. \[usage\]/,
    ],
    ["a speed that is none", ["replay", "x", "--speed", "fast"], /^retinue: --speed fast is no speed\. \[usage\]/],
    ["a time that is none", ["stats", "--since", "soon"], /^retinue: --since soon is no time\. \[usage\]\n {2}hint: .*7d/],
    [
      "a key that there is not",
      ["stats", "--by", "colour"],
      /^retinue: --by is one of agent, model, depth, pair, day, not colour\. \[usage\]/,
    ],
    ["a number that is none", ["sessions", "list", "--limit", "many"], /^retinue: --limit many is not a whole number/],
    ["pruning without saying what", ["sessions", "prune"], /^retinue: Nothing says what to delete\. \[usage\]/],
    ["a search for nothing", ["sessions", "search", " "], /^retinue: There is nothing to search for\. \[usage\]/],
  ])("%s", async (_name, words, stderr) => {
    const { project } = await setUp([]);
    const ended = await callRetinue(project, words);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(stderr);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  test("a beginning that fits several names them", async () => {
    const { project } = await setUp([{ text: "one" }, { text: "two" }]);
    await callRetinue(project, ["run", "first"]);
    await callRetinue(project, ["run", "second"]);
    const ended = await callRetinue(project, ["sessions", "show", "ses_0"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /^retinue: 2 sessions begin with ses_0: ses_\w+, ses_\w+\. \[usage\]\n {2}hint: Give more of the id\./,
    );
  });

  test("with --json it is one line of type error, beside the message", async () => {
    const { project } = await setUp([]);
    const ended = await callRetinue(project, ["sessions", "show", "nope", "--json"]);
    expect(parse(ended) as object).toMatchObject({ type: "error", error: { code: "session_unknown" } });
  });
});

describe("deleting", () => {
  const databaseOf = ({ project }: MockProject): string => join(project.home, "retinue.db");

  test("asks; nobody to ask is no yes", async () => {
    const made = await setUp([{ text: "fine" }]);
    await callRetinue(made.project, ["run", "keep me"]);
    const ended = await callRetinue(made.project, ["sessions", "delete", "latest"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^retinue: Nobody can be asked whether to delete\. \[usage\]\n {2}hint: Add --yes/);
    expect((await callRetinue(made.project, ["sessions", "list"])).stdout).toContain("keep me");
  });

  test("takes a session away for good, and only that", async () => {
    const made = await setUp([{ text: "the platypus answer" }, { text: "the wombat answer" }]);
    await callRetinue(made.project, ["run", "the platypus question"]);
    const first = (parse(await callRetinue(made.project, ["sessions", "list", "--json"])) as { sessions: SessionRow[] })
      .sessions[0];
    await callRetinue(made.project, ["run", "the wombat question"]);
    expect((await readFile(databaseOf(made))).includes("platypus")).toBe(true);
    const versions = join(made.project.home, "undo", first?.sessionId ?? "");
    await mkdir(versions, { recursive: true });
    const ended = await callRetinue(made.project, ["sessions", "delete", first?.sessionId ?? "", "--yes"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^deleted ses_\w{12} the platypus question\n$/);
    expect((await readFile(databaseOf(made))).includes("platypus")).toBe(false);
    await expect(stat(versions)).rejects.toThrow("ENOENT");
    expect((await callRetinue(made.project, ["sessions", "list"])).stdout).toContain("wombat");
    expect(await callRetinue(made.project, ["sessions", "show", first?.sessionId ?? ""])).toMatchObject({ code: 2 });
    expect(await callRetinue(made.project, ["sessions", "verify"])).toMatchObject({ code: 0 });
  });

  test("prune takes what is too old or too many", async () => {
    const made = await setUp([{ text: "one" }, { text: "two" }, { text: "three" }]);
    for (const task of ["first", "second", "third"]) await callRetinue(made.project, ["run", task]);
    expect(await callRetinue(made.project, ["sessions", "prune", "--older-than", "1d"])).toMatchObject({
      code: 0,
      stdout: "0 sessions deleted.\n",
    });
    expect(
      (parse(await callRetinue(made.project, ["sessions", "prune", "--keep", "1", "--json"])) as { deleted: string[] }).deleted,
    ).toHaveLength(2);
    expect((await callRetinue(made.project, ["sessions", "list"])).stdout).toMatch(/^session .*\nses_\w+ .* third\n$/);
  });

  test("what is damaged is named with its event, and what verifies can be exported", async () => {
    const made = await setUp([{ text: "the truth" }]);
    await callRetinue(made.project, ["run", "what is true?"]);
    const db = new DatabaseSync(databaseOf(made));
    db.exec("UPDATE messages SET response_content = 'a lie' WHERE request_type = 'continuation'");
    db.close();
    const ended = await callRetinue(made.project, ["sessions", "verify"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/^damaged: ses_\w+, event #3: response_content of message \d+ is not what its events say\n$/);
    const asData = await callRetinue(made.project, ["sessions", "verify", "latest", "--json"]);
    expect(asData.code).toBe(1);
    expect((parse(asData) as Verification).damage).toMatchObject([{ seq: 3 }]);
    const exported = await callRetinue(made.project, ["sessions", "export", "latest"]);
    expect(exported.code).toBe(1);
    expect(exported.stdout).toContain("> the truth");
    expect(exported.stderr).toContain("the session is damaged at event #3");
  });

  test("of a session whose events are damaged the tree shows what verifies, and says so", async () => {
    const made = await setUp([{ text: "the truth" }]);
    await callRetinue(made.project, ["run", "what is true?"]);
    const db = new DatabaseSync(databaseOf(made));
    db.exec("UPDATE events SET hash = 'wrong' WHERE id = (SELECT MAX(id) - 1 FROM events)");
    db.close();
    const ended = await callRetinue(made.project, ["sessions", "show", "latest"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^damaged at event #\d+: .*; the tree shows what verifies$/m);
    expect(ended.stdout).toMatch(/main +#1 +running/);
    expect(
      (parse(await callRetinue(made.project, ["sessions", "show", "latest", "--json"])) as { damage: Damage }).damage.seq,
    ).toBeGreaterThan(1);
  });
});

describe("a store that cannot be used is left as it is, and why is said", () => {
  test.each<[string, (file: string) => Promise<void> | void, RegExp]>([
    [
      "of a newer Retinue",
      (file) => {
        const db = new DatabaseSync(file);
        db.exec("PRAGMA user_version = 999");
        db.close();
      },
      /\[store_newer\]\n(?: {2}.*\n)* {2}hint: Update Retinue/,
    ],
    ["of something else", (file) => writeFile(file, "my diary"), /retinue\.db is not a SQLite database\. \[store_foreign\]/],
  ])("%s", async (_what, spoil, stderr) => {
    const { project } = await setUp([{ text: "fine" }]);
    await callRetinue(project, ["run", "anything"]);
    const file = join(project.home, "retinue.db");
    await spoil(file);
    const before = await readFile(file, "base64");
    for (const words of [["sessions", "list"], ["stats"], ["replay", "latest"], ["sessions", "verify"], ["run", "more"]]) {
      const ended = await callRetinue(project, words);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(stderr);
    }
    expect(await readFile(file, "base64")).toBe(before);
  });

  test("that may only be read", async () => {
    const { project } = await setUp([{ text: "fine" }]);
    await callRetinue(project, ["run", "anything"]);
    const file = join(project.home, "retinue.db");
    // Whoever is root may write anything, so that it is looked at as somebody else.
    const isRoot = process.geteuid?.() === 0;
    const nobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    if (isRoot) for (const place of [project.home, file]) chownSync(place, 65_534, 65_534);
    chmodSync(dirname(project.home), 0o755);
    chmodSync(file, 0o444);
    const child = spawn(process.execPath, [BIN, "sessions", "list"], {
      cwd: "/",
      env: toEnvironment(project.home),
      stdio: ["ignore", "ignore", "pipe"],
      ...nobody,
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(2);
    expect(stderr).toMatch(/^retinue: The store \S+retinue\.db cannot be written .*\[store_unreadable\]\n {2}hint: /);
  });
});
