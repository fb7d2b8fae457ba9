import { afterAll, beforeAll, expect, test } from "vitest";
import type { PageServer } from "../testing/page-server.ts";
import { servePages } from "../testing/page-server.ts";
import type { TestBrowser } from "../testing/test-browser.ts";
import { openTestBrowser } from "../testing/test-browser.ts";

/** About 500 KB of products, with a notice and a form that must not get lost among them. */
const LONG_PAGE = `<!doctype html><title>Catalogue</title><h1>Catalogue</h1><main>${Array.from(
  { length: 2_000 },
  (_, at) =>
    `<article aria-label="Product ${at}"><h3>Product ${at}</h3><p>${`A sentence about product ${at} that nobody reads. `.repeat(3)}</p><a href="/product/${at}">More about ${at}</a></article>`,
).join("\n")}</main><div role="alert">The shop closes at noon.</div>
<form aria-label="Order"><label>Number of the product <input></label><button type="button" onclick="document.querySelector('[role=alert]').textContent = 'Ordered.'">Order now</button></form>`;

/** What an agent with a context of 8,000 tokens is given for one output. */
const MOST_CHARS = 8_000;

const context = { mostChars: MOST_CHARS };

let pages: PageServer;
let browser: TestBrowser;

beforeAll(async () => {
  pages = await servePages({ "/": LONG_PAGE });
  browser = await openTestBrowser({ allowHosts: [pages.host] });
  await browser.call("browser_navigate", { url: pages.url }, { context });
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});

test("of a page of 500 KB a snapshot takes no more than its share, keeps what can be acted upon and what is announced, and the whole is an artifact", async () => {
  expect(LONG_PAGE.length).toBeGreaterThan(500_000);
  const opened = await browser.call("browser_navigate", { url: pages.url }, { context });
  expect(opened.length).toBeLessThanOrEqual(MOST_CHARS);
  const shown = await browser.call("browser_snapshot", {}, { context });
  expect(shown.length).toBeLessThanOrEqual(MOST_CHARS);
  expect(shown).toContain("The shop closes at noon.");
  expect(shown).toMatch(/lines left out/);
  const artifact = /kept as "artifact:(art_\w+)"/.exec(shown)?.[1] as `art_${string}`;
  const whole = browser.workspace.artifacts.get(artifact) ?? "";
  expect(whole.length).toBeGreaterThan(300_000);
  expect(whole).toContain("A sentence about product 1999 that nobody reads.");
});

test("a part of a long page is found by search, by scope and by depth", { tags: ["long"] }, async () => {
  const found = await browser.call("browser_snapshot", { search: "More about 1234" }, { context });
  expect(found).toMatch(/- link "More about 1234" \[ref=\w+\] → \/product\/1234 {2}\(in article "Product 1234"\)/);
  const scoped = await browser.call("browser_snapshot", { role: "form", name: "Order" }, { context });
  expect(scoped).toContain('button "Order now"');
  expect(scoped).not.toContain("Product 0");
  const flat = await browser.call("browser_snapshot", { depth: 0 }, { context });
  expect(flat).toMatch(/- main \[ref=\w+\] \(\d+ more inside\)/);
  expect(await browser.call("browser_snapshot", { search: "no such words" }, { context })).toContain(
    'Nothing on the page contains "no such words".',
  );
});

test("an act on a long page finds its element and tells only what changed", async () => {
  const ordered = await browser.call("browser_click", { description: "order now button" }, { context });
  expect(ordered).toContain("- alert: The shop closes at noon.\n+ alert: Ordered.");
  expect(ordered.length).toBeLessThan(1_000);
});
