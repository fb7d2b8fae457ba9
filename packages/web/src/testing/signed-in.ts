/** A browser that is signed in at a server of its own, for tests that open one tab after the other. */
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { builtPage } from "./built-page.ts";
import { openChromium } from "./open-chromium.ts";
import type { PageStage, PageStageOptions } from "./page-stage.ts";
import { openPageStage } from "./page-stage.ts";

export type SignedIn = {
  readonly stage: PageStage;
  readonly browser: Browser;
  /** Closed with the test. */
  readonly openTab: (address?: string) => Promise<Page>;
  /** Whatever the latest tab complained of. */
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
};

export const openSignedIn = async (
  options: PageStageOptions,
  { timeoutMs = 60_000 }: { readonly timeoutMs?: number } = {},
): Promise<SignedIn> => {
  await builtPage();
  const [stage, browser] = await Promise.all([openPageStage(options), openChromium()]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const first = await context.newPage();
  await first.goto(stage.link);
  await first.getByRole("navigation").waitFor();
  await first.close();
  let problems: string[] = [];
  return {
    stage,
    browser,
    openTab: async (address = "/") => {
      const page = await context.newPage();
      page.setDefaultTimeout(timeoutMs);
      problems = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => message.type() === "error" && problems.push(`${message.text()} ${message.location().url}`));
      await page.goto(new URL(address, stage.url).href);
      onTestFinished(() => page.close());
      return page;
    },
    problems: () => problems,
    close: async () => {
      await browser.close();
      await stage.close();
    },
  };
};
