/** Builds the page that the server hands out, where its sources are others than those it was built from. Nothing is fetched from anywhere. */
import path from "node:path";
import { buildPage } from "./build/build-page.ts";

try {
  await buildPage(path.dirname(import.meta.dirname));
} catch (thrown) {
  process.stderr.write(`The page could not be built: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
}
