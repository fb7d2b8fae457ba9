/** For tests of tools, here and elsewhere. */
export { abortShells, findByCommandLine } from "./abort-shells.ts";
export { findTestBrowser, TEST_BROWSER_CACHE } from "./find-test-browser.ts";
export { openTestBrowser } from "./test-browser.ts";
export type { TestBrowser, TestBrowserOptions } from "./test-browser.ts";
export { readZipTexts } from "./read-zip.ts";
