import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import { call, createMockProject, mockSettings } from "./testing/mock-project.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { createProject } from "./testing/spawn-retinue.ts";
import type { Project } from "./testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const KEY = "sk-canary-0123456789";

const withKey = (baseUrl: string): string => mockSettings(baseUrl).replace(" } }", ', apiKeyEnv: "MY_API_KEY" } }');

/** A tree of runs on tape: two sub-agents at once, and an answer that names the folder. */
const recorded = async (): Promise<{ made: MockProject; tape: string }> => {
  const made = await createMockProject((request) => {
    const text = JSON.stringify(request.body);
    if (text.includes("sub-agent (depth 1"))
      return { text: `I am below and looked. ${text.includes("first") ? "One." : "Two."}` };
    if (text.includes("I am below")) return { text: "Both have looked." };
    return {
      toolCalls: [
        call("delegate_to_agent", { agent: "code-search", task: "look first" }),
        call("delegate_to_agent", { agent: "researcher", task: "look again", context: `in ${made.project.workspace}` }),
      ],
    };
  });
  cleanups.push(made.remove);
  await writeFile(made.settingsFile, withKey(made.server.baseUrl));
  const tape = join(made.project.workspace, "tape.jsonl");
  const ended = await callRetinue(made.project, ["run", "--record", tape, "have it looked at"], { MY_API_KEY: KEY });
  expect(ended).toMatchObject({ code: 0, stdout: "Both have looked.\n" });
  return { made, tape };
};

const elsewhere = async ({ server }: MockProject): Promise<Project> => {
  const project = await createProject();
  cleanups.push(project.remove);
  await writeFile(join(project.home, "retinue.yaml"), withKey(server.baseUrl));
  return project;
};

test("a whole tree of runs is recorded and replayed in another folder without a key, a server or the default model", async () => {
  const { made, tape } = await recorded();
  const text = await readFile(tape, "utf8");
  expect(text).not.toContain("canary");
  const requests = text.match(/"request":.*?"response":/g)?.join("\n");
  expect(requests).toContain("look again");
  expect(requests).not.toContain(made.project.workspace);
  const project = await elsewhere(made);
  await writeFile(join(project.home, "retinue.yaml"), withKey(made.server.baseUrl).replace(/^model:.*\n/, ""));
  const asked = made.server.requests.length;
  await made.server.close();
  const ended = await callRetinue(project, ["run", "--replay", tape, "have it looked at"]);
  expect(ended).toMatchObject({ code: 0, stdout: "Both have looked.\n" });
  expect(ended.stderr).toMatch(/^ {2}researcher: completed in /m);
  expect(made.server.requests).toHaveLength(asked);
});

test("what was not recorded is refused, with what differs", async () => {
  const { made, tape } = await recorded();
  const project = await elsewhere(made);
  const asked = made.server.requests.length;
  const ended = await callRetinue(project, ["run", "--replay", tape, "have it painted"]);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(/^retinue: \S+tape\.jsonl: POST .* differs from the nearest .* \[cassette_mismatch\]$/m);
  expect(ended.stderr).toContain("have it painted");
  expect(made.server.requests).toHaveLength(asked);
});

test("what was recorded and is not asked for any more is no success", { tags: ["long"] }, async () => {
  const { made, tape } = await recorded();
  const lines = (await readFile(tape, "utf8")).trimEnd().split("\n");
  await writeFile(tape, [...lines, lines.at(-1), ""].join("\n"));
  const ended = await callRetinue(await elsewhere(made), ["run", "--replay", tape, "have it looked at"]);
  expect(ended).toMatchObject({ code: 1, stdout: "Both have looked.\n" });
  expect(ended.stderr).toMatch(/1 exchange\(s\) were not played: .* \[cassette_mismatch\]/);
});

test.each<[string, readonly string[], RegExp]>([
  [
    "a cassette that there is not",
    ["--replay", "nowhere.jsonl"],
    /^retinue: The cassette \S+ cannot be read\. \[usage\]\n {2}why: ENOENT/,
  ],
  ["a folder in its place", ["--record", "."], /^retinue: The cassette \. cannot be written\. \[usage\]/],
  [
    "recording and replaying at once",
    ["--record", "a", "--replay", "b"],
    /^retinue: --record and --replay do not go together\. \[usage\]/,
  ],
])("%s is said with exit code 2", async (_what, words, stderr) => {
  const made = await createMockProject([]);
  cleanups.push(made.remove);
  const ended = await callRetinue(made.project, ["run", ...words, "task"]);
  expect(ended).toMatchObject({ code: 2, stdout: "" });
  expect(ended.stderr).toMatch(stderr);
});

test("a recording takes the place of a recording, and of nothing else", async () => {
  const made = await createMockProject([{ text: "one" }, { text: "two" }]);
  cleanups.push(made.remove);
  const folder = join(made.project.workspace, "tapes");
  await mkdir(folder);
  const [tape, diary] = [join(folder, "tape"), join(folder, "diary")];
  await writeFile(diary, "dear diary");
  const refused = await callRetinue(made.project, ["run", "--record", diary, "task"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/diary is no cassette and was left as it is\. \[file_exists\]/);
  expect(await readFile(diary, "utf8")).toBe("dear diary");
  for (const word of ["one", "two"])
    expect(await callRetinue(made.project, ["run", "--record", tape, "task"])).toMatchObject({ code: 0, stdout: `${word}\n` });
  expect(await callRetinue(made.project, ["run", "--replay", tape, "task"])).toMatchObject({ code: 0, stdout: "two\n" });
});
