// @module-tag long
/** Acts wait for the element that they name, in a real browser. `wait-for-element.test.ts` is the quick one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PageServer } from "../testing/page-server.ts";
import { servePages } from "../testing/page-server.ts";
import type { TestBrowser } from "../testing/test-browser.ts";
import { openTestBrowser } from "../testing/test-browser.ts";

/** Each thing is ready some time after `Begin` was clicked. */
const LATE = `<!doctype html><title>Late</title>
<button onclick="begin()">Begin</button><div id="place"></div>
<button id="locked" disabled onclick="this.textContent = 'Unlocked'">Locked</button>
<label>Size <select id="size"><option>Small</option></select></label>
<div id="cover" hidden style="position:fixed;inset:0;background:#fff8"></div>
<button onclick="this.textContent = 'Uncovered'">Below</button>
<script>
function begin() {
  cover.hidden = false;
  setTimeout(() => { cover.hidden = true; }, 1000);
  setTimeout(() => { place.innerHTML = '<button onclick="this.textContent = \\'Saved\\'">Save</button><input aria-label="Name">'; }, 1500);
  setTimeout(() => { locked.disabled = false; }, 1500);
  setTimeout(() => { size.add(new Option("Large")); }, 1500);
}
</script>`;

let pages: PageServer;
let browser: TestBrowser;

beforeAll(async () => {
  pages = await servePages({ "/late": LATE });
  browser = await openTestBrowser({ allowHosts: [pages.host] });
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});

describe("an act", () => {
  const begin = async (): Promise<void> => {
    await browser.call("browser_navigate", { url: `${pages.url}/late` });
    await browser.call("browser_click", { role: "button", name: "Begin" });
  };

  test.each([
    ["is not there yet", "browser_click", { role: "button", name: "Save" }, '+ button "Saved"'],
    ["is not there yet, by description", "browser_click", { description: "save button" }, '+ button "Saved"'],
    ["is not there yet, to type into it", "browser_type", { role: "textbox", name: "Name", text: "Ada" }, "Ada"],
    ["is disabled at first", "browser_click", { role: "button", name: "Locked" }, '+ button "Unlocked"'],
    ["is covered at first", "browser_click", { role: "button", name: "Below" }, '+ button "Uncovered"'],
    [
      "has its option later",
      "browser_select",
      { role: "combobox", name: "Size", values: ["Large"] },
      '+ option "Large" [selected]',
    ],
  ])("waits for an element that %s", async (_, tool, input, seen) => {
    await begin();
    expect(await browser.call(tool, input)).toContain(seen);
  });

  test("that waited for nothing says what was there, the nearest names, and keeps a picture", async () => {
    await begin();
    const input = { role: "button", waitMs: 300 };
    const missed = await browser.callRaw("browser_click", { ...input, name: "Beginn" });
    if (typeof missed === "string") throw new Error(missed);
    const [part] = missed.content;
    const text = part?.type === "text" ? part.text : "";
    expect(missed).toMatchObject({ error: { code: "tool_failed" }, artifact: { mediaType: "image/png" } });
    expect(text).toMatch(/Nothing on the page is button "Beginn", so that nothing was done\. Nearest: button "Begin"/);
    expect(text).toContain("Waited 0.3 s.");
    expect(text).toContain('- button "Below"');
  });
});
