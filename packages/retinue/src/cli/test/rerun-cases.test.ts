/** Passed cases that are done again without a model, with everything that belongs to them: what agents did before and after, and what was not recorded. */
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { startNotes, type NotesApp } from "../testing/notes-app.ts";
import { playTesters, put } from "../testing/play-testers.ts";

const NOTES = `{ check: visible, element: 'heading "Notes"', withinMs: 500 }`;

const SUITE = (heading = "Notes"): string => `reset:
  - action: Navigate to \${baseUrl}/reset
    expected: { check: visible, element: 'heading "${heading}"', withinMs: 500 }
`;

const CASE = `title: It is there
before:
  - action: Navigate to \${baseUrl}/before
after:
  - action: Navigate to \${baseUrl}/after
steps:
  - action: Navigate to \${baseUrl}/there
    expected: ${NOTES}
`;

describe("a case that is done again", { timeout: 180_000 }, () => {
  const testers = playTesters();
  let notes: NotesApp;
  beforeAll(async () => {
    notes = await startNotes();
  });
  afterAll(async () => {
    await testers.remove();
    await notes.close();
  });

  const run = async (
    { project }: MockProject,
    ...words: readonly string[]
  ): Promise<{ readonly cases: readonly CaseResult[]; readonly paths: readonly string[]; readonly code: number | null }> => {
    const before = notes.asked.length;
    const ended = await callRetinue(project, ["test", ".", "--json", "--var", `baseUrl=${notes.url}`, ...words]);
    expect(ended.stdout, ended.stderr).toContain('"cases"');
    const paths = notes.asked.slice(before).filter((path) => path !== "/favicon.ico");
    return { cases: (JSON.parse(ended.stdout) as SuiteResult).cases, paths, code: ended.code };
  };

  const createPassed = async (text: string): Promise<MockProject> => {
    const made = await testers.create();
    await put(made, "suite.yaml", SUITE());
    await put(made, "a.yaml", text);
    const { cases } = await run(made, "-m", "offline/rules");
    expect(cases[0]?.verdict, cases[0]?.reason).toBe("pass");
    return made;
  };

  test("does what agents did before and after it again, too, and asks no model", { tags: ["long"] }, async () => {
    const made = await createPassed(CASE);
    const { cases, paths } = await run(made, "--rerun");
    expect(cases[0]).toMatchObject({ verdict: "pass", problems: [] });
    expect(paths).toEqual(["/reset", "/before", "/there", "/after"]);
    expect(made.server.requests).toHaveLength(0);
    // What the reset has to show is looked at anew.
    await put(made, "suite.yaml", SUITE("Seeded"));
    const unseeded = await run(made, "--rerun");
    expect(unseeded.cases[0]).toMatchObject({ verdict: "blocked", reason: expect.stringContaining("Seeded") });
    expect(unseeded.code).toBe(6);
  });

  test(
    "does not pass by what was not recorded: a step that is new, a reset that is new, or a case that has not passed",
    { tags: ["long"] },
    async () => {
      const made = await createPassed(CASE);
      await put(made, "a.yaml", `${CASE}  - action: Click the Save button\n    expected: ${NOTES}\n`);
      const longer = await run(made, "--rerun");
      expect(longer.cases[0]).toMatchObject({
        verdict: "inconclusive",
        problems: ["Step 2 was not recorded, so that it is not done again."],
      });
      await put(made, "a.yaml", CASE.replace("before:\n", "before:\n  - action: Navigate to ${baseUrl}/seed\n"));
      const seeded = await run(made, "--rerun");
      expect(seeded.cases[0]).toMatchObject({
        verdict: "blocked",
        reason: expect.stringMatching(
          /^What comes before the case was not recorded: "Navigate to .*Run it once without --rerun\.$/,
        ),
      });
      await put(made, "a.yaml", CASE);
      await put(made, "b.yaml", CASE.replace("It is there", "It is new"));
      const both = await run(made, "--rerun");
      expect(both.cases.map(({ verdict, reason }) => `${verdict} ${reason}`)).toEqual([
        "pass All 1 steps passed.",
        "blocked It has not passed yet, so that there is nothing to do again. Run it once without --rerun.",
      ]);
      expect(made.server.requests).toHaveLength(0);
    },
  );

  test("tells of a precondition in prose that nobody looked at", async () => {
    const made = await createPassed(`preconditions: ['The page shows "Notes"']\n${CASE}`);
    const { cases } = await run(made, "--rerun");
    expect(cases[0]).toMatchObject({
      verdict: "pass",
      problems: [String.raw`The precondition "The page shows \"Notes\"" is prose, and nobody looked whether it holds.`],
    });
  });
});
