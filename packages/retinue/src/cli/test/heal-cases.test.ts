// @module-tag long
/** A passed case that is done again on an application whose elements have changed: what healing may do, in which order, and what it never does. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { NOTES_CASE, RECORDED, startNotes, type NotesApp } from "../testing/notes-app.ts";
import type { Ended, Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

describe("healing", { timeout: 120_000 }, () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let notes: NotesApp;
  let project: Project;
  beforeAll(async () => {
    notes = await startNotes();
    cleanups.push(notes.close);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  type Ran = { readonly result: CaseResult; readonly ended: Ended };
  const call = (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    callRetinue(project, ["test", ".", "-m", "offline/rules", "--var", `baseUrl=${notes.url}`, ...words], env);
  const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> => {
    const ended = await call(["--json", ...words], env);
    expect(ended.stdout, ended.stderr).not.toBe("");
    return { result: (JSON.parse(ended.stdout) as SuiteResult).cases[0] as CaseResult, ended };
  };

  /** A case that has passed, as it was recorded. */
  beforeEach(async () => {
    notes.show(RECORDED);
    project = await createProject();
    cleanups.push(project.remove);
    await writeFile(join(project.workspace, "a.yaml"), NOTES_CASE());
    const { result } = await run([]);
    expect(result.verdict, result.reason).toBe("pass");
  });

  test(
    "an element that has kept its role and name is found by them, whatever else has changed, and nothing is healed",
    { tags: ["long"] },
    async () => {
      notes.show({ ...RECORDED, attributes: 'data-testid="other"', before: "<button>Help</button>" });
      const { result } = await run(["--rerun"]);
      expect(result).toMatchObject({ verdict: "pass", healed: false });
    },
  );

  test("an element that comes late is waited for, and nothing is healed", async () => {
    notes.show({ ...RECORDED, lateMs: 500 });
    expect((await run(["--rerun"])).result).toMatchObject({ verdict: "pass", healed: false });
  });

  test("one that was renamed is found by a stable attribute before its place, and one without by its place; both are said", async () => {
    // By its place it would be the other button.
    notes.show({ ...RECORDED, button: "Store", before: "<button>Keep</button>", attributes: 'data-testid="save"' });
    const byAttribute = await run(["--rerun"]);
    expect(byAttribute.result).toMatchObject({ verdict: "pass", healed: true });
    expect(byAttribute.result.steps[1]?.healed).toEqual([
      'button "Save" was found by its attribute data-testid="save": now button "Store"',
    ]);
    notes.show({ ...RECORDED, button: "Store", attributes: "" });
    const byPlace = await run(["--rerun"]);
    expect(byPlace.result.steps[1]?.healed).toEqual([
      'button "Save" was found by its place (button 2 of 2 in form "Note"): now button "Store"',
    ]);
  });

  test(
    "report shows what would be done otherwise, and keeps the recording; save keeps what passed, which then needs no healing",
    { tags: ["long"] },
    async () => {
      notes.show({ ...RECORDED, button: "Store" });
      const diff = [
        '- step 2: browser_click(role="button", name="Save")',
        '+ step 2: browser_click(role="button", name="Store")',
      ];
      const [junit, html] = [join(project.workspace, "junit.xml"), join(project.workspace, "report.html")];
      const reported = await call(["--rerun", "--junit", junit, "--html", html]);
      expect(reported.code).toBe(0);
      expect(reported.stdout).toContain("✓ PASS It saves");
      expect(reported.stdout).toContain("[healed]");
      for (const line of [...diff, "not saved: --rerun --heal save would"]) expect(reported.stdout).toContain(line);
      expect(await readFile(junit, "utf8")).toContain('<property name="healed" value="true"/>');
      expect(await readFile(html, "utf8")).toContain("Healed, and not saved");
      expect((await run(["--rerun", "--strict"])).ended.code).toBe(7);

      const saved = await run(["--rerun", "--heal", "save"]);
      expect(saved.result.healing).toEqual({ saved: true, diff });
      const again = await run(["--rerun", "--heal", "off"]);
      expect(again.result).toMatchObject({ verdict: "pass", healed: false });
    },
  );

  test("what is expected is never healed: where a check does not hold, the case is inconclusive and nothing is saved", async () => {
    notes.show({ ...RECORDED, button: "Store", result: "Lost" });
    const { result, ended } = await run(["--rerun", "--heal", "save"]);
    expect(result).toMatchObject({ verdict: "inconclusive", healed: true, healing: { saved: false } });
    expect(result.reason).toContain("After step 2 was healed: Expected that");
    expect(ended.code).toBe(5);
    expect(await readFile(join(project.workspace, "a.yaml"), "utf8")).toBe(NOTES_CASE());
    notes.show(RECORDED);
    expect((await run(["--rerun", "--heal", "off"])).result).toMatchObject({ verdict: "pass", healed: false });
  });

  test(
    "off, and by default in CI, an element that is not there as recorded ends inconclusive, and never as a failure",
    { tags: ["long"] },
    async () => {
      notes.show({ ...RECORDED, button: "Save all" });
      for (const [words, env] of [
        [["--rerun", "--heal", "off"], {}],
        [["--rerun"], { CI: "true" }],
      ] as const) {
        const { result, ended } = await run(words, env);
        expect(result).toMatchObject({ verdict: "inconclusive", healed: false });
        expect(result.reason).toContain('Nothing on the page is button "Save" any more');
        expect(ended.code).toBe(5);
      }
      expect((await run(["--rerun", "--heal", "report"], { CI: "true" })).result).toMatchObject({
        verdict: "pass",
        healed: true,
      });
    },
  );

  test.each([
    [["--heal", "save"], "needs --rerun"],
    [["--rerun", "--heal", "always"], "--heal always is not known"],
  ])("%j is refused before anything runs", async (words, why) => {
    const ended = await call(words);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(why);
  });
});
