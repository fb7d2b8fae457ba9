/** A real session has one view: followed live while it runs, read from the record afterwards, or in pieces as a feed brings it. */
import { createSessionView, foldSession } from "@retinue/client";
import { flattenView } from "@retinue/client/testing";
import { isLive, type RecordedEvent, type RetinueEvent } from "@retinue/protocol";
import { EVENT_VERSION, readEvent } from "@retinue/protocol/schemas";
import type { SessionExport } from "@retinue/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import type { MockProject } from "../testing/mock-project.ts";

const HISTORY = [
  { text: "I have it searched.", toolCalls: [call("delegate_to_agent", { agent: "code-search", task: "find the zebra" })] },
  { text: "The zebra is in zoo.txt." },
  { toolCalls: [call("todo", { items: [{ text: "write notes", status: "in_progress" }] })] },
  { toolCalls: [call("write", { path: "notes.md", content: "zebra\n" }), call("read", { path: "missing.txt" })] },
  { text: "Done." },
];

let made: MockProject;
let followed: readonly RetinueEvent[];
let recorded: readonly RecordedEvent[];

beforeAll(async () => {
  made = await createMockProject(HISTORY);
  const ended = await callRetinue(made.project, ["run", "--approve", "all", "--json", "take notes of the zebra"]);
  followed = ended.stdout
    .trimEnd()
    .split("\n")
    .map((line) => readEvent(JSON.parse(line)));
  const exported = await callRetinue(made.project, ["sessions", "export", "latest", "--format", "json"]);
  recorded = (JSON.parse(exported.stdout) as SessionExport).events;
});

afterAll(() => made.remove());

const viewOf = (events: readonly RetinueEvent[]): unknown =>
  flattenView(foldSession(recorded[0]?.sessionId ?? "ses_none", events));

test("the view of a session that was followed live equals that of its record", () => {
  expect(followed.some(isLive)).toBe(true);
  expect(viewOf(followed)).toEqual(viewOf(recorded));
});

test("the view of a feed that was cut off at every event and read again equals that of the whole", () => {
  const whole = viewOf(recorded);
  for (let cut = 0; cut <= recorded.length; cut += 1) {
    const { view, apply } = createSessionView(recorded[0]?.sessionId ?? "ses_none");
    recorded.slice(0, cut).forEach(apply);
    expect(recorded.slice(Math.max(0, cut - 3)).map(apply)).not.toContain("gap");
    expect(flattenView(view)).toEqual(whole);
  }
});

test("it tells the tree, the plan, the calls and the sums of what was really done", () => {
  const view = foldSession(recorded[0]?.sessionId ?? "ses_none", recorded);
  const [main] = view.roots;
  expect(main).toMatchObject({ agent: "main", state: { type: "settled", status: "completed" }, drives: 1 });
  expect(main?.todo).toEqual([{ text: "write notes", status: "in_progress" }]);
  expect(main?.steps.map(({ text, calls }) => [text, calls.map(({ tool, outcome }) => `${tool} ${outcome}`)])).toEqual([
    ["I have it searched.", ["delegate_to_agent ok"]],
    ["", ["todo ok"]],
    ["", ["write ok", "read error"]],
    ["Done.", []],
  ]);
  expect(main?.steps[0]?.calls[0]?.children.map(({ agent }) => agent)).toEqual(["code-search"]);
  expect(main?.own).toMatchObject({ modelCalls: 4, toolCalls: 4, runs: 1 });
  expect(main?.inclusive).toMatchObject({ modelCalls: 5, toolCalls: 4, runs: 2 });
  expect(main?.own.usage).toEqual(main?.result?.usage);
});

test("every event of it is one that its schema knows", () => {
  for (const event of recorded) expect(readEvent(event, { version: EVENT_VERSION })).toBe(event);
});
