// @module-tag long
/** Characters that deceive are drawn as marked escapes on the page (N11), in a real browser. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, type Part } from "./testing/index.ts";
import { openSignedIn, type SignedIn } from "./testing/signed-in.ts";

// A machine may be busy with other things.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const [RLO, ZWSP, LRI] = ["\u202e", "\u200b", "\u2066"];

const PARTS: readonly Part[] = [
  {
    agent: "main",
    task: "write it",
    replies: [
      [call("write", { path: `src/${RLO}st.exe`, content: `if (is${ZWSP}Admin) /* ${LRI} */ return;\n` })],
      [call("ask_user", { question: `May I${RLO} go on?`, options: [`ye${ZWSP}s`, "no"] })],
      `Do${RLO}ne.`,
    ],
  },
];

let here: SignedIn;
beforeAll(async () => {
  here = await openSignedIn({ parts: PARTS, settings: "approve: ask\n" }, { timeoutMs: 15_000 });
});
afterAll(() => here?.close());

test("N11: hidden characters of an act, a question and an answer are drawn as marked escapes, with a warning", async () => {
  const page = await here.openTab();
  await page.getByRole("combobox", { name: "Say what is to be done" }).fill(`write it ${RLO}now`);
  await page.keyboard.press("Enter");
  const card = page.getByRole("region", { name: /wants to write/ }).first();
  await card.getByText("hidden characters").waitFor();
  expect(await card.locator("mark").allInnerTexts()).toEqual(expect.arrayContaining(["\\u{202e}", "\\u{200b}", "\\u{2066}"]));
  /** Where a hidden character stands in the page, in a text or an attribute. */
  const leaks = (): Promise<readonly string[]> =>
    page.evaluate(() => document.body.outerHTML.match(/.{0,80}[\u202a-\u202e\u2066-\u2069\u200b].{0,20}/g) ?? []);
  expect(await leaks()).toEqual([]);
  await page.waitForTimeout(400);
  await card.getByRole("button", { name: "Allow once" }).click();
  const asked = page.getByRole("region", { name: /main asks/ }).first();
  await asked.getByText("\\u{202e}").waitFor();
  expect(await leaks()).toEqual([]);
  await page.waitForTimeout(400);
  await asked.getByRole("button", { name: /ye/ }).click();
  await page.getByText("Do\\u{202e}ne.").waitFor();
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByRole("region", { name: /202e/ }).first().waitFor();
  expect(await leaks()).toEqual([]);
  expect(here.problems()).toEqual([]);
});
