import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RecordedEvent } from "@retinue/protocol";
import { afterAll, describe, expect, test } from "vitest";
import type { Evidence } from "./examine.ts";
import { examineInputs } from "./examine-inputs.ts";
import { examineMerge } from "./examine-merge.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { VictimLine } from "./victim-line.ts";
import { PLANTED_LOCKS, workspaceIn, worktreesIn } from "./victim-worktrees.ts";

const scenario = SCENARIOS["busy-tree"];
const place = mkdtempSync(path.join(tmpdir(), "retinue-examine-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Only what is looked at. */
const event = (type: string, more: object): RecordedEvent => ({ type, runId: "run_victim", ...more }) as unknown as RecordedEvent;

const message = event("message.received", { from: "human" });
const letter = event("message.received", { from: "run_scout" });
const SOUND = [
  event("tool.started", { callId: "to-scout", input: { background: true } }),
  event("run.requested", { runId: "run_scout", parentCallId: "to-scout" }),
  message,
  event("cancel.requested", {}),
  letter,
  event("worktree.merged", { conflicts: [], ref: null }),
];

const requested = (told: number): VictimLine => ({ type: "requested", agent: "lead", answered: 0, parts: [], told });

const evidence = (events: readonly RecordedEvent[], told: readonly number[] = [0, 1], folder = ""): Evidence => ({
  scenario,
  folder,
  said: [told.map(requested)],
  crashes: [],
  final: { events, faults: [] },
});

const found = (judge: typeof examineInputs, given: Evidence): readonly string[] => {
  const all: string[] = [];
  judge(given, (kind, what) => void all.push(`${kind}: ${what}`));
  return all;
};

describe("what was said to a tree", () => {
  test("is found right where each was recorded and heard once", () => {
    expect(found(examineInputs, evidence(SOUND))).toEqual([]);
  });

  test.each<[string, Evidence]>([
    ["the message was recorded 2 times", evidence([...SOUND, message])],
    ["the stop was recorded 0 times", evidence(SOUND.filter(({ type }) => type !== "cancel.requested"))],
    ["the last request holds the message 0 times", evidence(SOUND, [0, 1, 0])],
    ["a request holds the message more than once", evidence(SOUND, [2, 1])],
    ["run_scout was heard of 2 times", evidence([...SOUND, letter])],
    ["run_scout was heard of 0 times", evidence(SOUND.filter((one) => one !== letter))],
  ])("is found wrong where %s", (what, given) => {
    expect(found(examineInputs, given)).toEqual([`wrong-input: ${what}`]);
  });
});

describe("what was merged", () => {
  const createFolder = (files: Readonly<{ [file: string]: string }>): string => {
    const folder = mkdtempSync(path.join(place, "run-"));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(workspaceIn(folder), file)), { recursive: true });
      writeFileSync(path.join(workspaceIn(folder), file), text);
    }
    return folder;
  };
  const whole = scenario.expected.files ?? {};
  const judge = (folder: string, events: readonly RecordedEvent[] = SOUND): string =>
    found(examineMerge, evidence(events, [0, 1], folder)).join("\n");

  test("is found right where the workspace holds just that", () => {
    expect(judge(createFolder(whole))).toBe("");
  });

  test("is found wrong where a file is empty, missing or beside, or was merged twice or not at all", () => {
    expect(judge(createFolder({ ...whole, "made/new.txt": "" }))).toContain("wrong-merge: the workspace holds");
    expect(judge(createFolder({ "kept.txt": "kept\n" }))).toContain("wrong-merge: the workspace holds");
    expect(judge(createFolder({ ...whole, ".retinue-merge.tmp": "" }))).toContain("wrong-merge: the workspace holds");
    const merged = SOUND.filter(({ type }) => type === "worktree.merged");
    expect(judge(createFolder(whole), [...SOUND, ...merged])).toContain("2 merges were recorded");
    const refused = [event("worktree.merged", { conflicts: [{ path: "changed.txt", reason: "r" }], ref: "refs/x" })];
    expect(judge(createFolder(whole), refused)).toContain("not all was merged");
  });

  test("is found wrong where a worktree was left behind", () => {
    const folder = createFolder(whole);
    mkdirSync(path.join(worktreesIn(folder), "run_left"), { recursive: true });
    expect(judge(folder)).toBe("wrong-merge: run_left was left behind");
  });

  test("is found wrong where a lock of ours would stop the user's git, or one of the user's was removed", () => {
    const planted = Object.fromEntries(PLANTED_LOCKS.map((name) => [`.git/${name}`, ""]));
    expect(judge(createFolder({ ...whole, ...planted }))).toBe("");
    expect(judge(createFolder({ ...whole, ".git/HEAD.lock": "" }))).toBe("wrong-merge: HEAD.lock would stop the user's git");
    expect(judge(createFolder({ ...whole, ".git/index.lock": "" }))).toContain("are left of the locks of the user");
  });
});
