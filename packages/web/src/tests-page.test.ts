// @module-tag long
/** Test cases run from the page, as a person does it: real server, real application under test, two real browsers; only the model is played. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findChromium, findInaccessible, prepareShopTests } from "./testing/index.ts";
import { openSignedIn, type SignedIn } from "./testing/signed-in.ts";

// A machine may be busy with other things.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let here: SignedIn;

beforeAll(async () => {
  const { files, parts } = await prepareShopTests();
  here = await openSignedIn({ files, parts, env: { RETINUE_BROWSER__EXECUTABLE: await findChromium() } }, { timeoutMs: 120_000 });
});

afterAll(() => here?.close());

const openTab = (address?: string): Promise<Page> => here.openTab(address);

const isLoaded = (page: Page, name: RegExp): Promise<boolean> =>
  page
    .getByRole("dialog")
    .getByRole("img", { name })
    .evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      return image.naturalWidth > 300;
    });

test(
  "a case is run from the page: its application is agreed to, its steps are watched, and its screenshots are seen and enlarged",
  { timeout: 300_000 },
  async () => {
    const page = await openTab("/tests");
    const suite = page.getByRole("region", { name: "Suite tests/suite.yaml" });
    await suite.getByText("The right password is greeted").waitFor();
    expect(await suite.getByRole("listitem").count()).toBe(3);
    expect(await findInaccessible(page)).toEqual([]);

    await suite.getByRole("button", { name: "Run The right password is greeted" }).click();
    const asked = page.getByRole("dialog", { name: "Start the application under test?" });
    await asked.getByText(/serve\.ts \d+/).waitFor();
    expect(await findInaccessible(page)).toEqual([]);
    await asked.getByRole("button", { name: "Agree and run" }).click();

    const done = page.getByRole("listitem", { name: "The right password is greeted: pass" });
    await done.waitFor();
    await page.getByText("1 passed").waitFor();
    for (const step of [1, 2, 3]) await done.getByRole("listitem", { name: `Step ${step}: pass` }).waitFor();
    // What bears the verdict out stands beside the step.
    await done.getByRole("list", { name: "Checks of step 3" }).getByText("/products").waitFor();
    const cited = done.getByRole("button", { name: "Enlarge: Step 1, screenshot 1" });
    await cited.click();
    const gallery = page.getByRole("dialog", { name: "Step 1, screenshot 1 (1 of 3)" });
    await gallery.waitFor();
    expect(await isLoaded(page, /Step 1/)).toBe(true);
    expect(await findInaccessible(page)).toEqual([]);
    await page.keyboard.press("ArrowRight");
    await page.getByRole("dialog", { name: "Step 2, screenshot 1 (2 of 3)" }).waitFor();
    await page.keyboard.press("End");
    await page.getByRole("dialog", { name: "Step 3, screenshot 1 (3 of 3)" }).waitFor();
    expect(await isLoaded(page, /Step 3/)).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await cited.evaluate((button) => button === document.activeElement)).toBe(true);

    await done.getByRole("link", { name: "the session of this case" }).click();
    await page
      .getByRole("article", { name: /^qa-runner/ })
      .first()
      .waitFor();
    expect(here.problems()).toEqual([]);
  },
);

test(
  "a finding is told with what was seen; steps show what they are at; a second run waits, and is taken back",
  { timeout: 300_000 },
  async () => {
    const page = await openTab("/tests");
    // Agreed to once.
    await page.getByRole("button", { name: "Run The report counts the products" }).click();
    const running = page.getByRole("listitem", { name: "The report counts the products: running" });
    await running.getByRole("listitem", { name: "Step 2: completed" }).waitFor();
    await running.getByRole("listitem", { name: "Step 3: in progress" }).getByText("thinks").waitFor();
    await running.getByRole("button", { name: "Enlarge: Step 2, screenshot 1" }).waitFor();
    expect(await findInaccessible(page)).toEqual([]);

    const other = await openTab("/tests");
    await other.getByRole("checkbox", { name: "Choose A wrong password is greeted" }).check();
    await other.getByRole("button", { name: "Run 1 chosen" }).click();
    await other.getByText("waits for another test run").waitFor();
    await other.getByRole("button", { name: "Stop this test run" }).click();
    await other.getByRole("heading", { name: "Runs" }).waitFor();
    expect(await other.getByRole("region", { name: "Test runs" }).getByText("A wrong password").count()).toBe(0);

    here.stage.model.release("report");
    const failed = page.getByRole("listitem", { name: "The report counts the products: fail" });
    await failed.waitFor();
    await failed.getByRole("listitem", { name: "Step 3: fail" }).getByText('seen: "5"').first().waitFor();
    expect(await findInaccessible(page)).toEqual([]);
    await page.getByRole("link", { name: "All cases and runs" }).click();
    const line = page.getByRole("listitem").filter({ hasText: "broken.yaml" });
    await line.getByText("fail", { exact: true }).waitFor();
    await page
      .getByRole("region", { name: "Test runs" })
      .getByRole("link", { name: /The right password is greeted/ })
      .click();
    await page.getByRole("listitem", { name: "The right password is greeted: pass" }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findInaccessible(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(here.problems()).toEqual([]);
  },
);
