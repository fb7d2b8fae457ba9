/** What a browser session records on request, in a real Chromium: a trace and a video, and no secret in either. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PageServer } from "../../testing/page-server.ts";
import { servePages } from "../../testing/page-server.ts";
import { readZipTexts } from "../../testing/read-zip.ts";
import type { Shop } from "../../testing/start-shop.ts";
import { SHOP_LOGIN, startShop } from "../../testing/start-shop.ts";
import type { TestBrowser } from "../../testing/test-browser.ts";
import { openTestBrowser } from "../../testing/test-browser.ts";
import { toApng } from "./apng.ts";
import { isClean } from "./screencast.ts";

const SECRET = "correct-horse";
const WHITE = "255,255,255";
const BLUE = "0,0,255";
const RED = "255,0,0";
const GREEN = "0,128,0";

/** Is red as long as it shows what was typed. */
const COLOURS = `<!doctype html><title>Colours</title><style>body { background: blue; } p { font-size: 60px; }</style>
<label>Code <input oninput="shown.textContent = this.value; document.body.style.background = 'red'"></label><p id="shown"></p>
<button onclick="document.querySelector('input').value = ''; shown.textContent = 'Sent'; document.body.style.background = 'green'">Send</button>`;

let shop: Shop;
let pages: PageServer;
let browser: TestBrowser;

beforeAll(async () => {
  shop = await startShop();
  pages = await servePages({ "/": COLOURS, "/empty": "<title>Empty</title>" });
  browser = await openTestBrowser({
    allowHosts: [new URL(shop.url).host, pages.host],
    secrets: () =>
      new Map([
        ["CODE", SECRET],
        ["SHOP_TOTP", "GEZDGNBVGY3TQOJQ"],
      ]),
    session: { trace: true, video: true },
  });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
  await shop.close();
});

/** The colour in the corner of each picture of an animation, as the browser itself decodes it. */
const coloursOf = async (video: Buffer): Promise<readonly string[]> => {
  await browser.call("browser_navigate", { url: `${pages.url}/empty` }, { sessionId: "ses_decoder" });
  const page = await (await browser.session("ses_decoder")).page();
  // As text: its types would need those of a browser.
  return page.evaluate<readonly string[]>(`(async () => {
    const bytes = Uint8Array.from(atob("${video.toString("base64")}"), (one) => one.charCodeAt(0));
    const decoder = new ImageDecoder({ data: bytes, type: "image/png" });
    await decoder.tracks.ready;
    const colours = [];
    for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex += 1) {
      const { image } = await decoder.decode({ frameIndex });
      const pen = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext("2d");
      pen.drawImage(image, 0, 0);
      colours.push([...pen.getImageData(2, image.displayHeight - 3, 1, 1).data].slice(0, 3).join(","));
    }
    return colours;
  })()`);
};

describe("on request", { timeout: 120_000 }, () => {
  test("a trace holds what was done and shown, and no secret, typed or sent", { tags: ["long"] }, async () => {
    const sessionId = "ses_trace";
    await browser.call("browser_navigate", { url: shop.url }, { sessionId });
    await browser.call("browser_type", { description: "email", text: "{{totp:SHOP_TOTP}}" }, { sessionId });
    const code = await (await browser.session(sessionId)).currentPage?.getByRole("textbox", { name: "Email" }).inputValue();
    expect(code).toMatch(/^\d{6}$/);
    for (const [tool, input] of [
      ["browser_navigate", { url: shop.url }],
      ["browser_type", { description: "email", text: SHOP_LOGIN.email }],
      ["browser_type", { description: "password", text: "{{secret:CODE}}" }],
      ["browser_click", { role: "button", name: "Log in" }],
    ] as const)
      await browser.call(tool, input, { sessionId });
    const session = await browser.session(sessionId);
    const { trace } = await session.takeRecordings();
    const whole = readZipTexts(trace ?? Buffer.alloc(0)).join("\n");
    expect(whole).toContain("ada@example.com");
    expect(whole).toContain("{{secret:CODE}}");
    expect(whole).toContain("Corner Shop");
    expect(whole).toContain("{{totp:SHOP_TOTP}}");
    expect(whole).not.toContain(code);
    expect(whole).not.toContain(SECRET);
    expect(await session.takeRecordings()).toEqual({});
  });

  test("a video shows what the page looked like, but for the time in which it showed a secret", { tags: ["long"] }, async () => {
    const film = async (sessionId: `ses_${string}`, text: string): Promise<ReadonlySet<string>> => {
      await browser.call("browser_navigate", { url: pages.url }, { sessionId });
      await browser.call("browser_type", { description: "Code", text }, { sessionId });
      await browser.call("browser_wait", { seconds: 1 }, { sessionId });
      await browser.call("browser_click", { role: "button", name: "Send" }, { sessionId });
      await browser.call("browser_wait", { seconds: 1 }, { sessionId });
      await browser.call("browser_snapshot", {}, { sessionId });
      const { video } = await (await browser.session(sessionId)).takeRecordings();
      // White is what a tab shows before its first page.
      return new Set((await coloursOf(video ?? Buffer.alloc(0))).filter((colour) => colour !== WHITE));
    };
    expect(await film("ses_plain", "4711")).toEqual(new Set([BLUE, RED, GREEN]));
    expect(await film("ses_secret", "{{secret:CODE}}")).toEqual(new Set([BLUE, GREEN]));
  });

  test("a picture is kept only where the page showed no secret at the look before it and at the look after it", () => {
    const looks = [
      { from: 10, to: 12, showsSecret: false },
      { from: 20, to: 20, showsSecret: true },
      { from: 30, to: 32, showsSecret: false },
      { from: 40, to: 42, showsSecret: false },
    ];
    expect([5, 11, 15, 20, 25, 31, 35, 50].map((at) => isClean(at, looks))).toEqual(
      // Before and between clean looks; neither just before nor just after the one that was not.
      [true, true, false, false, false, true, true, true],
    );
    expect(isClean(5, [])).toBe(true);
  });

  test("an animation of pictures of one form only has that form, and of none there is none", async () => {
    const page = await (await browser.session("ses_forms")).page();
    const shoot = async (width: number): Promise<Buffer> => {
      await page.setViewportSize({ width, height: 100 });
      return page.screenshot();
    };
    const pictures = [await shoot(200), await shoot(300), await shoot(200)];
    const video = toApng(pictures.map((png) => ({ png, ms: 100 })));
    expect(await coloursOf(video ?? Buffer.alloc(0))).toHaveLength(2);
    expect(toApng([])).toBeUndefined();
  });
});
