/** Builds the page where it is not built for the sources as they are; `npm start` calls it before it serves. */
import path from "node:path";
import { buildPage, isPageBuilt } from "./build/build-page.ts";

const root = path.dirname(import.meta.dirname);
if (!isPageBuilt(root)) {
  process.stderr.write("Building the page …\n");
  try {
    await buildPage(root);
  } catch (thrown) {
    process.stderr.write(`The page could not be built: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 1;
  }
}
