// @module-tag long
/** The views and screens beside the conversation, with something in them, as a person uses them: plan, timeline, stats, settings. Only the model is played. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, delegate, findInaccessible, type Part, SHOP } from "./testing/index.ts";
import { openSignedIn, type SignedIn } from "./testing/signed-in.ts";

// A machine may be busy with other things.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const step = (id: string, agent: string, dependsOn: readonly string[] = []) => ({
  id,
  description: `do the ${id}`,
  expectedResult: `the ${id} is done`,
  agent,
  dependsOn,
});

const PASS = "RESULT: PASS\nSUMMARY: It is done.";

const PARTS: readonly Part[] = [
  {
    agent: "planner",
    task: "Sell in euros",
    replies: [
      JSON.stringify({
        steps: [step("look", "researcher"), step("rates", "researcher"), step("change", "executor", ["look", "rates"])],
      }),
    ],
  },
  { agent: "researcher", task: "do the look", replies: [[call("read", { path: "src/cart.ts" })], PASS] },
  { agent: "researcher", task: "do the rates", replies: [PASS] },
  { agent: "executor", task: "do the change", replies: [PASS], hold: { 0: "change" } },
  { agent: "orchestrator", replies: [JSON.stringify({ status: "pass", summary: "Euros are taken." })] },
  {
    agent: "main",
    task: "Two at a time",
    replies: [
      [delegate("researcher", "Look left."), delegate("researcher", "Look right.")],
      [call("write", { path: "a.md", content: "a" })],
      "Both sides were looked at.",
    ],
  },
  {
    agent: "main",
    task: "One after the other",
    replies: [
      [delegate("researcher", "Look before.")],
      [call("write", { path: "after.md", content: "a" })],
      "One came after the other.",
    ],
  },
  { agent: "researcher", task: "Look before", replies: [[call("ls", { path: "src" })], "Seen."], hold: { 1: "before" } },
  { agent: "researcher", task: "Look left", replies: [[call("ls", { path: "src" })], "Nothing left."], hold: { 1: "left" } },
  { agent: "researcher", task: "Look right", replies: ["Nothing right."] },
];

let here: SignedIn;

beforeAll(async () => {
  here = await openSignedIn({ parts: PARTS, files: SHOP, settings: "approve: ask\n" });
});

afterAll(() => here?.close());

const openTab = (address?: string): Promise<Page> => here.openTab(address);

/** Wide and light, then narrow and dark: nothing inaccessible, and nothing beyond the window. */
const expectUsable = async (page: Page, what: string): Promise<void> => {
  for (const [colorScheme, width] of [
    ["dark", 360],
    ["light", 1440],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(200);
    expect(await findInaccessible(page), `${what} ${colorScheme} ${width}`).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} at ${width} px`).toBe(true);
  }
};

test("a plan is made for a goal, drawn as a graph, carried out from there, and its steps tell their state as they go", async () => {
  const page = await openTab("/plans");
  await page.getByRole("textbox", { name: "Goal of the plan" }).fill("Sell in euros");
  await page.getByRole("checkbox", { name: /Explore the workspace/ }).uncheck();
  await page.getByRole("button", { name: "Make a plan" }).click();
  const plan = page.getByRole("region", { name: "Plan: Sell in euros" });
  await plan.getByText("0 of 3 steps completed").waitFor();
  const graph = plan.getByRole("group", { name: "Steps and what they depend on" });
  expect(await graph.getByRole("listitem").count()).toBe(3);
  expect(await graph.locator("path").count()).toBe(2);
  await expectUsable(page, "a plan that was made");

  const made = page.url();
  await plan.getByRole("button", { name: "Carry it out" }).click();
  await page.waitForURL((url) => url.href !== made && url.pathname.endsWith("/plan"));
  await plan.getByText("2 of 3 steps completed").waitFor();
  const running = graph.getByRole("button", { name: /in progress.*executor.*do the change/ });
  await running.waitFor();
  await expectUsable(page, "a plan at work");
  await running.click();
  await page.getByRole("complementary", { name: /Inspector: executor/ }).waitFor();
  here.stage.model.release("change");
  await plan.getByText(/3 of 3 steps completed · pass: Euros are taken/).waitFor();
  expect(await plan.getByRole("button", { name: "Carry it out" }).count()).toBe(0);
  await page.getByRole("link", { name: "Plans" }).click();
  await page
    .getByRole("main")
    .getByRole("link", { name: /Sell in euros/ })
    .first()
    .waitFor();
  expect(here.problems()).toEqual([]);
});

test("the timeline has a lane for each run, with calls as bars and waits hatched; a lane leads to its run, and the replay's cursor moves in it", async () => {
  const page = await openTab();
  await page.getByRole("combobox", { name: "Say what is to be done" }).fill("Two at a time");
  await page.keyboard.press("Enter");
  await page.waitForURL(/sessions/);
  await page.getByRole("tab", { name: "Timeline" }).click();
  const timeline = page.getByRole("group", { name: "Timeline of runs" });
  await timeline.getByRole("img", { name: /^3 runs over/ }).waitFor();
  expect(await timeline.getByRole("list", { name: "Runs" }).getByRole("listitem").allInnerTexts()).toEqual([
    "main",
    "researcher #1",
    "researcher #2",
  ]);
  const titles = () => timeline.locator("svg title").allTextContents();
  await expect.poll(titles, { timeout: 60_000 }).toContainEqual(expect.stringMatching(/^ls/));
  expect(await titles()).toContainEqual(expect.stringContaining("waits for researcher"));
  await expectUsable(page, "a timeline at work");
  await timeline.getByRole("button", { name: "researcher #1" }).click();
  await page.getByRole("complementary", { name: "Inspector: researcher #1" }).waitFor();
  await page.keyboard.press("Escape");

  here.stage.model.release("left");
  await expect.poll(titles, { timeout: 60_000 }).toContainEqual(expect.stringContaining("waits for an answer: write"));
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.getByRole("region", { name: /main wants to write a\.md/ }).waitFor();
  await page.waitForTimeout(300);
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("Both sides were looked at.").waitFor();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: /Replay/ }).click();
  const cursor = timeline.locator("line.lane-cursor");
  const at = async (): Promise<number> => Number(await cursor.getAttribute("x1"));
  const slider = page.getByRole("slider", { name: "Event" });
  await slider.fill("4");
  await cursor.waitFor({ state: "attached" });
  const early = await at();
  expect(early).toBeLessThan(900);
  // The whole of it stays in sight: what comes later can be clicked.
  const lanes = timeline.getByRole("img", { name: /^3 runs over/ });
  const { width } = (await lanes.boundingBox()) ?? { width: 0 };
  await lanes.click({ position: { x: width * 0.95, y: 5 } });
  await expect.poll(at).toBeGreaterThan(early);
  expect(Number(await slider.inputValue())).toBeGreaterThan(4);
  expect(here.problems()).toEqual([]);
});

test("a time that is dragged over the timeline filters every view, until Esc; keys and sliders select one too", async () => {
  const page = await openTab();
  await page.getByRole("combobox", { name: "Say what is to be done" }).fill("One after the other");
  await page.keyboard.press("Enter");
  await page.waitForURL(/sessions/);
  const address = page.url();
  const conversation = page.getByRole("log", { name: "Conversation" });
  await conversation.getByRole("article", { name: /^researcher/ }).waitFor();
  await conversation.getByRole("button", { name: /ls src/ }).waitFor();
  // The bar of what is held, and that of the question, are to be wide enough for a pointer.
  await page.waitForTimeout(800);
  here.stage.model.release("before");
  await page.getByRole("region", { name: /main wants to write after\.md/ }).waitFor();
  await page.waitForTimeout(800);
  await page.getByRole("button", { name: "Allow once" }).click();
  await conversation.getByText("One came after the other.").waitFor();
  const events = await page.evaluate(async () => {
    const answer = await fetch(`/api${location.pathname}/events?limit=1`);
    return ((await answer.json()) as { readonly headSeq: number }).headSeq;
  });
  const headCost = await page.locator(".head-cost").textContent();

  await page.getByRole("tab", { name: "Timeline" }).click();
  const timeline = page.getByRole("group", { name: "Timeline of runs" });
  const lanes = timeline.getByRole("img", { name: /^2 runs over/ });
  const middleOf = async (bars: Locator): Promise<number> => {
    const { x, width } = (await bars.boundingBox()) ?? { x: 0, width: 0 };
    return x + width / 2;
  };
  const whileAsked = await middleOf(timeline.locator("rect.lane-waiting"));
  const whileHeld = await middleOf(timeline.locator("rect.lane-model").last());
  const all = (await lanes.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  // All that comes after the question, to beyond the edge.
  await page.mouse.move(whileAsked, all.y + 8);
  await page.mouse.down();
  await page.mouse.move(whileAsked + 40, all.y + 8, { steps: 4 });
  await page.mouse.move(all.x + all.width + 10, all.y + 8, { steps: 4 });
  await page.mouse.up();
  const selected = page.getByRole("group", { name: "Selected time" });
  await selected.getByText(/^\d\d:\d\d:\d\d(\.\d\d)? to \d\d:\d\d:\d\d(\.\d\d)?$/).waitFor();
  const counted = selected.getByText(new RegExp(`^· \\d+ of ${events} events$`));
  await counted.waitFor();
  const [within] = /\d+/.exec((await counted.textContent()) ?? "") ?? [];
  expect(Number(within)).toBeGreaterThan(0);
  expect(Number(within)).toBeLessThan(events);
  // A drag is no click: no run was chosen.
  expect(await page.getByRole("complementary", { name: /Inspector/ }).count()).toBe(0);
  const cost = await page.locator(".head-cost").textContent();
  expect(cost).not.toBe(headCost);
  expect(cost).not.toMatch(/^0 tok/);
  await expectUsable(page, "a timeline with a selected time");

  await page.getByRole("tab", { name: "Conversation" }).click();
  await conversation.getByText("One came after the other.").waitFor();
  expect(await conversation.getByRole("article").count()).toBe(1);
  expect(await conversation.getByText("One after the other").count()).toBe(0);
  await expectUsable(page, "a conversation in a selected time");
  await page.getByRole("button", { name: "Inspect main" }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector: main" });
  await inspector.getByRole("button", { name: "Steps (2 of 3)" }).waitFor();
  await inspector.getByText(/^In the selected time: /).waitFor();
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByText("1 file changed").waitFor();
  await page.getByRole("region", { name: "after.md", exact: true }).waitFor();
  await page.getByRole("tab", { name: "Messages" }).click();
  const rows = page.getByRole("table", { name: "Recorded messages" });
  await rows.getByText(/^write /).waitFor();
  expect(await rows.getByText(/^ls /).count()).toBe(0);
  await page.getByRole("tab", { name: "Plan" }).click();
  await page.getByText("No plan was made or carried out in the selected time.").waitFor();
  // The address keeps it.
  await page.reload();
  await counted.waitFor();
  expect(page.url()).toMatch(/from=\d+&to=\d+$/);

  // What came before, by the sliders.
  await page.getByRole("tab", { name: "Timeline" }).click();
  await timeline.getByRole("slider", { name: "From this time" }).fill("0");
  await timeline.getByRole("slider", { name: "To this time" }).fill(String(Math.floor(((whileHeld - all.x) / all.width) * 1000)));
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByText("No agent of this session has changed a file in the selected time.").waitFor();
  await page.getByRole("tab", { name: "Messages" }).click();
  await rows.getByText(/^ls /).waitFor();
  expect(await rows.getByText(/^write /).count()).toBe(0);

  await page.keyboard.press("Escape");
  await selected.waitFor({ state: "detached" });
  await rows.getByText(/^write /).waitFor();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await timeline.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await selected.waitFor();
  // A slider keeps the arrows for itself; Esc is the page's.
  await timeline.getByRole("slider", { name: "To this time" }).press("Escape");
  await selected.waitFor({ state: "detached" });
  await timeline.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.getByRole("button", { name: "Clear the selected time" }).click();
  await selected.waitFor({ state: "detached" });
  expect(page.url()).toBe(`${address}/timeline`);
  expect(here.problems()).toEqual([]);
});

test("stats draw small charts by day and by agent, with a table beneath each", async () => {
  const page = await openTab("/stats");
  for (const title of ["Cost by day", "Runs by day", "Success by day"])
    await page.getByRole("img", { name: new RegExp(`^${title}: \\d{4}-\\d{2}-\\d{2} `) }).waitFor();
  for (const title of ["Cost", "Success", "Mean time"])
    await page.getByRole("figure", { name: title, exact: true }).getByText("researcher").waitFor();
  await page.getByRole("cell", { name: "researcher" }).waitFor();
  await page.getByText("As a table").click();
  await page.getByRole("columnheader", { name: "Day" }).waitFor();
  await page.getByRole("tab", { name: "Who asked whom" }).click();
  await page.getByRole("cell", { name: /main.*researcher/ }).waitFor();
  await expectUsable(page, "stats with figures");
  expect(here.problems()).toEqual([]);
});

test("settings tell what is in force and who set it, and what the doctor found, which looks again when it is asked to", async () => {
  const page = await openTab("/settings");
  const doctor = page.getByRole("region", { name: "Doctor" });
  await doctor.getByText("ripgrep").waitFor();
  await doctor.getByRole("button", { name: "Look again" }).click();
  await doctor.getByText("anthropic", { exact: true }).waitFor();
  const row = page.getByRole("row", { name: /^approve ask/ });
  await row.getByText(/retinue\.yaml:\d+/).waitFor();
  await expectUsable(page, "settings");
  await page.getByRole("radio", { name: "dark" }).check();
  expect(
    await page.evaluate(() => getComputedStyle(document.body).colorScheme || document.documentElement.dataset["theme"]),
  ).toMatch(/dark/);
  await page.getByRole("radio", { name: "system" }).check();
  expect(here.problems()).toEqual([]);
});
