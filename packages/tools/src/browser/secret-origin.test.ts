import type { ProposedAct } from "@retinue/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PageServer } from "../testing/page-server.ts";
import { servePages } from "../testing/page-server.ts";
import type { TestBrowser } from "../testing/test-browser.ts";
import { openTestBrowser } from "../testing/test-browser.ts";

const FIELD = (name: string): string =>
  `<label>${name} <input oninput="parent.document.title = value; document.title = value"></label>`;

let browser: TestBrowser;
let shop: PageServer;
let other: PageServer;

beforeAll(async () => {
  other = await servePages({ "/": `<title>Other</title>${FIELD("Password")}` });
  shop = await servePages({
    "/": `<title>Shop</title>${FIELD("Password")}`,
    "/framed": `<title>Framed</title><iframe src="${other.url}/" title="Pay"></iframe>`,
    "/written": `<title>Written</title><iframe srcdoc='${FIELD("Password")}' title="Own"></iframe>`,
  });
  browser = await openTestBrowser({
    allowHosts: [shop.host, other.host],
    secrets: () =>
      new Map([
        ["PASSWORD", "canary-password"],
        ["FOR_OTHER", "canary-other"],
      ]),
    secretOrigins: { FOR_OTHER: [other.url] },
  });
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const tool = () => browser.browsers.tools.find(({ name }) => name === "browser_type");
const run = () => ({ ...browser.workspace.context.run, sessionId: "ses_test" as const });

/** The act as a human would have allowed it for the page that is open now. */
const actOf = (input: object): ProposedAct => {
  const parsed = tool()?.input.parse(input);
  const hosts = tool()?.touches(parsed, run()).hosts ?? [];
  return { callId: "call_1", tool: "browser_type", effect: "network", input: {}, paths: [], hosts: [...hosts] };
};

const INPUT = { role: "textbox", name: "Password", text: "{{secret:PASSWORD}}" };
const open = (url: string): Promise<string> => browser.call("browser_navigate", { url });

test("N18: the act names the host of the page that shows", async () => {
  await open(`${shop.url}/`);
  expect(actOf(INPUT).hosts).toEqual([shop.host]);
  expect(tool()?.touches(tool()?.input.parse({ ...INPUT, text: "plain" }), run()).hosts).toBeUndefined();
});

test("N18: a secret that was allowed on one site is not typed into another", async () => {
  await open(`${shop.url}/`);
  const act = actOf(INPUT);
  await open(`${other.url}/`);
  expect(await browser.call("browser_type", INPUT, { context: { act } })).toMatch(/is not typed into .* allowed was/);
  expect(await browser.call("browser_snapshot", {})).not.toContain("{{secret:PASSWORD}}");
  expect(await browser.call("browser_type", INPUT, { context: { act: actOf(INPUT) } })).toContain("Typed");
});

test("N18: a frame of another site counts as that site", async () => {
  await open(`${shop.url}/framed`);
  expect(await browser.call("browser_type", INPUT, { context: { act: actOf(INPUT) } })).toContain("is not typed into");
  const named = { ...INPUT, origin: `${other.url}/anything` };
  expect(actOf(named).hosts).toEqual([other.host]);
  expect(await browser.call("browser_type", named, { context: { act: actOf(named) } })).toContain("Typed");
});

test("N18: a frame that its page wrote itself counts as the page", async () => {
  await open(`${shop.url}/written`);
  expect(await browser.call("browser_type", INPUT, { context: { act: actOf(INPUT) } })).toContain("Typed");
});

test("N18: a secret that is for certain sites is typed at no other, whoever allows it", async () => {
  const input = { ...INPUT, text: "{{secret:FOR_OTHER}}" };
  await open(`${shop.url}/`);
  expect(await browser.call("browser_type", input, { context: { act: actOf(input) } })).toContain("browser.secretOrigins");
  await open(`${other.url}/`);
  expect(await browser.call("browser_type", input, { context: { act: actOf(input) } })).toContain("Typed");
});
