import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createScriptedModel } from "@retinue/model/testing";
import { TEST_BROWSER_CACHE } from "@retinue/tools/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Shop } from "./cli/testing/start-shop.ts";
import { startShop } from "./cli/testing/start-shop.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

let shop: Shop;
let folder: string;
beforeAll(async () => {
  shop = await startShop();
  folder = await mkdtemp(join(tmpdir(), "retinue-vision-"));
});
afterAll(async () => {
  await shop.close();
  await rm(folder, { recursive: true, force: true });
});

const look = (hasEyes: boolean) =>
  Object.assign(
    createScriptedModel([
      { toolCalls: [{ tool: "browser_navigate", input: { url: shop.url } }] },
      { toolCalls: [{ tool: "browser_take_screenshot", input: { question: "Is the login page shown?" } }] },
      ...(hasEyes ? [{ text: "Yes, a form for the email and the password.", usage: { input: 1_500, output: 10 } }] : []),
      { text: "Done." },
    ]),
    hasEyes ? { readsImages: true } : {},
  );

const runWith = async (hasEyes: boolean) => {
  const model = look(hasEyes);
  const retinue = await createRetinue({
    workspace: folder,
    env: { PATH: process.env["PATH"], HOME: folder, RETINUE_HOME: folder, XDG_CACHE_HOME: join(TEST_BROWSER_CACHE, "../..") },
    model,
    settings: {
      ...DEFAULT_SETTINGS,
      browser: { ...DEFAULT_SETTINGS.browser, enabled: true, allowHosts: [new URL(shop.url).host] },
    },
  });
  try {
    const run = await retinue.run("Look at the shop.", { approve: "all" });
    const result = await run.result;
    const events = await retinue.events(run.sessionId);
    model.assertDone();
    return { model, result, events };
  } finally {
    await retinue.close();
  }
};

const settledOf = (events: Awaited<ReturnType<typeof runWith>>["events"], tool: string) =>
  events.flatMap((event) => (event.type === "tool.settled" && event.tool === tool ? [event] : []))[0];

describe("a screenshot with a question", () => {
  test("is answered by the agent's own model where that reads images; the picture is an artifact, enters no context, and is paid for", async () => {
    const { model, result, events } = await runWith(true);
    expect(result).toMatchObject({ status: "completed", summary: "Done." });
    const settled = settledOf(events, "browser_take_screenshot");
    expect(settled).toMatchObject({
      outcome: "ok",
      artifact: { mediaType: "image/png", chars: 0 },
      spent: { usage: { input: 1_500, output: 10 } },
    });
    expect(JSON.stringify(settled?.content)).toContain(
      "answers (not deterministic): Yes, a form for the email and the password.",
    );
    const [, , asked, last] = model.requests;
    expect(asked?.messages).toMatchObject([
      { role: "user", content: [{ text: "Is the login page shown?" }, { type: "image", mediaType: "image/png" }] },
    ]);
    expect(asked?.tools).toEqual([]);
    expect(JSON.stringify(last?.messages)).not.toContain("iVBORw0K");
    expect(result.usage.input).toBeGreaterThanOrEqual(1_500);
  });

  test("says that nothing reads images where nothing does, keeps the picture, and gives the page as text", async () => {
    const { events } = await runWith(false);
    const settled = settledOf(events, "browser_take_screenshot");
    expect(settled?.artifact).toMatchObject({ mediaType: "image/png" });
    expect(JSON.stringify(settled?.content)).toContain("There is no model that reads images (setting visionModel)");
    expect(JSON.stringify(settled?.content)).toContain("textbox");
  });
});
