/**
 * `node scripts/page-images.ts [session|tests]`: takes the pictures of the page that the documents show, light, dark and narrow, from the real server with
 * a played model; those of a session, those of test cases, or all.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { findChromium, openChromium } from "../packages/web/src/testing/open-chromium.ts";
import { openPageStage } from "../packages/web/src/testing/page-stage.ts";
import { DISCOUNT_TASK, discountParts, LEAD, SHOP } from "../packages/web/src/testing/shop.ts";
import { prepareShopTests } from "../packages/web/src/testing/shop-tests.ts";
import { buildPage } from "./build/build-page.ts";

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, "docs/images");
mkdirSync(folder, { recursive: true });
await buildPage(root);
const browser = await openChromium();
const take = { approval: "page-approval.png", dark: "page-dark.png", narrow: "page-narrow.png", timeline: "page-timeline.png" };

/** The screens of test cases, with the examples' shop under test. */
const takeTests = async (): Promise<void> => {
  const { files, parts } = await prepareShopTests();
  const shop = await openPageStage({ files, parts, env: { RETINUE_BROWSER__EXECUTABLE: await findChromium() } });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(400_000);
    const picture = (name: string) => page.screenshot({ path: path.join(folder, name) });
    await page.goto(shop.link);
    await page.getByRole("link", { name: "Tests" }).click();
    shop.model.release("report");
    await page.getByRole("button", { name: "Run all 3" }).click();
    await page.getByRole("button", { name: "Agree and run" }).click();
    await page.getByText("2 passed, 1 failed").waitFor();
    await page.getByRole("button", { name: "Stop this test run" }).waitFor({ state: "detached" });
    await page.waitForTimeout(1_500);
    await picture("page-test-run.png");
    await page.emulateMedia({ colorScheme: "dark" });
    await page
      .getByRole("button", { name: /Enlarge: Step 2/ })
      .first()
      .click();
    await page.waitForTimeout(500);
    await picture("page-evidence.png");
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.waitForTimeout(400);
    await picture("page-test-narrow.png");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("link", { name: "All cases and runs" }).click();
    await page.getByRole("list").filter({ hasText: "fail" }).first().waitFor();
    await page.waitForTimeout(400);
    await picture("page-tests.png");
  } finally {
    await shop.close();
  }
};
/** The screens of a session, from the first question to its end. */
const takeSession = async (): Promise<void> => {
  const stage = await openPageStage({
    parts: discountParts,
    files: SHOP,
    agents: { lead: LEAD },
    settings: "limits: { costUsd: 0.5 }\napprove: ask\n",
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const picture = (name: string) => page.screenshot({ path: path.join(folder, name) });
    const allow = page.getByRole("button", { name: /Allow once/ }).first();
    await page.goto(stage.link);
    await page.getByRole("combobox", { name: "Say what is to be done" }).fill(DISCOUNT_TASK);
    await page.keyboard.press("Enter");
    await allow.waitFor();
    await page.waitForTimeout(800);
    await picture(take.approval);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByRole("button", { name: "Inspect lead" }).click();
    await page.waitForTimeout(400);
    await picture(take.dark);
    await page.getByRole("button", { name: "Close the inspector" }).last().click();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.waitForTimeout(300);
    await picture(take.narrow);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await allow.click();
    stage.model.release("test is written");
    stage.model.release("code is done");
    await page.getByRole("region", { name: /executor #2 wants to write/ }).waitFor();
    await page.waitForTimeout(400);
    await allow.click();
    await page.getByText("The discount is in").waitFor();
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.waitForTimeout(500);
    await picture(take.timeline);
  } finally {
    await stage.close();
  }
};

const wanted = process.argv[2];
try {
  if (wanted !== "tests") await takeSession();
  if (wanted !== "session") await takeTests();
} finally {
  await browser.close();
}
