/** The browser, loaded where somebody has it. */
export { createBrowserProcess } from "./browser-process.ts";
export { createBrowsers } from "./browsers.ts";
export { findBrowser } from "./find-browser.ts";
export { isDevice } from "./session-options.ts";
export { openBrowserSession } from "./browser-session.ts";
export { recordPerson } from "./record/record-person.ts";
