// @module-tag long
/** What `--export playwright` writes of a passed case is an ordinary Playwright test: it runs and passes under Playwright's own runner, and fails where the application is broken. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SuiteResult } from "@retinue/protocol/test-case";
import { createBrowserProcess } from "@retinue/tools/browser";
import { TEST_BROWSER_CACHE } from "@retinue/tools/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject, toEnvironment } from "../testing/spawn-retinue.ts";
import { startShop, type Shop } from "../testing/start-shop.ts";

const EXAMPLES = fileURLToPath(new URL("../../../../../examples/test-cases/", import.meta.url));
/** Inside the package, so that the exported test finds `@playwright/test` as it would in a user's project. */
const OUT = fileURLToPath(new URL("../../../.playwright-tests/", import.meta.url));
const RUNNER = createRequire(import.meta.url).resolve("@playwright/test/cli");

const PRICES = "Pen,1.20\nPaper,4.00\nGlue,2.30\n";

const MORE = `title: Secrets, keys and pages
secrets: [SHOP_PASSWORD]
steps:
  - action: Navigate to \${baseUrl}/login
    expected:
      - { check: visible, element: 'heading "Log in"' }
      - { check: absent, element: 'table "Products"' }
      - { check: state, of: 'button "Log in"', is: enabled }
  - action: Type "ada@example.com" into the Email field, type "{{secret:SHOP_PASSWORD}}" into the Password field and click the Log in button
    expected:
      - { check: url, matches: "/products$" }
      - { check: text, in: 'table "Products"', matches: "Desk lamp" }
      - { check: count, of: { role: button, name: "Delete ", exact: false }, atLeast: 1, atMost: 9 }
  - action: Type "lamp" into the Search products field
    expected: { check: value, of: 'searchbox "Search products"', contains: lam }
`;

describe("an exported case", { timeout: 600_000 }, () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let shop: Shop;
  let project: Project;
  beforeAll(async () => {
    shop = await startShop();
    project = await createProject();
    cleanups.push(shop.close, project.remove, () => rm(OUT, { recursive: true, force: true }));
    await mkdir(OUT, { recursive: true });
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  type Ran = { readonly code: number; readonly output: string };
  const runPlaywright = (env: Readonly<Record<string, string>>): Promise<Ran> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [RUNNER, "test", "--config", join(OUT, "playwright.config.ts")],
        { cwd: project.workspace, env: { ...toEnvironment(project.home), ...env } },
        (_error, stdout, stderr) => resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
      );
    });

  const exportPassed = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const own = await createProject();
    cleanups.push(own.remove);
    for (const [name, text] of Object.entries(files)) await writeFile(join(own.workspace, name), text);
    const variables = { baseUrl: shop.url, bug: "", prices: "prices.csv" };
    const ended = await callRetinue(own, [
      "test",
      ".",
      "--json",
      "-m",
      "offline/rules",
      "--export",
      "playwright",
      "--out",
      OUT,
      ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}=${value}`]),
    ]);
    return (JSON.parse(ended.stdout) as SuiteResult).cases.map(
      ({ title, verdict, reason }) => `${title.trim()}: ${verdict === "pass" ? verdict : reason}`,
    );
  };

  test("runs and passes under Playwright itself, and fails for an application that does something else", async () => {
    const { workspace, home } = project;
    const example = (name: string): Promise<string> => readFile(join(EXAMPLES, name), "utf8");
    await writeFile(join(workspace, "prices.csv"), PRICES);
    expect(
      await exportPassed({
        "login.yaml": await example("login.yaml"),
        "stock.yaml": await example("stock.yaml"),
        "prices.csv": PRICES,
      }),
    ).toEqual([
      "The right password is greeted: pass",
      "A wrong password is greeted: pass",
      "A shop assistant keeps the stock: pass",
    ]);
    // A project of its own: where the password is a secret, no case can hold it in plain text.
    expect(await exportPassed({ "more.yaml": MORE, ".env": "SHOP_PASSWORD=correct-horse\n" })).toEqual([
      "Secrets, keys and pages: pass",
    ]);

    const browser = createBrowserProcess({ cacheFolder: TEST_BROWSER_CACHE, env: toEnvironment(home) });
    const { found } = await browser.hold();
    await browser.close();
    const launch = { executablePath: found.path, chromiumSandbox: false, timeout: 60_000 };
    await writeFile(
      join(OUT, "playwright.config.ts"),
      `export default { testDir: ".", outputDir: ${JSON.stringify(join(workspace, "results"))}, reporter: "list", workers: 1, timeout: 60_000, use: { launchOptions: ${JSON.stringify(launch)} } };\n`,
    );
    const passed = await runPlaywright({ SHOP_PASSWORD: "correct-horse" });
    expect(passed.output).toContain("4 passed");
    expect(passed.code).toBe(0);

    const failed = await runPlaywright({ SHOP_PASSWORD: "wrong" });
    expect(failed.output).toContain("1 failed");
    expect(failed.output).toContain("3 passed");
  });
});
