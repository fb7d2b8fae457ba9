/** The real browser of the page's tests: the one that the tests of the browser's tools have. */
import { existsSync } from "node:fs";
import { findTestBrowser } from "@retinue/tools/testing";
import { type Browser, chromium } from "playwright-core";

export const findChromium = async (): Promise<string> => (await findTestBrowser()).path;

export const openChromium = async (args: readonly string[] = []): Promise<Browser> => {
  const { path: executablePath, fonts } = await findTestBrowser();
  return chromium.launch({
    executablePath,
    headless: true,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none", ...args],
    ...(fonts === undefined || existsSync("/etc/fonts/fonts.conf") ? {} : { env: { ...process.env, FONTCONFIG_PATH: fonts } }),
  });
};
