// @module-tag long
/** A session of many hundred steps in a real browser: it opens at its end, and what is older comes when somebody goes there. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { generateSession } from "@retinue/client/testing";
import { isLive, type RecordedEvent } from "@retinue/protocol";
import { exportOf } from "@retinue/store/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtPage } from "./testing/built-page.ts";
import { openChromium, openPageStage, type PageStage } from "./testing/index.ts";

const SESSION = "ses_generated";

let stage: PageStage;
let browser: Browser;
let page: Page;
const problems: string[] = [];
/** What the page has read of the session, by path. */
const read: string[] = [];

const events = [...generateSession({ runs: 16, turns: 60, maxDepth: 3, width: 3, seed: 5 })].filter(
  (event): event is RecordedEvent => !isLive(event),
);
const mains = events.filter(({ type, depth }) => type === "run.requested" && depth === 0);

beforeAll(async () => {
  await builtPage();
  [stage, browser] = await Promise.all([openPageStage({}), openChromium()]);
  const file = path.join(stage.workspace, "session.json");
  await writeFile(file, JSON.stringify(exportOf(SESSION, events)));
  const imported = stage.command("sessions", "import", file);
  const [code] = (await once(imported, "close")) as [number];
  expect(code).toBe(0);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith(`/api/sessions/${SESSION}/`)) read.push(pathname.slice(`/api/sessions/${SESSION}/`.length));
  });
  await page.goto(stage.link);
  await page.getByRole("navigation").waitFor();
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
  expect(problems).toEqual([]);
});

const log = () => page.getByRole("log");
const nodes = (name: string | RegExp) => page.getByRole("article", { name });

test("it opens at its end without its older steps, which are loaded as one scrolls up to the first question", async () => {
  await page.goto(new URL(`/sessions/${SESSION}`, stage.url).href);
  await page.locator('[role="log"][data-caught-up="true"]').waitFor();
  await page.getByText("I read it.").first().waitFor();
  expect(read.filter((one) => one.startsWith("runs/"))).toEqual([]);
  expect(read).toContain("view");
  await expect
    .poll(
      async () => {
        await log().evaluate((box) => box.scrollTo({ top: 0 }));
        return page.getByText(`Task of ${mains[0]?.runId}`, { exact: true }).count();
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0);
  await expect.poll(() => read.filter((one) => one.startsWith("runs/")).length).toBeGreaterThan(0);
  await expect.poll(() => page.locator('[aria-busy="true"]').count(), { timeout: 30_000 }).toBe(0);
});

test("a settled sub-agent is loaded when it is opened, and the inspector tells all of its steps", async () => {
  const child = nodes(/^worker #\d+, depth 1/).first();
  await child.scrollIntoViewIfNeeded();
  await child.getByRole("button", { name: /^Inspect/ }).click();
  const inspector = page.getByRole("complementary", { name: /^Inspector: worker/ });
  await inspector.getByRole("button", { name: "Steps (60)" }).waitFor();
  await inspector.getByRole("button", { name: "48 earlier" }).click();
  await inspector.getByText("1.", { exact: true }).waitFor();
  await inspector.getByRole("button", { name: "Close the inspector" }).click();
  await child.getByRole("button", { name: /^Expand/ }).click();
  await expect.poll(() => page.locator(".row-said, .row-call").count()).toBeGreaterThan(5);
});

test("timeline and replay have the whole of it", async () => {
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("img", { name: /^16 runs over/ }).waitFor();
  await expect.poll(() => page.getByText(/reading \d+ run/).count(), { timeout: 60_000 }).toBe(0);
  expect(await page.locator("rect.lane-model").count()).toBe(16 * 60);
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: /^Replay/ }).click();
  const slider = page.getByRole("slider", { name: "Event" });
  await slider.waitFor();
  expect(await slider.getAttribute("max")).toBe(String(events.length));
  await slider.fill("3");
  await page.getByText("3 of").waitFor();
  await nodes(/depth 0/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Leave the replay" }).click();
});

test("an address with an early time opens with what lies within it: only runs that were at work then are read, and few events are looked at to count them", async () => {
  const [first, last] = [events[20], events[60]].map((event) => Date.parse(event?.at ?? ""));
  if (first === undefined || last === undefined) throw new Error("The session is too short.");
  const timeOf = (type: RecordedEvent["type"], runId: string): number =>
    Date.parse(events.find((event) => event.type === type && event.runId === runId)?.at ?? "");
  const runIds = new Set(events.map(({ runId }) => runId));
  const atWork = [...runIds].filter((runId) => timeOf("run.requested", runId) <= last && timeOf("run.settled", runId) >= first);
  expect(atWork.length).toBeLessThan(runIds.size);
  const within = events.filter(({ at }) => Date.parse(at) >= first && Date.parse(at) <= last).length;

  read.length = 0;
  await page.goto(new URL(`/sessions/${SESSION}?from=${first}&to=${last}`, stage.url).href);
  await page.getByRole("group", { name: "Selected time" }).getByText(`· ${within} of ${events.length} events`).waitFor();
  await expect.poll(() => page.getByText(/reading \d+ run/).count(), { timeout: 30_000 }).toBe(0);
  await expect.poll(() => page.locator(".row-said, .row-call").count()).toBeGreaterThan(0);
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
  expect(await nodes(/depth 0/).count()).toBe(mains.filter(({ runId }) => atWork.includes(runId)).length);
  const runsRead = new Set(read.flatMap((one) => /^runs\/([^/]+)/.exec(one)?.[1] ?? []));
  expect(runsRead.size).toBeGreaterThan(0);
  expect([...runsRead].filter((runId) => !atWork.includes(runId as (typeof atWork)[number]))).toEqual([]);
  expect(read.filter((one) => one === "events").length).toBeLessThan(40);
});
