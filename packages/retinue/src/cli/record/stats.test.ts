import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Stats } from "@retinue/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call, createMockProject, widestLine } from "../testing/mock-project.ts";
import type { MockProject } from "../testing/mock-project.ts";
import type { Ended } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe("figures of what is recorded", () => {
  let made: MockProject;
  const run = (...words: string[]): Promise<Ended> => callRetinue(made.project, words);
  const statsBy = async (...words: string[]): Promise<readonly Stats[]> =>
    (JSON.parse((await run("stats", "--json", ...words)).stdout) as { stats: Stats[] }).stats;

  beforeAll(async () => {
    // Three searches at once, of which one never ends.
    made = await createMockProject(({ body }) => {
      const text = JSON.stringify(body);
      if (text.includes("sub-agent (depth 1"))
        return text.includes("endless") && !text.includes("Hand in what you have")
          ? { toolCalls: [call("ls", {})] }
          : { text: "Found." };
      if (text.includes("Found.") || text.includes("stuck")) return { text: "All done." };
      const search = (task: string) => call("delegate_to_agent", { agent: "code-search", task });
      return { toolCalls: [search("find one"), search("find two"), search("an endless search")] };
    });
    cleanups.push(made.remove);
    expect(await run("run", "search thrice")).toMatchObject({ code: 0, stdout: "All done.\n" });
  });

  test("are told by agent: runs, success, time, tokens, cost and why some stopped early", async () => {
    const stats = await statsBy();
    expect(stats).toMatchObject([
      { key: "code-search", runs: 3, completed: 2, successRate: 2 / 3 },
      { key: "main", runs: 1, completed: 1, successRate: 1 },
    ]);
    expect(Object.values(stats[0]?.bailouts ?? {})).toEqual([1]);
    const ended = await run("stats");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(
      /^agent +runs +done +partial +time +in +out +cost\ncode-search +3 +67 % +\d+ +\d+\.\d s +\S+ +\S+ +\S+\n {2}stopped early: \w+ 1\nmain +1 +100 % /,
    );
    expect(widestLine(ended.stdout)).toBeLessThanOrEqual(80);
  });

  test("are told by pair, model, depth and day, and of a time or a session alone", async () => {
    expect((await statsBy("--by", "pair")).map(({ key, runs }) => [key, runs])).toEqual([["main → code-search", 3]]);
    expect((await statsBy("--by", "model")).map(({ key, runs }) => [key, runs])).toEqual([["local/any-name", 4]]);
    expect((await statsBy("--by", "depth")).map(({ key, runs }) => [key, runs])).toEqual([
      ["0", 1],
      ["1", 3],
    ]);
    expect((await statsBy("--by", "day")).map(({ runs }) => runs).reduce((sum, runs) => sum + runs, 0)).toBe(4);
    expect(await statsBy("--since", "2999-01-01")).toEqual([]);
    expect((await statsBy("--since", "1h", "--session", "latest")).map(({ runs }) => runs)).toEqual([3, 1]);
  });

  test("stand in the prompt of the main agent where that is set, and nowhere else", async () => {
    const systemOf = (): string => JSON.stringify(made.server.requests.at(-1)?.body);
    await run("run", "say stuck");
    expect(systemOf()).not.toContain("Sub-Agents So Far");
    await callRetinue(made.project, ["run", "say stuck"], { RETINUE_AGENT__STATS_IN_PROMPT: "true" });
    expect(systemOf()).toContain("## Sub-Agents So Far");
    expect(systemOf()).toMatch(/\| code-search \| 3 \| 67 % \| \d \| \d+\.\d s \| \d+ \| \S+ \|/);
  });
});

test("where nothing is recorded there are no figures", async () => {
  const made = await createMockProject([]);
  cleanups.push(made.remove);
  expect(await callRetinue(made.project, ["stats"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "retinue: nothing is recorded yet.\n",
  });
});

test("a row whose figures somebody changed is named by the list and the figures, and what else is recorded is told", async () => {
  const made = await createMockProject([{ text: "One." }, { text: "Two." }]);
  cleanups.push(made.remove);
  for (const task of ["one", "two"]) await callRetinue(made.project, ["run", task]);
  const db = new DatabaseSync(join(made.project.home, "retinue.db"));
  db.exec(`UPDATE sessions SET prompt_tokens = 9007199254740993 WHERE number = 1;
    UPDATE figures SET prompt = 9007199254740993 WHERE rowid = (SELECT min(rowid) FROM figures)`);
  db.close();
  const list = await callRetinue(made.project, ["sessions", "list"]);
  expect(list).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^retinue: The figures of \S+ are wrong in the record; /),
  });
  expect(list.stdout.split("\n")).toHaveLength(4);
  const stats = await callRetinue(made.project, ["stats"]);
  expect(stats).toMatchObject({ code: 0, stderr: expect.stringContaining("The figures of main are wrong in the record") });
  expect(await callRetinue(made.project, ["sessions", "verify"])).toMatchObject({ code: 1 });
});
