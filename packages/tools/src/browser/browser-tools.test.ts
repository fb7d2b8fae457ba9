// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PageServer } from "../testing/page-server.ts";
import { servePages } from "../testing/page-server.ts";
import type { Shop } from "../testing/start-shop.ts";
import { SHOP_LOGIN, startShop } from "../testing/start-shop.ts";
import type { TestBrowser } from "../testing/test-browser.ts";
import { openTestBrowser } from "../testing/test-browser.ts";

const SECRET = "correct-horse";

/** Widgets that the shop has not. */
const WIDGETS = `<!doctype html><title>Widgets</title>
<button onclick="confirm('Really?') ? this.textContent = 'Confirmed' : this.textContent = 'Not confirmed'">Ask</button>
<button onclick="this.textContent = 'Hello ' + prompt('Your name?')">Greet</button>
<a href="/" target="_blank">Open tab</a>
<label>Size <select id="size"><option value="s">Small</option><option value="m">Medium</option></select></label>
<div id="menu" onmouseover="this.nextElementSibling.hidden = false">Menu</div><p hidden>Opened by hovering</p>
<div draggable="true" ondragstart="event.dataTransfer.setData('text', 'x')" role="button" aria-label="Card">Card</div>
<div role="region" aria-label="Basket" style="height:60px;width:200px" ondragover="event.preventDefault()" ondrop="event.preventDefault(); this.textContent = 'Card dropped'">Empty</div>
<input aria-label="Keys" onkeydown="this.nextElementSibling.textContent = event.key"><output></output>
<label>Your mail <input placeholder="you@example.com"></label>
<button disabled>Locked</button>
<x-shadow></x-shadow><x-closed></x-closed>
<canvas id="board" width="200" height="100" onclick="document.title = 'Canvas at ' + event.offsetX + ',' + event.offsetY"></canvas>
<button onclick="setTimeout(() => { const box = document.createElement('div'); box.setAttribute('role', 'alert'); box.textContent = 'Gone soon'; document.body.append(box); setTimeout(() => box.remove(), 60); }, 20)">Flash</button>
<button onclick="document.getElementById('late').textContent = 'Loading'; fetch('/slow').then((answer) => answer.text()).then((text) => { document.getElementById('late').textContent = text; })">Load</button><p id="late"></p>
<script>
customElements.define("x-shadow", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<button onclick=\\"this.textContent = 'Pressed inside'\\">Inside</button>"; } });
customElements.define("x-closed", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<button onclick=\\"document.title = 'The hidden one was clicked'\\">Hidden inside</button>"; } });
</script>`;

let shop: Shop;
let pages: PageServer;
/** A port that nobody serves any more. */
let unserved: string;
let browser: TestBrowser;

beforeAll(async () => {
  shop = await startShop();
  pages = await servePages({
    "/": "<title>Home</title><h1>Home</h1>",
    "/widgets": WIDGETS,
    "/slow": (_request, response) => void setTimeout(() => response.end("It came late"), 400),
    "/broken": (_request, response) =>
      void response.writeHead(500, { "content-type": "text/html", "proxy-status": "x" }).end("<h1>Broken</h1>"),
    "/error":
      "<title>Error</title><h1>Error</h1><script>console.error('loud'); setTimeout(() => { throw new Error('uncaught') }, 0)</script>",
  });
  const closed = await servePages({});
  unserved = closed.host;
  await closed[Symbol.asyncDispose]();
  browser = await openTestBrowser({
    allowHosts: [new URL(shop.url).host, pages.host, unserved],
    secrets: () => new Map([["SHOP_PASSWORD", SECRET]]),
    files: { "prices.csv": "Desk lamp,20\nNotebook,3\n", ".env": "SHOP_PASSWORD=x" },
  });
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
  await shop.close();
});

const logIn = async (sessionId: `ses_${string}`): Promise<string> => {
  await browser.call("browser_navigate", { url: shop.url }, { sessionId });
  await browser.call("browser_type", { description: "email input", text: SHOP_LOGIN.email }, { sessionId });
  await browser.call("browser_type", { description: "password input", text: "{{secret:SHOP_PASSWORD}}" }, { sessionId });
  return browser.call("browser_click", { role: "button", name: "Log in" }, { sessionId });
};

describe("acting in a page", () => {
  test("an act waits for the requests that it set going, and tells what changed", async () => {
    const opened = await logIn("ses_shop");
    expect(opened).toContain(`Clicked button "Log in"`);
    expect(opened).toContain("Element: getByRole('button', { name: 'Log in' })");
    expect(opened).toContain(`Page: Products · Corner Shop ${shop.url}/products`);
    expect(opened).toContain("POST /login 303; GET /products 200; GET /api/delivery 200");
    const shown = await browser.call("browser_snapshot", { search: "delivery" }, { sessionId: "ses_shop" });
    expect(shown).toContain("Next delivery: Tuesday, 09:00");

    await browser.call("browser_type", { description: "name field", text: "Pen" }, { sessionId: "ses_shop" });
    await browser.call("browser_type", { description: "price", text: "2" }, { sessionId: "ses_shop" });
    const saved = await browser.call("browser_click", { description: "save product button" }, { sessionId: "ses_shop" });
    expect(saved).toContain("Requests: POST /api/products 201");
    expect(saved).toContain('Message shown: "Pen was saved."');
    expect(saved).toContain('+ cell "Pen"');
    expect(saved).toContain("- strong: € 530.80\n+ strong: € 532.80");
  });

  test("an act that changes nothing says so", { tags: ["long"] }, async () => {
    await logIn("ses_nothing");
    expect(await browser.call("browser_click", { role: "heading", name: "Delivery" }, { sessionId: "ses_nothing" })).toContain(
      "Nothing changed: no request, no message, no difference of the page.",
    );
  });

  test(
    "a description that fits several elements does nothing and lists them; with its place it fits one",
    { tags: ["long"] },
    async () => {
      await logIn("ses_many");
      const many = await browser.call("browser_click", { description: "Delete button" }, { sessionId: "ses_many" });
      expect(many).toMatch(/^Error \(tool_failed\): "Delete button" could be 4 elements, so that nothing was done:/);
      expect(many).toContain('- button "Delete Notebook"');
      const one = await browser.call(
        "browser_click",
        { description: "Delete button in the Notebook row" },
        { sessionId: "ses_many" },
      );
      expect(one).toContain('+ dialog "Delete Notebook?"');
      const covered = await browser.call(
        "browser_click",
        { description: "Search button", waitMs: 300 },
        { sessionId: "ses_many" },
      );
      expect(covered).toContain("is covered by <dialog");
      const ref =
        /button "Cancel" .*?\[ref=(\w+)\]/.exec(await browser.call("browser_snapshot", {}, { sessionId: "ses_many" }))?.[1] ?? "";
      expect(await browser.call("browser_click", { ref }, { sessionId: "ses_many" })).toContain('- dialog "Delete Notebook?"');
      const gone = await browser.call("browser_click", { ref }, { sessionId: "ses_many" });
      expect(gone).toContain(`There is no element ${ref} on the page any more`);
      const none = await browser.call("browser_click", { description: "pay with gold", waitMs: 300 }, { sessionId: "ses_many" });
      expect(none).toContain('Nothing on the page is "pay with gold", so that nothing was done. There is:');
    },
  );

  test("sessions never see each other's cookies, and runs of a session share a page", async () => {
    await logIn("ses_one");
    expect(await browser.call("browser_navigate", { url: `${shop.url}/products` }, { sessionId: "ses_two" })).toContain("/login");
    const other = await browser.call("browser_snapshot", { search: "Total" }, { sessionId: "ses_one", runId: "run_other" });
    expect(other).toContain("/products");
  });

  test("files go into a page from the workspace, and come out of it as artifacts", { tags: ["long"] }, async () => {
    await logIn("ses_files");
    await browser.call("browser_navigate", { url: `${shop.url}/upload` }, { sessionId: "ses_files" });
    await browser.call("browser_upload", { description: "price list", paths: ["prices.csv"] }, { sessionId: "ses_files" });
    expect(await browser.call("browser_click", { role: "button", name: "Upload file" }, { sessionId: "ses_files" })).toContain(
      "+ listitem: prices.csv: 2 lines",
    );
    expect(
      await browser.call("browser_upload", { description: "price list", paths: [".env"] }, { sessionId: "ses_files" }),
    ).toMatch(/^Error \(path_protected\)/);
    await browser.call("browser_navigate", { url: `${shop.url}/products` }, { sessionId: "ses_files" });
    const got = await browser.call("browser_click", { description: "Download CSV link" }, { sessionId: "ses_files" });
    const artifact = /Download "products\.csv": 93 B, kept as "artifact:(art_\w+)"/.exec(got)?.[1] as `art_${string}`;
    expect(browser.workspace.artifacts.get(artifact)).toContain("Floor lamp,89.00,2");
  });

  test("frames and open shadow roots are acted in like the rest of the page", { tags: ["long"] }, async () => {
    await logIn("ses_frame");
    await browser.call("browser_navigate", { url: `${shop.url}/report` }, { sessionId: "ses_frame" });
    const printed = await browser.call("browser_click", { role: "button", name: "Print" }, { sessionId: "ses_frame" });
    expect(printed).toContain("contentFrame().getByRole('button', { name: 'Print' })");
    expect(printed).toContain('+ button "Printed"');
    await browser.call("browser_navigate", { url: `${pages.url}/widgets` });
    expect(await browser.call("browser_click", { role: "button", name: "Inside" })).toContain('+ button "Pressed inside"');
    expect(await browser.call("browser_snapshot", {})).not.toContain("Hidden inside");
  });
});

describe("what a page does by itself", () => {
  const open = (page: string): Promise<string> => browser.call("browser_navigate", { url: `${pages.url}${page}` });

  test("a dialog is answered as it was said, and one that nobody spoke of is dismissed and told", async () => {
    await open("/widgets");
    expect(await browser.call("browser_click", { role: "button", name: "Ask" })).toContain(
      'Dialog (confirm) "Really?": dismissed, since nobody said how to answer it',
    );
    await browser.call("browser_dialog", { answer: "accept", message: "Really" });
    expect(await browser.call("browser_click", { role: "button", name: "Not confirmed" })).toContain('+ button "Confirmed"');
    await browser.call("browser_dialog", { answer: "accept", message: "name", text: "Ada" });
    expect(await browser.call("browser_click", { role: "button", name: "Greet" })).toContain('+ button "Hello Ada"');
  });

  test("a message that is gone after a moment, and what comes late, are told by the act that caused them", async () => {
    await open("/widgets");
    const flashed = await browser.call("browser_click", { role: "button", name: "Flash" });
    expect(flashed).toContain('Message shown: "Gone soon"');
    const loaded = await browser.call("browser_click", { role: "button", name: "Load" });
    expect(loaded).toContain("Requests: GET /slow 200");
    expect(loaded).toContain("+ paragraph: It came late");
  });

  test("a new tab is told and acted in, and tabs are chosen by number", async () => {
    await open("/widgets");
    expect(await browser.call("browser_click", { role: "link", name: "Open tab" })).toContain(
      "A new tab opened; there are 2 and this one is shown.",
    );
    expect(await browser.call("browser_tabs", { action: "choose", tab: 1 })).toContain("1. Widgets");
    expect(await browser.call("browser_tabs", { action: "close", tab: 2 })).not.toContain("2.");
    expect(await browser.call("browser_close", {})).toBe("Closed the tab.");
    expect(await browser.call("browser_snapshot", {})).toBe("No page is open yet. Open one by browser_navigate.");
  });

  test("options are chosen, keys pressed, the pointer moved and elements dragged", { tags: ["long"] }, async () => {
    await open("/widgets");
    expect(await browser.call("browser_select", { description: "size dropdown", values: ["Medium"] })).toContain(
      '+ option "Medium" [selected]',
    );
    expect(await browser.call("browser_select", { description: "size", values: ["Huge"], waitMs: 300 })).toContain(
      'has no option "Huge"',
    );
    expect(await browser.call("browser_press", { role: "textbox", name: "Keys", key: "ArrowDown" })).toContain(
      "+ status: ArrowDown",
    );
    expect(await browser.call("browser_hover", { description: "Menu" })).toContain("+ paragraph: Opened by hovering");
    expect(
      await browser.call("browser_drag", { from: { role: "button", name: "Card" }, to: { role: "region", name: "Basket" } }),
    ).toContain("Card dropped");
    expect(await browser.call("browser_type", { description: "you@example.com", text: "a@b.c" })).toContain(
      '+ textbox "Your mail" (placeholder "you@example.com"): a@b.c',
    );
    expect(await browser.call("browser_click", { role: "button", name: "Locked", waitMs: 300 })).toContain(
      "is disabled, so that nothing was done",
    );
  });

  test("errors of the console, failing answers and addresses that nobody serves are told", async () => {
    expect(await open("/error")).toMatch(/Errors of the console: loud; uncaught/);
    expect(await open("/broken")).toContain("The page answered with status 500");
    expect(await browser.call("browser_navigate", { url: `http://${unserved}/` })).toContain(
      "could not be opened: nothing answers there",
    );
    expect(await browser.call("browser_wait", { text: "never there", seconds: 0.5 })).toContain(
      'After 0.5 s the page does not show "never there"',
    );
  });
});

describe("what has no accessible element", () => {
  test("a canvas is clicked by its place, or where a model sees what is described, and both are marked as not deterministic", async () => {
    const sessionId = "ses_canvas";
    await browser.call("browser_navigate", { url: `${pages.url}/widgets` }, { sessionId });
    expect(await browser.call("browser_snapshot", {}, { sessionId })).toContain("The page has a canvas");
    const box = await (await (await browser.session(sessionId)).page()).locator("#board").boundingBox();
    const [x, y] = [Math.round((box?.x ?? 0) + 10), Math.round((box?.y ?? 0) + 20)];
    expect(await browser.call("browser_click", { x, y }, { sessionId })).toMatch(
      /Clicked at \d+,\d+ \(not deterministic: a place, no element\)[\s\S]*Canvas at 10,20/,
    );
    const asked: string[] = [];
    const spent = { usage: { input: 1, output: 1, cached: 0, reasoning: 0 }, costUsd: 0 };
    const look = async ({ text, image }: { readonly text: string; readonly image: { readonly data: string } }) => {
      asked.push(text, image.data.slice(0, 8));
      return { text: `${x + 20},${y + 20}`, model: "vision/one", spent };
    };
    const clicked = await browser.call(
      "browser_click",
      { description: "red circle", waitMs: 300 },
      { sessionId, context: { look } },
    );
    expect(clicked).toMatch(/where vision\/one sees "red circle" \(not deterministic\)[\s\S]*Canvas at 30,40/);
    expect(asked[0]).toContain("Where is the middle of: red circle?");
    expect(asked[1]).toBe("iVBORw0K");
  });

  test("what a closed shadow root holds is in no snapshot, and is clicked where a model sees it, marked as not deterministic", async () => {
    const sessionId = "ses_closed";
    await browser.call("browser_navigate", { url: `${pages.url}/widgets` }, { sessionId });
    expect(await browser.call("browser_snapshot", {}, { sessionId })).not.toContain("Hidden inside");
    const box = await (await (await browser.session(sessionId)).page()).locator("x-closed").boundingBox();
    const place = `${Math.round((box?.x ?? 0) + 20)},${Math.round((box?.y ?? 0) + 8)}`;
    const spent = { usage: { input: 1, output: 1, cached: 0, reasoning: 0 }, costUsd: 0 };
    const look = async () => ({ text: place, model: "vision/one", spent });
    const clicked = await browser.call(
      "browser_click",
      { description: "Hidden inside button", waitMs: 300 },
      { sessionId, context: { look } },
    );
    expect(clicked).toMatch(
      /where vision\/one sees "Hidden inside button" \(not deterministic\)[\s\S]*The hidden one was clicked/,
    );
  });
});

describe("secrets", () => {
  test("a secret that is named is typed, and stands neither in answers nor in snapshots, logs or pictures of its field", async () => {
    const sessionId = "ses_secret";
    const said = [
      await browser.call("browser_navigate", { url: shop.url }, { sessionId }),
      await browser.call("browser_type", { description: "email", text: "{{secret:SHOP_PASSWORD}}@example.com" }, { sessionId }),
      await browser.call("browser_type", { description: "password", text: "{{secret:SHOP_PASSWORD}}" }, { sessionId }),
      await browser.call("browser_snapshot", {}, { sessionId }),
    ];
    expect(said.join("\n")).not.toContain(SECRET);
    expect(said[3]).toContain('textbox "Email" [ref=e6]: {{secret:SHOP_PASSWORD}}@example.com');
    expect(said[3]).toMatch(/textbox "Password" .*: ••••••/);
    const session = await browser.session(sessionId);
    expect(JSON.stringify(session.acts)).not.toContain(SECRET);
    expect(await (await session.page()).getByLabel("Password").inputValue()).toBe(SECRET);
    expect(session.covered).toHaveLength(2);
    const missing = await browser.call("browser_type", { description: "email", text: "{{secret:OTHER}}" }, { sessionId });
    expect(missing).toContain("There is no secret OTHER, so that nothing was typed.");
  });
});
