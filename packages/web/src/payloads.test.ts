// @module-tag long
/** Nothing that a model, a tool or a file says is ever taken for markup: what would run on a page that does is shown as the text that it is. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ELSEWHERE, NAME_PAYLOADS, PAYLOADS } from "./testing/attack-payloads.ts";
import { builtPage } from "./testing/built-page.ts";
import { call, openChromium, openPageStage, type PageStage } from "./testing/index.ts";

const ALL = PAYLOADS.join("\n\n");
const [FIRST = ""] = PAYLOADS;
const HTML_TEXT = PAYLOADS.slice(0, 40).join("\n\n");

let stage: PageStage;
let browser: Browser;
const requested: string[] = [];

beforeAll(async () => {
  await builtPage();
  [stage, browser] = await Promise.all([
    openPageStage({
      parts: [
        {
          agent: "main",
          replies: [
            {
              text: ALL,
              calls: [
                call("read", { path: "evil.md" }),
                call("ls", { path: "names" }),
                call("read", { path: FIRST }),
                call("delegate_to_agent", { agent: FIRST, task: ALL }),
              ],
            },
            [call("write", { path: "notes.md", content: ALL })],
            ALL,
          ],
        },
      ],
      files: { "evil.md": ALL },
      agents: {
        evil: `---\nname: evil\ndescription: ${JSON.stringify(PAYLOADS.slice(0, 20).join(" "))}\n---\n\n${HTML_TEXT}\n`,
      },
      settings: "approve: ask\n",
    }),
    openChromium(),
  ]);
  await mkdir(path.join(stage.workspace, "names"));
  for (const name of NAME_PAYLOADS) await writeFile(path.join(stage.workspace, "names", name), "");
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

/** What of the page is more than text, after everything that could be touched was. */
const examine = async (page: Page) => {
  await page.evaluate(() => {
    for (const card of document.querySelectorAll<HTMLElement>(".card-head[aria-expanded=false]")) card.click();
  });
  await page.waitForTimeout(300);
  return page.evaluate(() => {
    for (const element of document.querySelectorAll("*"))
      for (const type of ["mouseover", "pointerenter", "focus", "toggle", "error", "load"])
        element.dispatchEvent(new Event(type));
    const isOurs = (element: Element): boolean => {
      const address = element.getAttribute("src") ?? element.getAttribute("href") ?? "";
      return (
        ["SCRIPT", "LINK"].includes(element.tagName) &&
        /^\/(assets\/|icon)/.test(new URL(address, location.href).pathname) &&
        new URL(address, location.href).origin === location.origin
      );
    };
    return {
      ran: "ran" in globalThis,
      elements: [
        ...document.querySelectorAll(
          "script, iframe, object, embed, base, meta[http-equiv], link, style, form[action], [formaction], audio, video",
        ),
      ]
        .filter((element) => !isOurs(element))
        .map((element) => element.outerHTML),
      handlers: [...document.querySelectorAll("*")].flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith("on")),
      ),
      links: [...document.querySelectorAll("a[href]")]
        .map((link) => link.getAttribute("href") ?? "")
        .filter((href) => !/^(https?:|mailto:|\/|#)/.test(href)),
      pictures: [...document.querySelectorAll("img")]
        .map((image) => image.getAttribute("src") ?? "")
        .filter((source) => !source.startsWith("/") && !/^data:image\/(png|jpeg|webp|gif);base64,/.test(source)),
    };
  });
};

const NOTHING = { ran: false, elements: [], handlers: [], links: [], pictures: [] };

test("E9, E10 more than 200 payloads as model text, tool output, file names, agent names, titles and acts run nothing and load nothing", async () => {
  expect(PAYLOADS.length).toBeGreaterThan(200);
  expect(NAME_PAYLOADS.length).toBeGreaterThan(100);
  // The server's policy would stop most of them: without it the page alone has to.
  const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1400, height: 16_000 } });
  const page = await context.newPage();
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(stage.link);
  await page.getByRole("combobox", { name: "Say what is to be done" }).fill(FIRST);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: /wants to write/ }).waitFor();
  expect(await examine(page)).toEqual(NOTHING);
  expect(await page.getByText("globalThis.ran=1").count()).toBeGreaterThan(200);

  await page.waitForTimeout(300);
  // A yes to an act that was not shown to its end answers nothing, and shows more of it.
  const allow = page.getByRole("button", { name: "Allow once" });
  for (let tries = 0; tries < 40 && (await allow.isVisible()); tries += 1) {
    await allow.click();
    await page.waitForTimeout(400);
  }
  await page.getByRole("article").getByText("completed").first().waitFor();
  expect(await examine(page)).toEqual(NOTHING);
  await page.getByRole("button", { name: "Inspect main" }).click();
  expect(await examine(page)).toEqual(NOTHING);
  for (const tab of ["Timeline", "Messages", "Files"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.waitForTimeout(300);
    expect(await examine(page)).toEqual(NOTHING);
  }
  await page.goto(new URL("/agents/evil", stage.url).href);
  await page.getByRole("textbox", { name: "File of evil" }).waitFor();
  expect(await examine(page)).toEqual(NOTHING);
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("globalThis ran");
  await page.waitForTimeout(500);
  expect(await examine(page)).toEqual(NOTHING);
  expect(requested.filter((url) => !url.startsWith(stage.url) && !url.startsWith("data:"))).toEqual([]);
  expect(requested.filter((url) => url.startsWith(ELSEWHERE))).toEqual([]);
});
