// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkSchema } from "@retinue/protocol/test-case";
import type { CheckResult } from "@retinue/protocol/test-case";
import type { Shop } from "../../testing/start-shop.ts";
import { SHOP_LOGIN, startShop } from "../../testing/start-shop.ts";
import type { TestBrowser } from "../../testing/test-browser.ts";
import { openTestBrowser } from "../../testing/test-browser.ts";

let shop: Shop;
let browser: TestBrowser;

beforeAll(async () => {
  shop = await startShop();
  browser = await openTestBrowser({ allowHosts: [new URL(shop.url).host], files: { "prices.csv": "a,1\nb,2\n" } });
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await shop.close();
});

type Session = `ses_${string}`;

const check = async (sessionId: Session, given: object): Promise<CheckResult> => {
  const answer = await browser.call("browser_check", { check: { withinMs: 500, ...given } }, { sessionId, runId: "run_checks" });
  return JSON.parse(answer) as CheckResult;
};

const step = (sessionId: Session, run: string) => (tool: string, input: object) =>
  browser.call(tool, input as never, { sessionId, runId: `run_${run}` });

const logIn = async (sessionId: Session, bug: string): Promise<void> => {
  const act = step(sessionId, "login");
  await act("browser_navigate", { url: `${shop.url}/login?bug=${bug}` });
  await act("browser_type", { description: "email", text: SHOP_LOGIN.email });
  await act("browser_type", { description: "password", text: SHOP_LOGIN.password });
  await act("browser_click", { role: "button", name: "Log in" });
};

type Case = {
  readonly bug: string;
  readonly after: (sessionId: Session) => Promise<unknown>;
  readonly check: object;
};

const save = async (sessionId: Session, price: string): Promise<void> => {
  const act = step(sessionId, "save");
  await act("browser_type", { description: "name", text: "Pen" });
  await act("browser_type", { description: "price", text: price });
  await act("browser_click", { role: "button", name: "Save product" });
};

const nothing = async (): Promise<void> => undefined;

const CASES: readonly Case[] = [
  { bug: "wrong-redirect", after: nothing, check: { check: "url", matches: "/products$" } },
  { bug: "console-error", after: nothing, check: { check: "console" } },
  {
    bug: "search-case",
    after: (id) => step(id, "search")("browser_type", { description: "search products", text: "LAMP", submit: true }),
    check: { check: "count", of: { role: "button", name: "Delete", exact: false }, is: 2 },
  },
  { bug: "delayed-never", after: nothing, check: { check: "text", in: 'region "Delivery"', contains: "Next delivery: Tuesday" } },
  {
    bug: "validation-off",
    after: (id) => save(id, "0"),
    check: { check: "visible", element: { text: "The price must be more than 0." } },
  },
  {
    bug: "toast-missing",
    after: (id) => save(id, "2"),
    check: { check: "text", in: "status", equals: "Pen was saved.", during: true },
  },
  { bug: "wrong-total", after: nothing, check: { check: "text", in: { testId: "total" }, equals: "€ 530.80" } },
  {
    bug: "save-500",
    after: (id) => save(id, "2"),
    check: { check: "request", url: { contains: "/api/products" }, method: "POST", status: 201 },
  },
  {
    bug: "upload-dropped",
    after: async (id) => {
      const act = step(id, "upload");
      await act("browser_navigate", { url: `${shop.url}/upload` });
      await act("browser_upload", { description: "price list", paths: ["prices.csv"] });
      await act("browser_click", { role: "button", name: "Upload file" });
    },
    check: { check: "text", in: 'list "Uploaded files"', contains: "prices.csv: 2 lines" },
  },
  {
    bug: "cancel-deletes",
    after: async (id) => {
      const act = step(id, "cancel");
      await act("browser_click", { role: "button", name: "Delete Notebook" });
      await act("browser_click", { role: "button", name: "Cancel" });
    },
    check: { check: "visible", element: 'cell "Notebook"' },
  },
  {
    bug: "stale-list",
    after: async (id) => {
      const act = step(id, "delete");
      await act("browser_click", { role: "button", name: "Delete Notebook" });
      await act("browser_click", { role: "button", name: "Delete" });
    },
    check: { check: "absent", element: 'cell "Notebook"' },
  },
  {
    bug: "iframe-wrong",
    after: (id) => step(id, "report")("browser_navigate", { url: `${shop.url}/report` }),
    check: { check: "text", in: { testId: "stock-count", frame: "Stock report" }, equals: "4" },
  },
];

/** An address, a text and a request; the others are long tests. */
const SHORT: ReadonlySet<string> = new Set(["wrong-redirect", "wrong-total", "save-500"]);

describe("a check tells the healthy application from each planted bug", () => {
  const tellApart = async ({ bug, after, check: given }: Case): Promise<void> => {
    expect(checkSchema.safeParse(given).success).toBe(true);
    const [healthy, broken] = [`ses_${bug}-healthy`, `ses_${bug}-broken`] as const;
    await Promise.all([logIn(healthy, ""), logIn(broken, bug)]);
    await Promise.all([after(healthy), after(broken)]);
    const [held, failed] = await Promise.all([check(healthy, given), check(broken, given)]);
    expect(held).toMatchObject({ status: "held", scoped: true });
    expect(failed).toMatchObject({ status: "failed", scoped: true });
    expect(failed.observed).not.toBe("");
  };

  test.each(CASES.filter(({ bug }) => SHORT.has(bug)))("$bug", tellApart);
  test.each(CASES.filter(({ bug }) => !SHORT.has(bug)))("$bug", { tags: ["long"] }, tellApart);
});

describe("what a check finds", () => {
  test("an element is told with its lines of the snapshot and its place; the whole page is not scoped", async () => {
    await logIn("ses_evidence", "");
    const found = await check("ses_evidence", { check: "text", in: { testId: "total" }, equals: "€ 530.80" });
    expect(found).toMatchObject({ status: "held", scoped: true, observed: '"€ 530.80"' });
    expect(found.evidence).toMatch(/€ 530\.80\nat \d+,\d+, \d+ × \d+/);
    expect(await check("ses_evidence", { check: "text", contains: "Desk lamp" })).toMatchObject({
      status: "held",
      scoped: false,
    });
    expect(await check("ses_evidence", { check: "value", of: { label: "Quantity" }, equals: "1" })).toMatchObject({
      status: "held",
    });
    expect(await check("ses_evidence", { check: "title", equals: "Products · Corner Shop" })).toMatchObject({ status: "held" });
    expect(await check("ses_evidence", { check: "state", of: 'button "Save product"', is: "enabled" })).toMatchObject({
      status: "held",
    });
    expect(await check("ses_evidence", { check: "state", of: 'button "Save product"', is: "disabled" })).toMatchObject({
      status: "failed",
    });
  });

  test("what cannot be told is unknown: no page, and several elements where one is meant", async () => {
    expect(await check("ses_nopage", { check: "url", contains: "x" })).toMatchObject({
      status: "unknown",
      observed: "no page is open",
    });
    expect(await check("ses_evidence", { check: "text", in: "row", contains: "Desk" })).toMatchObject({
      status: "unknown",
      observed: "5 elements are row; which is meant cannot be told",
    });
  });

  test(
    "a message that is gone again holds only where the check says that a moment is enough, and only since the step began",
    { tags: ["long"] },
    async () => {
      await logIn("ses_toast", "");
      await save("ses_toast", "2");
      await (await (await browser.session("ses_toast")).page()).waitForTimeout(1_700);
      const toast = { check: "text", in: "status", contains: "Pen was saved." };
      expect(await check("ses_toast", toast)).toMatchObject({ status: "failed" });
      expect(await check("ses_toast", { ...toast, during: true })).toMatchObject({ status: "held", scoped: true });
      await step("ses_toast", "next")("browser_click", { role: "heading", name: "Delivery" });
      expect(await check("ses_toast", { ...toast, during: true })).toMatchObject({ status: "failed" });
    },
  );

  test("the content of a download is checked, and not that of a step before", { tags: ["long"] }, async () => {
    await logIn("ses_download", "");
    const download = { check: "download", name: "products.csv", content: { contains: "Floor lamp,89.00,2" } };
    expect(await check("ses_download", download)).toMatchObject({ status: "failed", observed: "nothing was downloaded" });
    await step("ses_download", "get")("browser_click", { role: "link", name: "Download CSV" });
    expect(await check("ses_download", download)).toMatchObject({ status: "held" });
    expect(await check("ses_download", { ...download, content: { contains: "Sofa" } })).toMatchObject({ status: "failed" });
  });
});
