/** Says in one line which browser the tests find on this machine. */
import { spawnSync } from "node:child_process";
import { findTestBrowser } from "@retinue/tools/testing";

type Found = Awaited<ReturnType<typeof findTestBrowser>>;

export const toBrowserLine = ({ path, from }: Pick<Found, "path" | "from">, version: string): string =>
  `Browser of the tests: ${version.trim() || "of unknown version"}, from ${from === "npm" ? "npm" : `the ${from}`}, at ${path}.`;

if (import.meta.main) {
  try {
    const found = await findTestBrowser();
    console.log(toBrowserLine(found, spawnSync(found.path, ["--version", "--no-sandbox"], { encoding: "utf8" }).stdout));
  } catch (thrown) {
    // Those tests fail and say so themselves.
    console.log(`Browser of the tests: none. ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
