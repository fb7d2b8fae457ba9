/**
 * `node scripts/page-images.ts [session|tests|question] [folder]`: takes the pictures of the page that the documents show, light, dark and narrow, from the
 * real server with a played model; those of a session, of test cases, of a question with the screens around it, or all. With a folder,
 * into that one, and with every screen that was looked at on the way.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { findChromium, openChromium } from "../packages/web/src/testing/open-chromium.ts";
import { openPageStage } from "../packages/web/src/testing/page-stage.ts";
import { call, delegate } from "../packages/web/src/testing/played-model.ts";
import { DISCOUNT_TASK, discountParts, LEAD, SHOP } from "../packages/web/src/testing/shop.ts";
import { prepareShopTests } from "../packages/web/src/testing/shop-tests.ts";
import { buildPage } from "./build/build-page.ts";

const root = path.dirname(import.meta.dirname);
const [wanted, into] = process.argv.slice(2);
const isForDocuments = into === undefined;
const folder = path.resolve(into ?? path.join(root, "docs/images"));
/** Of the screens around a question. */
const KEPT: ReadonlySet<string> = new Set(["page-question", "page-question-narrow"]);
mkdirSync(folder, { recursive: true });
await buildPage(root);
const browser = await openChromium();
const write = (file: string) => call("write", { path: file, content: "export {};\n" });

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
    await picture("page-approval.png");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByRole("button", { name: "Inspect lead" }).click();
    await page.waitForTimeout(400);
    await picture("page-dark.png");
    await page.getByRole("button", { name: "Close the inspector" }).last().click();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.waitForTimeout(300);
    await picture("page-narrow.png");
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
    await picture("page-timeline.png");
  } finally {
    await stage.close();
  }
};

/** What an agent asks the user, then the rules of a person, and an address that leads nowhere. */
const takeQuestion = async (): Promise<void> => {
  const stage = await openPageStage({
    parts: [
      {
        agent: "main",
        task: "Serve the shop",
        replies: [{ text: "The lead finds out how.", calls: [delegate("lead", "Find out how the shop is to be served.")] }],
      },
      {
        agent: "lead",
        replies: [
          [call("read", { path: "package.json" })],
          {
            text: "Nothing in the project names a port.",
            calls: [
              call("ask_user", {
                question:
                  "Which **port** shall the shop listen on?\n\n`80` needs rights of the system; `8080` is what `package.json` of most shops says.",
                options: ["80", "8080", "any that is free"],
              }),
            ],
          },
        ],
      },
      { agent: "main", task: "Write two", replies: [[write("src/one.ts"), write("src/two.ts")], "Both are written."] },
    ],
    files: SHOP,
    agents: { lead: LEAD.replace("tools: [", "tools: [ask_user, ") },
    settings: "approve: ask\n",
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const takeAll = async (name: string): Promise<void> => {
      for (const [suffix, colorScheme, width, height] of [
        ["", "light", 1440, 900],
        ["-dark", "dark", 1440, 900],
        ["-narrow", "light", 360, 740],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        if (isForDocuments && !KEPT.has(`${name}${suffix}`)) continue;
        await page.waitForTimeout(400);
        await page.screenshot({ path: path.join(folder, `${name}${suffix}.png`) });
      }
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    const say = async (task: string): Promise<void> => {
      await page.goto(stage.url);
      await page.getByRole("combobox", { name: "Say what is to be done" }).fill(task);
      await page.keyboard.press("Enter");
    };
    await page.goto(stage.link);
    await page.getByRole("navigation").waitFor();
    await say("Serve the shop from this machine.");
    await page.getByRole("button", { name: "8080", exact: true }).waitFor();
    await page.waitForTimeout(500);
    await takeAll("page-question");
    await say("Write two modules.");
    await page
      .getByRole("region", { name: /wants to write/ })
      .first()
      .waitFor();
    await page.getByRole("log").focus();
    await page.waitForTimeout(1_300);
    await page.keyboard.press("4");
    await page.getByRole("dialog", { name: "Allow as a rule" }).getByText("write in src").waitFor();
    await takeAll("page-rule");
    await page.getByRole("button", { name: "Allow, and keep the rule" }).click();
    await page.getByText("Both are written.").waitFor();
    await page.goto(new URL("/settings", stage.url).href);
    await page.getByText("write in src").waitFor();
    await page.getByText("write in src").scrollIntoViewIfNeeded();
    await takeAll("page-rules");
    await page.goto(new URL("/no/such/place", stage.url).href);
    await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    await takeAll("page-not-found");
  } finally {
    await stage.close();
  }
};

const pictures = { session: takeSession, tests: takeTests, question: takeQuestion };
try {
  for (const [name, take] of Object.entries(pictures)) if (wanted === undefined || wanted === name) await take();
} finally {
  await browser.close();
}
