// @module-tag long
/** Keys and clicks that were not meant as an answer answer nothing (N12), in a real browser. Only the model is played. */
import { access } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, type Part } from "./testing/index.ts";
import { openSignedIn, type SignedIn } from "./testing/signed-in.ts";

// A machine may be busy with other things.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const LONG = Array.from({ length: 120 }, (_, index) => `export const line${index + 1} = ${index + 1};`).join("\n");

const asks = (task: string, file: string, content = "export {};\n", before = ""): Part => ({
  agent: "main",
  task,
  replies: [{ text: before, calls: [call("write", { path: file, content })] }, `${task}: done.`],
});

const PARTS: readonly Part[] = [
  asks("keep the focus", "focus.ts"),
  asks("type into the void", "void.ts"),
  asks("scroll it away", "away.ts", "export {};\n", "A long tale that fills the window.\n\n".repeat(80)),
  asks("open the inbox", "inbox.ts"),
  asks("write a long file", "long.ts", LONG),
];

let here: SignedIn;
beforeAll(async () => {
  here = await openSignedIn({ parts: PARTS, settings: "approve: ask\n" });
});
afterAll(() => here?.close());

const isWritten = (file: string): Promise<boolean> =>
  access(path.join(here.stage.workspace, file)).then(
    () => true,
    () => false,
  );

const ask = async (task: string, file: string): Promise<Page> => {
  const page = await here.openTab();
  await page.getByRole("combobox", { name: "Say what is to be done" }).fill(task);
  await page.keyboard.press("Enter");
  await page.waitForURL(/sessions/);
  await cardOf(page, file).waitFor({ state: "attached" });
  await page.waitForTimeout(1_300);
  return page;
};

const cardOf = (page: Page, file: string) => page.getByRole("region", { name: new RegExp(`wants to write ${file}`) }).first();
const leaveInput = (page: Page): Promise<void> => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
const dropped = (page: Page) => page.getByRole("status", { name: "Dropped" });

test("N12: the input keeps the focus after sending, so that a digit is typed; Ctrl-G brings the question its keys", async () => {
  const page = await ask("keep the focus", "focus.ts");
  await page.keyboard.type("1 more");
  const input = page.getByRole("combobox", { name: /while it works/ });
  expect(await input.inputValue()).toBe("1 more");
  expect(await isWritten("focus.ts")).toBe(false);
  await input.fill("");
  await page.keyboard.press("Control+g");
  await page.waitForTimeout(1_300);
  await page.keyboard.press("1");
  await page.getByText("keep the focus: done.").waitFor();
  expect(here.problems()).toEqual([]);
});

test("N12: what is typed where nothing has the focus answers nothing, and is shown as dropped", async () => {
  const page = await ask("type into the void", "void.ts");
  await leaveInput(page);
  await page.keyboard.type("fix 1");
  await dropped(page).getByText("1 answered nothing: it came while you were typing.").waitFor();
  await page.waitForTimeout(500);
  expect(await isWritten("void.ts")).toBe(false);
  await page.waitForTimeout(1_000);
  await page.keyboard.press("1");
  await page.getByText("type into the void: done.").waitFor();
  expect(here.problems()).toEqual([]);
});

test("N12: a key brings a card that is out of sight into view, and only the next one answers it", async () => {
  const page = await ask("scroll it away", "away.ts");
  const log = page.getByRole("log");
  await log.focus();
  await log.evaluate((box) => box.scrollBy(0, -(box.clientHeight / 2)));
  await page.waitForTimeout(300);
  await page.keyboard.press("1");
  await dropped(page).getByText("not wholly in view").waitFor();
  await page.waitForTimeout(400);
  expect(await isWritten("away.ts")).toBe(false);
  await page.keyboard.press("1");
  await page.getByText("scroll it away: done.").waitFor();
  expect(here.problems()).toEqual([]);
});

test("N12: an inbox takes no key in its first second", async () => {
  const page = await ask("open the inbox", "inbox.ts");
  await leaveInput(page);
  await page.keyboard.press("a");
  await page.getByRole("dialog", { name: /Waiting for you/ }).waitFor();
  await page.waitForTimeout(400);
  await page.keyboard.press("1");
  await dropped(page).getByText("the list had just opened").waitFor();
  await page.waitForTimeout(400);
  expect(await isWritten("inbox.ts")).toBe(false);
  await page.waitForTimeout(1_000);
  await page.keyboard.press("1");
  await page.getByText("open the inbox: done.").waitFor();
  expect(here.problems()).toEqual([]);
});

test("N12: an act longer than its card takes no yes, by key or click, before its end was shown", async () => {
  const page = await ask("write a long file", "long.ts");
  const card = cardOf(page, "long.ts");
  await card.getByText("line1 =").first().waitFor();
  await page.waitForTimeout(400);
  await card.getByRole("button", { name: "Allow once" }).click();
  await dropped(page).getByText("the act was not shown to its end").waitFor();
  await page.waitForTimeout(400);
  expect(await isWritten("long.ts")).toBe(false);
  for (let tries = 0; tries < 20 && !(await isWritten("long.ts")); tries += 1) {
    // Each try shows the next part that was not seen.
    await card
      .getByRole("button", { name: "Allow once" })
      .click({ timeout: 2_000 })
      .catch(() => undefined);
    await page.waitForTimeout(400);
  }
  await page.getByText("write a long file: done.").waitFor();
  expect(here.problems()).toEqual([]);
});
