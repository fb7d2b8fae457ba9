/** A step of a passed case that nothing finds any more: one agent may do it otherwise, and only what the runner sees afterwards makes it a pass. Only the model is played. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call } from "../testing/mock-project.ts";
import { NOTES_CASE, REBUILT, RECORDED, startNotes, type NotesApp, type NotesPage } from "../testing/notes-app.ts";
import { PASS, playTesters, put, type Said } from "../testing/play-testers.ts";

const CLICK = (name: string) => call("browser_click", { role: "button", name });

describe("a step that nothing finds any more", { timeout: 180_000 }, () => {
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
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CaseResult> => {
    const ended = await callRetinue(project, ["test", ".", "--json", "--var", `baseUrl=${notes.url}`, ...words], env);
    expect(ended.stdout, ended.stderr).toContain('"cases"');
    return (JSON.parse(ended.stdout) as SuiteResult).cases[0] as CaseResult;
  };

  /** A case that has passed by rules, whose application is another since. */
  const createPassed = async (said: Said, page: NotesPage = REBUILT, text = NOTES_CASE()): Promise<MockProject> => {
    notes.show(RECORDED);
    const made = await testers.create(said);
    await put(made, "a.yaml", text);
    const passed = await run(made, ["-m", "offline/rules"]);
    expect(passed.verdict, passed.reason).toBe("pass");
    notes.show(page);
    return made;
  };

  const DIFF = ['- step 2: browser_click(role="button", name="Save")', '+ step 2: browser_click(role="button", name="Store")'];

  test("is done otherwise by one agent, which is shown as a diff; saved, it needs neither agent nor healing again", async () => {
    const made = await createPassed({ act: () => CLICK("Store") });
    const reported = await run(made, ["--rerun"]);
    expect(reported).toMatchObject({ verdict: "pass", healed: true, healing: { saved: false, diff: DIFF } });
    expect(reported.steps[1]?.healed).toEqual([
      'an agent with local/any-name did it otherwise: browser_click(role="button", name="Store")',
    ]);
    // One turn that acts and one that tells; nobody plans, evaluates or gives a verdict.
    expect(made.server.requests).toHaveLength(2);
    expect(made.server.requests[0]?.text).toContain("could not be done: browser_click");

    expect(await run(made, ["--rerun", "--heal", "save"])).toMatchObject({ healing: { saved: true, diff: DIFF } });
    const asked = made.server.requests.length;
    expect(await run(made, ["--rerun", "--heal", "off"])).toMatchObject({ verdict: "pass", healed: false });
    expect(made.server.requests).toHaveLength(asked);
    expect(await readFile(join(made.project.workspace, "a.yaml"), "utf8")).toBe(NOTES_CASE());
  });

  test.each([
    ["does nothing", { act: () => undefined }, REBUILT],
    ["only looks", { act: () => call("browser_snapshot", {}) }, REBUILT],
    ["does something else", { act: () => CLICK("Cancel") }, REBUILT],
    ["goes to an address that looks right", { act: () => call("browser_navigate", { url: "/saved" }) }, REBUILT],
    ["runs a command", { act: () => call("shell", { command: "echo Saved > saved.txt" }) }, REBUILT],
    ["does it where the application has a fault", { act: () => CLICK("Store") }, { ...REBUILT, result: "Lost" }],
  ] as const satisfies readonly (readonly [string, Said, NotesPage])[])(
    "never passes by the word of an agent that %s and reports PASS; nothing is saved, and what is expected stays",
    async (_, said, page) => {
      const made = await createPassed({ ...said, say: () => PASS }, page);
      const before = notes.asked.length;
      const result = await run(made, ["--rerun", "--heal", "save"]);
      expect(result).toMatchObject({ verdict: "inconclusive", healed: false });
      expect(result.healing?.saved ?? false).toBe(false);
      expect(result.reason).toMatch(/^Step 2: What was recorded could not be done again, and an agent /);
      expect(notes.asked.slice(before)).not.toContain("/saved");
      expect(await readFile(join(made.project.workspace, "a.yaml"), "utf8")).toBe(NOTES_CASE());
    },
  );

  test("is not healed where its checks hold already and so could not tell, nor where it has prose alone", async () => {
    const weak = NOTES_CASE().replace(/\{ check: text.*/, `{ check: visible, element: 'heading "Notes"', withinMs: 500 }`);
    const made = await createPassed({ act: () => CLICK("Cancel") }, REBUILT, weak);
    expect(await run(made, ["--rerun", "--heal", "save"])).toMatchObject({ verdict: "inconclusive", healed: false });
    const both = NOTES_CASE().replace(
      "expected: { check: text",
      'expected:\n      - The page shows "Notes"\n      - { check: text',
    );
    const prose = await createPassed({ act: () => CLICK("Store") }, REBUILT, both);
    expect(await run(prose, ["--rerun", "--heal", "save"])).toMatchObject({ verdict: "inconclusive", healed: false });
    expect(made.server.requests).toHaveLength(0);
  });

  test.each([
    [["--heal", "off"], {}],
    [[], { CI: "true" }],
    [["--heal", "save", "-m", "offline/rules"], {}],
    // Nobody serves it.
    [["-m", "ollama/none"], {}],
  ])("is as it would be without a model with %j %j", async (words, env) => {
    const made = await createPassed({ act: () => CLICK("Store") });
    expect(await run(made, ["--rerun", ...words], env)).toMatchObject({ verdict: "inconclusive", healed: false });
    expect(made.server.requests).toHaveLength(0);
  });
});
