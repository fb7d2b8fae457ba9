import type { RunNode, SessionExport, SessionRow } from "@retinue/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import type { MockProject } from "../testing/mock-project.ts";
import type { Ended } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Shown = {
  readonly session: SessionRow;
  readonly forkedFrom: { readonly seq: number } | null;
  readonly tree: readonly RunNode[];
};

describe("a fork", () => {
  let made: MockProject;
  let origin: SessionExport;

  const run = (...words: string[]): Promise<Ended> => callRetinue(made.project, words);
  const show = async (name: string): Promise<Shown> =>
    JSON.parse((await run("sessions", "show", name, "--json")).stdout) as Shown;
  const seqOf = (type: string, nth = 0): number => origin.events.filter((event) => event.type === type)[nth]?.seq ?? 0;
  const sessionId = (): string => origin.session.sessionId;
  const lastBody = (): string => JSON.stringify(made.server.requests.at(-1)?.body);

  beforeAll(async () => {
    let count = 0;
    made = await createMockProject(() => {
      count += 1;
      if (count === 1) return { text: "Looking.", toolCalls: [call("ls", {})] };
      return { text: `answer ${count}` };
    });
    cleanups.push(made.remove);
    await run("run", "what is here?");
    origin = JSON.parse((await run("sessions", "export", "latest", "--format", "json")).stdout) as SessionExport;
  });

  test("at the end takes a further task in a session of its own and leaves the other as it was", async () => {
    const before = (await show(sessionId())).session;
    const ended = await run("sessions", "fork", sessionId(), "and", "elsewhere?");
    expect(ended.code).toBe(0);
    for (const part of ["what is here?", "answer 2", "and elsewhere?"]) expect(lastBody()).toContain(part);
    const { session, forkedFrom } = await show("latest");
    expect(session.sessionId).not.toBe(sessionId());
    expect(forkedFrom).toEqual({ sessionId: sessionId(), runId: origin.events[0]?.runId, seq: origin.session.headSeq });
    expect((await show(sessionId())).session).toEqual(before);
  });

  test("at the end without a task has nothing to go on with, and says where it would have", async () => {
    const ended = await run("sessions", "fork", sessionId());
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^retinue: At event #\d+ everything was said and done\. \[task_empty\]\n {2}hint: .*--at/);
  });

  test("at the task without a word has it answered anew, by another model", async () => {
    const ended = await run("sessions", "fork", sessionId(), "--at", "1", "--model", "local/other");
    expect(ended.code).toBe(0);
    expect(lastBody()).toContain('"model":"other"');
    expect(lastBody()).toContain("what is here?");
    expect(lastBody()).not.toContain("Looking.");
  });

  test("at a message leaves when it was over: after a call with its result", async () => {
    const row = origin.messages.find(({ request_type: type }) => type === "tool_call");
    const ended = await run("sessions", "fork", sessionId(), "--at", String(row?.id));
    expect(ended.code).toBe(0);
    expect(lastBody()).toContain("Looking.");
    expect(lastBody()).not.toContain("answer 2");
    expect((await show("latest")).forkedFrom?.seq).toBe(seqOf("tool.settled"));
  });

  test("where calls were under way leaves before the turn that made them", async () => {
    const ended = await run("sessions", "fork", sessionId(), "--at", `#${seqOf("tool.started")}`);
    expect(ended.code).toBe(0);
    expect(lastBody()).not.toContain("Looking.");
  });

  test("takes another agent and another prompt; what is not changed stays as it was", async () => {
    const words = ["--agent", "researcher", "--prompt", "You are a walrus.", "go", "on"];
    expect(await run("sessions", "fork", sessionId(), ...words)).toMatchObject({ code: 0 });
    expect(lastBody()).toContain("You are a walrus.");
    expect(lastBody()).toContain('"model":"any-name"');
    expect((await show("latest")).tree).toEqual([expect.objectContaining({ agent: "researcher", depth: 0 })]);
  });

  test("somewhere else than there is is refused", async () => {
    for (const at of ["9999", "0", "x"]) {
      const ended = await run("sessions", "fork", sessionId(), "--at", at, "go on");
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(
        /is neither an event nor a message of ses_\w+\. \[usage\]\n {2}hint: Its events are #1 to #\d+/,
      );
    }
  });
});

describe("the prompt", () => {
  test("lists sessions, forks with the next turn, and tells what a session cost", async () => {
    let count = 0;
    const made = await createMockProject(() => ({ text: `answer ${(count += 1)}` }));
    cleanups.push(made.remove);
    const input = "/cost\nfirst\n/cost\n/sessions\n/fork 1\nother\n/sessions\n/resume nope\n/resume\n";
    const ended = await callRetinue(made.project, [], {}, input);
    expect(ended).toMatchObject({ code: 2, stdout: "answer 1\nanswer 2\n" });
    expect(ended.stderr).toMatch(/^retinue: No session has begun here yet\. \[session_unknown\]$/m);
    expect(ended.stderr).toMatch(/^agent +runs +done .*\nmain +1 +100 %.*\n\d+ tokens in, \d+ out, /m);
    expect(ended.stderr).toMatch(/^The next turn leaves ses_\w+ at event #1 and goes on in a session of its own\.$/m);
    expect(ended.stderr).toMatch(/^ses_\w+ .* other\nses_\w+ .* first$/m);
    expect(ended.stderr).toMatch(/^retinue: There is no session nope\. \[session_unknown\]$/m);
    expect(ended.stderr).toMatch(/^retinue: \/resume needs an id\. \[usage\]$/m);
    const forked = JSON.stringify(made.server.requests[1]?.body);
    expect(forked).toContain("first");
    expect(forked).toContain("other");
    expect(forked).not.toContain("answer 1");
  });
});
