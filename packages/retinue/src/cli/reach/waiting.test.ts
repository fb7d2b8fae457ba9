import type { RecordedEvent } from "@retinue/protocol";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call, createMockProject } from "../testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A model that wants to write a file, then says how that went. Nobody is there to ask. */
const createAsking = async (more = ""): Promise<MockProject> => {
  const made = await createMockProject(
    ({ text }) =>
      /"role":"tool"/.test(text)
        ? { text: "I was answered." }
        : { text: "May I?", toolCalls: [call("write", { path: "new.txt", content: "new\n" })] },
    `approvals: { unattended: park${more} }\n`,
  );
  cleanups.push(made.remove);
  return made;
};

const written = ({ project }: MockProject): Promise<string> =>
  readFile(join(project.workspace, "new.txt"), "utf8").catch(() => "");

const questionOf = async ({ project }: MockProject): Promise<string> => {
  const { stdout } = await callRetinue(project, ["approvals", "list", "--json"]);
  const [asked] = (JSON.parse(stdout) as { approvals: { approvalId: string }[] }).approvals;
  if (!asked) throw new Error("nothing is asked");
  return asked.approvalId;
};

const headOf = async ({ project }: MockProject): Promise<number> => {
  const { stdout } = await callRetinue(project, ["sessions", "list", "--json"]);
  return (JSON.parse(stdout) as { sessions: { headSeq: number }[] }).sessions[0]?.headSeq ?? 0;
};

describe("a run that waits for an answer, with nobody there", { timeout: 240_000 }, () => {
  test("is told with what it waits for and exit code 4, listed as waiting, and goes on at once with --resume", async () => {
    const made = await createAsking();
    const { project } = made;
    const parked = await callRetinue(project, ["run", "write a file"]);
    expect(parked).toMatchObject({ code: 4, signal: null, stdout: "" });
    expect(parked.stderr).toContain("May I?\n");
    const id = await questionOf(made);
    for (const part of [
      id,
      "wants to write with write:",
      "path: new.txt",
      "waits for 1 answer",
      "retinue approvals answer ID --allow",
    ])
      expect(parked.stderr).toContain(part);
    expect((await callRetinue(project, ["sessions", "list"])).stdout).toMatch(/ waits for an approval +1 /);
    expect((await callRetinue(project, ["sessions", "show", "latest"])).stdout).toContain(
      "waits for an approval, local/any-name",
    );
    const { stdout } = await callRetinue(project, ["sessions", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ state: "waiting", openQuestions: 1 }] });
    expect(await written(made)).toBe("");

    const answered = await callRetinue(project, ["approvals", "answer", id, "--allow", "--resume", "--quiet"]);
    expect(answered).toMatchObject({ code: 0 });
    expect(answered.stdout).toMatch(/^allowed \(once\) apr_.*\nI was answered\.\n$/);
    expect(await written(made)).toBe("new\n");
    expect(made.server.requests).toHaveLength(2);
  });

  test("with --json prints the events up to there and ends likewise; a no and its reason reach the agent", async () => {
    const made = await createAsking();
    const parked = await callRetinue(made.project, ["run", "--json", "write a file"]);
    expect(parked).toMatchObject({ code: 4, stderr: "" });
    const events = parked.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedEvent);
    expect(events.at(-1)).toMatchObject({ type: "run.parked", on: [{ type: "approval" }] });
    const id = await questionOf(made);
    await callRetinue(made.project, ["approvals", "answer", id, "--deny", "--reason", "not today"]);
    expect(await callRetinue(made.project, ["sessions", "resume", "latest"])).toMatchObject({
      code: 0,
      stdout: "I was answered.\n",
    });
    expect(made.server.requests.at(-1)?.text).toContain("The user said no: not today");
    expect(await written(made)).toBe("");
  });

  test("of what an agent asks the user is listed as a question and answered in words, from any terminal", async () => {
    const made = await createMockProject(
      ({ text }) =>
        /"role":"tool"/.test(text)
          ? { text: "I know the port." }
          : { toolCalls: [call("ask_user", { question: "Which port?", options: ["80", "8080"] })] },
      "approvals: { unattended: park }\napprove: all\n",
    );
    cleanups.push(made.remove);
    const { project } = made;
    const parked = await callRetinue(project, ["run", "serve it"]);
    expect(parked).toMatchObject({ code: 4, stdout: "" });
    for (const part of ["asks you:", "Which port?", "2  8080", "approvals answer ID --text ANSWER, or --deny;"])
      expect(parked.stderr).toContain(part);
    const id = await questionOf(made);
    const bare = await callRetinue(project, ["approvals", "answer", id, "--allow"]);
    expect(bare).toMatchObject({ code: 2 });
    expect(bare.stderr).toContain("a yes is no answer");
    const answered = await callRetinue(project, ["approvals", "answer", id, "--text", "8080", "--resume", "--quiet"]);
    expect(answered).toMatchObject({ code: 0 });
    expect(answered.stdout).toMatch(/^answered apr_.*\nI know the port\.\n$/);
    expect(made.server.requests.at(-1)?.text).toContain("The user answered: 8080");
  });

  test("is spoken to, answered and stopped with --json: each prints one object that says what was recorded, and who drives the run", async () => {
    const made = await createAsking();
    const { project } = made;
    expect(await callRetinue(project, ["run", "write a file"])).toMatchObject({ code: 4 });
    const approvalId = await questionOf(made);
    const printed = async (words: readonly string[]): Promise<unknown> => {
      const { code, stdout, stderr } = await callRetinue(project, [...words, "--json"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^[^\n]+\n$/);
      return JSON.parse(stdout);
    };
    const at = { sessionId: expect.stringMatching(/^ses_/), driver: null };
    const run = { ...at, runId: expect.stringMatching(/^run_/) };
    expect(await printed(["send", "latest", "be quick"])).toEqual({ ...run, messageId: expect.stringMatching(/^msg_/) });
    const answered = await printed(["approvals", "answer", approvalId, "--allow", "--scope", "run"]);
    expect(answered).toEqual({ ...at, approvalId, allowed: true, scope: "run" });
    expect(await printed(["stop", "latest"])).toMatchObject({ ...run, result: { status: "cancelled" } });
  });

  test("goes on with --resume --json: the answer first, then the events, each on a line", async () => {
    const made = await createAsking();
    await callRetinue(made.project, ["run", "write a file"]);
    const words = ["approvals", "answer", await questionOf(made), "--allow", "--resume", "--json"];
    const { code, stdout } = await callRetinue(made.project, words);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type?: string });
    expect([code, lines[0], lines.at(-1)]).toMatchObject([0, { allowed: true }, { type: "run.settled" }]);
  });

  test("is told to be taken up by a server that waits for it, or by hand: nobody holds it, so that more is not known", async () => {
    const made = await createAsking();
    const { project } = made;
    await callRetinue(project, ["run", "write a file"]);
    const told =
      /; no process is at work on it now; a retinue serve of its folder continues it by itself, else retinue sessions resume ses_\w+ does\n$/;
    expect((await callRetinue(project, ["send", "latest", "be quick"])).stdout).toMatch(told);
    expect((await callRetinue(project, ["approvals", "answer", await questionOf(made), "--allow"])).stdout).toMatch(told);
  });

  test("of one agent alone ends its command the same way", async () => {
    const made = await createAsking();
    const parked = await callRetinue(made.project, ["spawn", "executor", "write a file"]);
    expect(parked).toMatchObject({ code: 4, stdout: "" });
    expect(parked.stderr).toContain("waits for 1 answer");
  });

  test("that is stopped is settled at once, though no process drives it and no model can be had", async () => {
    const made = await createAsking();
    const { project, settingsFile } = made;
    expect(await callRetinue(project, ["run", "write a file"])).toMatchObject({ code: 4 });
    await writeFile(settingsFile, (await readFile(settingsFile, "utf8")).replace("local:", "other:"));
    const stopped = await callRetinue(project, ["stop", "latest", "--reason", "no longer wanted"]);
    expect(stopped).toMatchObject({ code: 0 });
    expect(stopped.stdout).toMatch(/^run_\w+ \(main\) was driven by no living process; cancelled in /);
    const { stdout } = await callRetinue(project, ["sessions", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ state: "settled", status: "cancelled" }] });
    expect(await written(made)).toBe("");
    expect((await callRetinue(project, ["approvals", "list"])).stderr).toContain("nothing waits for an answer");
  });

  test("cannot be answered when its time is over, nor with half an answer: nothing is changed", async () => {
    const asking = await createAsking(", expiresMs: 3600000");
    expect(await callRetinue(asking.project, ["run", "write a file"])).toMatchObject({ code: 4 });
    expect((await callRetinue(asking.project, ["approvals"])).stdout).toMatch(/, expires in \d+ min$/m);
    const id = await questionOf(asking);
    const before = await headOf(asking);
    for (const words of [[], ["--allow", "--deny"], ["--deny", "--scope", "run"], ["--allow", "--scope", "ever"]]) {
      const refused = await callRetinue(asking.project, ["approvals", "answer", id, ...words]);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("[usage]");
    }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 3_600_000 });
    try {
      expect((await callRetinue(asking.project, ["approvals"])).stdout).toMatch(/, expired at 20/m);
      const late = await callRetinue(asking.project, ["approvals", "answer", id, "--allow"]);
      expect(late).toMatchObject({ code: 2, stdout: "" });
      expect(late.stderr).toContain("[approval_expired]");
    } finally {
      vi.useRealTimers();
    }
    expect(await headOf(asking)).toBe(before);
  });

  test("in another folder is listed with --all alone", async () => {
    const made = await createAsking();
    const elsewhere = join(made.project.workspace, "..", "elsewhere");
    await mkdir(elsewhere);
    expect(await callRetinue(made.project, ["run", "write a file"])).toMatchObject({ code: 4 });
    const here = await callRetinue(made.project, ["approvals", "list", "-C", elsewhere]);
    expect(here.stdout).toBe("");
    expect(here.stderr).toContain("--all lists 1 of other folders");
    expect((await callRetinue(made.project, ["approvals", "list", "--all", "-C", elsewhere])).stdout).toContain("apr_");
  });
});
