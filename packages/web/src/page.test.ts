// @module-tag long
/** The page as a person uses it: in a real browser, against the real server, with only the model played. */
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { builtPage } from "./testing/built-page.ts";
import { discountParts, findInaccessible, LEAD, openPageStage, type Part, SHOP } from "./testing/index.ts";
import { openSignedIn, type SignedIn } from "./testing/signed-in.ts";
import { call, delegate } from "./testing/index.ts";

// A machine may be busy with other things.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const MORE: readonly Part[] = [
  {
    agent: "main",
    task: "Rename",
    replies: [[delegate("executor", "Rename parsePrice to toCents.")], "Nothing was renamed: you said no."],
  },
  {
    agent: "executor",
    task: "Rename parsePrice",
    replies: [
      [call("edit", { path: "src/price.ts", edits: [{ old: "parsePrice", new: "toCents" }] })],
      "It was denied, so I left it.",
    ],
  },
  {
    agent: "main",
    task: "two at once",
    replies: [
      [delegate("researcher", "Look at the slow side."), delegate("researcher", "Look at the quick side.")],
      "One side was looked at.",
    ],
  },
  { agent: "researcher", task: "slow side", replies: ["never said"], hold: { 0: "never" } },
  { agent: "researcher", task: "quick side", replies: ["The quick side is **fine**."] },
  {
    agent: "main",
    task: "from a terminal",
    replies: [[call("write", { path: "NOTES.md", content: "# Notes\n" })], "The notes are written."],
    hold: { 0: "terminal" },
  },
  {
    agent: "main",
    task: "asked from a terminal",
    replies: [[call("ask_user", { question: "Which **port** shall it be?", options: ["80", "8080"] })], "It listens at 8080."],
  },
  {
    agent: "main",
    task: "my bill",
    replies: [{ text: "The lead knows bills.", calls: [delegate("lead", "Explain the bill.", { transfer: true })] }],
  },
  { agent: "lead", task: "my bill", replies: ["You bought **quinces**."], hold: { 0: "bill" } },
  // At depth 0 nobody is told to be a sub-agent.
  { agent: "main", task: "And the tax", replies: ["The tax is in it."] },
  { agent: "main", task: "Say a long thing", replies: ["First part of it. ".repeat(40)], hold: { 0: "speech" } },
  {
    agent: "main",
    task: "harbour",
    replies: [[delegate("researcher", "Who lived at the pier?")], "The harbour is from 1904."],
  },
  { agent: "researcher", task: "pier", replies: ["A lighthouse keeper lived there."] },
  { agent: "main", task: "another way", replies: ["Done another way."] },
];

let here: SignedIn;

beforeAll(async () => {
  here = await openSignedIn({
    parts: [...discountParts, ...MORE],
    files: SHOP,
    agents: { lead: LEAD },
    settings: "approve: ask\napprovals: { unattended: park }\n",
  });
});

afterAll(() => here?.close());

const openTab = (address?: string): Promise<Page> => here.openTab(address);

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("combobox", { name: "Say what is to be done" }).fill(text);
  await page.keyboard.press("Enter");
  await page.waitForURL(/sessions/);
};

const node = (page: Page, name: string) => page.getByRole("article", { name: new RegExp(`^${name}, depth`) });

test("an act is denied with a reason that the agent reads, from the inbox and by keys", async () => {
  const page = await openTab();
  await ask(page, "Rename parsePrice everywhere.");
  await page.getByRole("button", { name: /1 waiting for you/ }).waitFor();
  // Keys answer nothing while somebody types, or has just typed.
  await page.getByRole("combobox", { name: /Say something/ }).fill("hold on");
  await page.keyboard.press("1");
  expect(await page.getByRole("button", { name: "Allow once" }).count()).toBe(1);
  await page.getByRole("combobox", { name: /Say something/ }).fill("");
  await page.getByRole("log").focus();
  await page.waitForTimeout(1_100);
  await page.keyboard.press("a");
  const inbox = page.getByRole("dialog", { name: /Waiting for you/ });
  await inbox.getByText("wants to edit src/price.ts").waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await inbox
    .getByRole("region", { name: /src.price.ts/ })
    .getByRole("button", { name: "Deny …" })
    .click();
  await inbox.getByRole("textbox", { name: /Why not/ }).fill("the name is part of our API");
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await page.getByText("Nothing was renamed: you said no.").waitFor();
  expect(await page.title()).toBe("Retinue");
  await page.getByRole("button", { name: "Expand executor" }).click();
  await page.getByRole("button", { name: /edit src\/price\.ts denied/ }).click();
  await page.getByText("the name is part of our API").first().waitFor();
  expect(here.problems()).toEqual([]);
});

test("one sub-agent is stopped while the other goes on", async () => {
  const page = await openTab();
  await ask(page, "Look at two at once.");
  await node(page, "researcher #2").getByText("completed").waitFor();
  await page.getByRole("button", { name: "Inspect researcher #1" }).click();
  await page.getByRole("complementary", { name: "Inspector: researcher #1" }).getByRole("button", { name: "Stop …" }).click();
  const dialog = page.getByRole("dialog", { name: "Stop researcher #1" });
  expect(await findInaccessible(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Stop now" }).click();
  await node(page, "researcher #1").getByText("cancelled").waitFor();
  await page.getByText("One side was looked at.").waitFor();
  await node(page, "main").getByText("completed").waitFor();
  expect(here.problems()).toEqual([]);
});

test("a run that another process drives is followed live and approved in the page", async () => {
  const page = await openTab();
  const child = here.stage.command("run", "Write notes from a terminal");
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await page.getByRole("link", { name: /Write notes from a terminal/ }).click();
  await page.getByText("runs in another process").waitFor();
  here.stage.model.release("terminal");
  const card = page.getByRole("region", { name: /main wants to write NOTES.md/ });
  await card.getByText("# Notes").waitFor();
  // Nobody is at that terminal: the run waits in the record, and the answer may come from anywhere.
  expect(await ended).toBe(4);
  await page.waitForTimeout(300);
  await card.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("The notes are written.").waitFor();
  expect(await readFile(path.join(here.stage.workspace, "NOTES.md"), "utf8")).toBe("# Notes\n");
  expect(here.problems()).toEqual([]);
});

test("what an agent of another process asks is answered in the page, though nobody is at its terminal", async () => {
  const page = await openTab();
  const child = here.stage.command("run", "Be asked from a terminal");
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await page.getByRole("link", { name: /Be asked from a terminal/ }).click();
  const card = page.getByRole("region", { name: /main asks: Which/ });
  await card.getByRole("button", { name: "8080" }).waitFor();
  expect(await ended).toBe(4);
  await node(page, "main").getByText("waits for you").waitFor();
  await page.getByRole("log").focus();
  await page.waitForTimeout(1_300);
  await page.keyboard.press("2");
  await page.getByText("It listens at 8080.").waitFor();
  await page.getByRole("button", { name: /ask_user/ }).click();
  await page.getByText("The user answered: 8080").first().waitFor();
  expect(here.problems()).toEqual([]);
});

test("a conversation that is handed over tells who has it, speaks to them, and shows what they answered", async () => {
  const page = await openTab();
  await ask(page, "Explain my bill.");
  await node(page, "main").getByRole("button", { name: "handed over to lead" }).waitFor();
  await node(page, "lead").getByText("has the conversation").waitFor();
  await page.getByRole("combobox", { name: "Say something to lead while it works" }).waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  here.stage.model.release("bill");
  await page.getByText("lead answered in its place:").waitFor();
  await page.getByText("You bought quinces.").waitFor();
  await page.reload();
  await page.getByText("You bought quinces.").waitFor();
  await page.getByRole("combobox", { name: "Say to lead what comes next" }).fill("And the tax?");
  await page.keyboard.press("Enter");
  await page.getByText("The tax is in it.").waitFor();
  expect(await node(page, "lead").count()).toBe(2);
  expect(here.problems()).toEqual([]);
});

test("an old session is found by a word that was said, replayed with the slider and forked", async () => {
  const page = await openTab();
  await ask(page, "Tell of the harbour.");
  await page.getByText("The harbour is from 1904.").waitFor();
  await page.goto(here.stage.url);
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("lighthouse keeper");
  await page
    .getByRole("list", { name: /lighthouse keeper/ })
    .getByRole("link", { name: /Tell of the harbour/ })
    .click();
  await page.getByText("The harbour is from 1904.").waitFor();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: /Replay/ }).click();
  await page.getByRole("slider", { name: "Event" }).fill("3");
  await page.getByText("The harbour is from 1904.").waitFor({ state: "detached" });
  expect(await page.getByRole("button", { name: "Inspect researcher" }).count()).toBe(0);
  for (const tab of ["Timeline", "Messages", "Files", "Plan", "Conversation"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.getByRole("tabpanel", { name: tab }).waitFor();
    await page.waitForTimeout(150);
    expect(await findInaccessible(page)).toEqual([]);
  }
  await page.getByRole("button", { name: "Leave the replay" }).click();
  await page.getByText("The harbour is from 1904.").waitFor();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: /Fork/ }).click();
  await page.getByRole("textbox", { name: "What is said next" }).fill("Do it another way");
  const before = page.url();
  await page.getByRole("button", { name: "Fork", exact: true }).click();
  await page.waitForURL((url) => url.href !== before);
  await page.getByText("Done another way.").waitFor();
  expect(here.problems()).toEqual([]);
});

test("an agent is edited, and a mistake is refused by the check and not written", async () => {
  const page = await openTab("/agents");
  await page.getByRole("link", { name: /^reviewer/ }).click();
  const file = page.getByRole("textbox", { name: "File of reviewer" });
  await file.waitFor();
  const text = await file.inputValue();
  await file.fill(text.replace("name: reviewer", "name: reviewer\ntemperature: 9"));
  await page
    .getByRole("list", { name: "What the check finds" })
    .getByText(/error, line \d+/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Check and save" }).click();
  await page.getByText("Not saved: the check found errors.").waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await file.fill(text.replace("icon:", "temperature: 0.1\nicon:"));
  await page.getByRole("button", { name: "Check and save" }).click();
  await page.getByText(/Saved to/).waitFor();
  expect(here.problems()).toEqual([]);
});

test("every screen is free of serious accessibility findings, light and wide, dark and at 360 px", async () => {
  const page = await openTab();
  for (const [address, shown] of [
    ["/", "What shall be done?"],
    ["/plans", "Plans"],
    ["/tests", "Tests"],
    ["/agents/main", "Agents"],
    ["/stats", "Stats"],
    ["/settings", "Settings"],
    ["/nowhere", "There is nothing at this address"],
  ] as const) {
    await page.goto(new URL(address, here.stage.url).href);
    await page.getByRole("heading", { name: shown, level: 1 }).waitFor();
    await page.waitForTimeout(200);
    for (const [colorScheme, width] of [
      ["light", 1440],
      ["dark", 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await findInaccessible(page), `${address} ${colorScheme} ${width}`).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${address} fits into ${width} px`,
      ).toBe(true);
    }
  }
  const stranger = await here.browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  const outside = await stranger.newPage();
  await outside.goto(here.stage.url);
  await outside.getByRole("heading").first().waitFor();
  expect(await findInaccessible(outside), "without a key").toEqual([]);
  await stranger.close();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  expect(here.problems()).toEqual([]);
});

test("an answer that is longer than the window is followed by whoever is at its end", async () => {
  const page = await openTab();
  await page.setViewportSize({ width: 900, height: 420 });
  await ask(page, "Say a long thing");
  await page.getByRole("log").waitFor();
  here.stage.model.release("speech");
  await page.getByText("First part of it.").waitFor();
  const [scrolled, end] = await page.getByRole("log").evaluate((log) => [log.scrollTop, log.scrollHeight - log.clientHeight]);
  expect(Math.abs((end ?? 0) - (scrolled ?? 0))).toBeLessThan(40);
});

test("the first run without a key explains itself, and the offline model answers an example that is clicked", async () => {
  const fresh = await openPageStage({ files: SHOP });
  const guest = await here.browser.newContext({ viewport: { width: 1280, height: 900 } });
  onTestFinished(async () => {
    await guest.close();
    await fresh.close();
  });
  const page = await guest.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(fresh.link);
  await page.getByRole("heading", { name: "One main agent, and its retinue." }).waitFor();
  const told = page.getByRole("region", { name: "No model is connected yet" });
  await told.getByText("offline model").waitFor();
  await told.getByText("ripgrep").waitFor();
  expect(await findInaccessible(page)).toEqual([]);
  await page.getByRole("button", { name: /Ask about the code/ }).click();
  await node(page, "main").getByText("completed").waitFor();
  await node(page, "code-search").waitFor();
  await page.getByText("rule-based, no LLM").first().waitFor();
});

test("the first load is below 300 KB gzip, and charts, graph and highlighter come on demand", async () => {
  const { folder } = await builtPage();
  const html = await readFile(path.join(folder, "index.html"), "utf8");
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  const loaded = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file = ""]) => file);
  let bytes = gzipSync(html).length;
  for (const file of loaded) bytes += gzipSync(await readFile(path.join(folder, file))).length;
  expect(bytes).toBeLessThan(300 * 1024);
  const all = await readdir(path.join(folder, "assets"));
  for (const part of ["highlight", "timeline-view", "plan-view", "stats-screen"]) {
    expect(all.some((file) => file.startsWith(part))).toBe(true);
    expect(loaded.some((file) => file.includes(part))).toBe(false);
  }
});
