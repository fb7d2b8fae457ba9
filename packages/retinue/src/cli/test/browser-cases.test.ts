/** Test cases in a real Chromium without any model: the offline rules carry them out, and passed ones are done again by nobody at all. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";
import { startShop, type Shop } from "../testing/start-shop.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const EXAMPLES = fileURLToPath(new URL("../../../../../examples/test-cases/", import.meta.url));
const LOGIN =
  'Type "ada@example.com" into the Email field, type "{password}" into the Password field and click the Log in button';

describe("without a key", { timeout: 300_000 }, () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    cleanups.push(shop.close);
  });

  const createTests = async (files: Readonly<Record<string, string>>): Promise<Project> => {
    const project = await createProject();
    cleanups.push(project.remove);
    for (const [name, text] of Object.entries(files)) await writeFile(join(project.workspace, name), text);
    return project;
  };

  const run = async (
    project: Project,
    ...words: readonly string[]
  ): Promise<{ readonly cases: readonly CaseResult[]; readonly all: string }> => {
    const ended = await callRetinue(project, [
      "test",
      ".",
      "--json",
      "-m",
      "offline/rules",
      "--var",
      `baseUrl=${shop.url}`,
      ...words,
    ]);
    expect(ended.stdout, ended.stderr).not.toBe("");
    return { cases: (JSON.parse(ended.stdout) as SuiteResult).cases, all: ended.stdout + ended.stderr };
  };

  test("the examples pass, and the broken one fails with what was seen, and a picture of it", { tags: ["long"] }, async () => {
    const files = await Promise.all(
      ["login.yaml", "broken.yaml"].map(async (name) => [name, await readFile(join(EXAMPLES, name), "utf8")] as const),
    );
    const project = await createTests(Object.fromEntries(files));
    const html = join(project.workspace, "report.html");
    const { cases } = await run(project, "--workers", "3", "--html", html);
    expect(cases[0]?.steps[2]?.evidence[0]).toMatchObject({ kind: "check", artifact: expect.any(String) });
    expect((await readFile(html, "utf8")).match(/<img alt="Screenshot of step 3" src="data:image\/png;base64,/g)).toHaveLength(1);
    expect(cases.map(({ title, verdict, reason }) => `${title}: ${verdict}${verdict === "pass" ? "" : ` ${reason}`}`)).toEqual([
      expect.stringMatching(/^The report counts the products: fail Step 3: .*seen: "5"/),
      "The right password is greeted: pass",
      "A wrong password is greeted: pass",
    ]);
  });

  test("what the rules do not understand fails honestly, and is no finding about what is under test", async () => {
    const project = await createTests({
      "a.yaml": `title: A\nsteps:\n  - action: Juggle three balls\n    expected: They fly\n`,
      // Also where the page does not show what was to come of it.
      "b.yaml": `title: B\nsteps:\n  - action: Navigate to \${baseUrl}/login\n    expected: The page shows "Log in"\n  - action: Log in as Ada\n    expected: { check: url, contains: /products, withinMs: 100 }\n`,
    });
    const { cases } = await run(project);
    for (const one of cases)
      expect(one).toMatchObject({ verdict: "inconclusive", reason: expect.stringContaining("do not understand") });
  });

  test(
    "a passed case is done again without a model, prose ends inconclusive, and what is expected is read anew",
    { tags: ["long"] },
    async () => {
      const checked = `title: Checked\nsteps:\n  - action: Navigate to \${baseUrl}/login\n    expected: { check: visible, element: 'heading "Log in"' }\n  - action: ${LOGIN.replace("{password}", "correct-horse")}\n    expected: { check: url, contains: /products }\n`;
      const prose = `title: Prose\nsteps:\n  - action: Navigate to \${baseUrl}/login\n    expected: It shows "Log in"\n`;
      const project = await createTests({ "checked.yaml": checked, "prose.yaml": prose });
      const out = join(project.workspace, "exported");
      const first = await run(project, "--export", "playwright", "--out", out);
      expect(first.cases.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
      const exported = await readFile(join(out, "checked.spec.ts"), "utf8");
      expect(exported).toContain("await page.getByRole('textbox', { name: 'Email' }).fill(\"ada@example.com\");");
      expect(exported).toContain("await expect(page).toHaveURL(");

      const again = await run(project, "--rerun");
      expect(again.cases.map(({ title, verdict }) => `${title} ${verdict}`)).toEqual(["Checked pass", "Prose inconclusive"]);
      expect(again.cases.map(({ usage }) => usage.input + usage.output)).toEqual([0, 0]);

      await writeFile(join(project.workspace, "checked.yaml"), checked.replace("/products", "/somewhere"));
      const changed = await run(project, "--rerun", "--grep", "Checked");
      expect(changed.cases[0]).toMatchObject({ verdict: "fail", reason: expect.stringContaining(`seen: ${shop.url}/products`) });
    },
  );

  test("a secret is typed by its name, and stands in no record, report or output", async () => {
    const secret = "correct-horse";
    const text = `title: Secret\nsecrets: [SHOP_PASSWORD]\nsteps:\n  - action: Navigate to \${baseUrl}/login\n    expected: It shows "Log in"\n  - action: ${LOGIN.replace("{password}", "{{secret:SHOP_PASSWORD}}")}\n    expected: { check: url, contains: /products }\n`;
    const project = await createTests({ "secret.yaml": text, ".env": `SHOP_PASSWORD=${secret}\n` });
    const [html, junit, out] = ["r.html", "r.xml", "exported"].map((name) => join(project.workspace, name)) as [
      string,
      string,
      string,
    ];
    const { cases, all } = await run(project, "--html", html, "--junit", junit, "--export", "playwright", "--out", out);
    expect(cases[0]?.verdict, cases[0]?.reason).toBe("pass");
    const kept = [
      all,
      await readFile(html, "utf8"),
      await readFile(junit, "utf8"),
      await readFile(join(out, "secret.spec.ts"), "utf8"),
    ];
    for (const file of await readdir(project.home, { recursive: true, withFileTypes: true }))
      if (file.isFile() && !file.parentPath.includes("cache"))
        kept.push(await readFile(join(file.parentPath, file.name), "latin1"));
    expect(kept.length).toBeGreaterThan(5);
    for (const one of kept) expect(one.includes(secret)).toBe(false);
    expect(kept[3]).toContain('process.env["SHOP_PASSWORD"]');
  });

  test(
    "a role logs in once, and the cases that name it begin logged in; one that cannot log in blocks them",
    { tags: ["long"] },
    async () => {
      const suite = (password: string): string =>
        `baseUrl: ${shop.url}\nroles:\n  ada:\n    steps:\n      - action: Navigate to ${shop.url}/login\n        expected: { check: visible, element: 'heading "Log in"' }\n      - action: ${LOGIN.replace("{password}", password)}\n        expected: { check: url, contains: /products }\n`;
      const text = `title: Account\nrole: ada\nsteps:\n  - action: Navigate to \${baseUrl}/account\n    expected: { check: text, in: main, contains: Logged in as ada@example.com. }\n`;
      const project = await createTests({
        "suite.yaml": suite("correct-horse"),
        "one.yaml": text,
        "two.yaml": text.replace("Account", "Account again"),
      });
      const { cases } = await run(project, "--workers", "2");
      expect(cases.map(({ verdict, reason }) => `${verdict} ${reason}`)).toEqual([
        "pass All 1 steps passed.",
        "pass All 1 steps passed.",
      ]);
      await writeFile(join(project.workspace, "suite.yaml"), suite("wrong"));
      const blocked = await run(project, "--grep", "again");
      expect(blocked.cases[0]).toMatchObject({
        verdict: "blocked",
        reason: expect.stringContaining('The role "ada" could not log in'),
      });
    },
  );
});
