/** The browser of tests, found as the tools find theirs, with the one of npm unpacked once for all tests of this checkout. */
import path from "node:path";
import type { FoundBrowser } from "../browser/find-browser.ts";
import { findBrowser } from "../browser/find-browser.ts";

/** Where tests unpack the browser of npm. */
export const TEST_BROWSER_CACHE = path.resolve(import.meta.dirname, "../../../../node_modules/.cache/retinue/browser");

export const findTestBrowser = (): Promise<FoundBrowser> =>
  findBrowser({
    executable: process.env["RETINUE_BROWSER__EXECUTABLE"],
    cacheFolder: TEST_BROWSER_CACHE,
    env: process.env,
  });
