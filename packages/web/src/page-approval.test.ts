/** The page in a real browser, against the real server, with only the model played: the one way through it that every change is tried on. `page.test.ts` has more. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { builtPage } from "./testing/built-page.ts";
import {
  DISCOUNT_TASK,
  discountParts,
  findInaccessible,
  LEAD,
  openChromium,
  openPageStage,
  type PageStage,
  SHOP,
} from "./testing/index.ts";

// A machine may be busy with other things.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let stage: PageStage;
let browser: Browser;
let page: Page;
/** Whatever the page complains of. */
const problems: string[] = [];

beforeAll(async () => {
  await builtPage();
  [stage, browser] = await Promise.all([
    openPageStage({
      parts: discountParts,
      files: SHOP,
      agents: { lead: LEAD },
      settings: "approve: ask\napprovals: { unattended: park }\n",
    }),
    openChromium(),
  ]);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(`${message.text()} ${message.location().url}`));
  await page.goto(stage.link);
  await page.getByRole("navigation").waitFor();
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const node = (name: string) => page.getByRole("article", { name: new RegExp(`^${name}, depth`) });

test("two levels of agents appear while they work, an edit from depth 2 is approved with its diff, and a reload in between loses nothing", async () => {
  await page.getByRole("combobox", { name: "Say what is to be done" }).fill(DISCOUNT_TASK);
  await page.keyboard.press("Enter");
  await page.waitForURL(/sessions/);
  const card = page.getByRole("region", { name: /executor #1 wants to edit src\/cart\.ts/ });
  await card.getByText("discount = 0").waitFor();
  expect(await card.getByRole("list", { name: "Asked by" }).innerText()).toMatch(/main\s*lead\s*executor #1/);
  expect(await card.innerText()).toContain("return Math.round(sum * (1 - discount));");
  await node("lead").waitFor();
  await node("executor #2").getByText("running").waitFor();
  expect(await page.title()).toBe("(1) Retinue");
  expect(await findInaccessible(page)).toEqual([]);

  await page.reload();
  await card.waitFor();
  expect(await node("researcher").getByText("completed").count()).toBe(1);

  await page.getByRole("button", { name: "Collapse executor #2" }).click();
  expect(await page.getByText("test/cart.test.ts", { exact: true }).count()).toBe(0);

  // What waits for a human is never folded away.
  await page.getByRole("button", { name: "Collapse lead" }).click();
  await card.waitFor();
  await page.waitForTimeout(300);
  await card.getByRole("button", { name: "Allow once" }).click();
  await card.waitFor({ state: "detached" });
  stage.model.release("code is done");
  stage.model.release("test is written");
  await page.getByRole("region", { name: /executor #2 wants to write/ }).waitFor();
  await page.waitForTimeout(300);
  await page.keyboard.press("1");
  await page.getByText("The discount is in").waitFor();
  await node("main").getByText("completed").waitFor();
  expect(await readFile(path.join(stage.workspace, "src/cart.ts"), "utf8")).toContain("discount = 0");
  expect(problems).toEqual([]);
});
