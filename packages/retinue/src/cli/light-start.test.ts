import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createProject } from "./testing/spawn-retinue.ts";

/** Writes down every module that the command itself loads, not its workers and not what it runs. */
const WATCH = `
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";
if (isMainThread && process.argv[1]?.endsWith("retinue.mjs"))
  registerHooks({
    load(url, context, next) {
      appendFileSync(process.env.LOADED, url + "\\n");
      return next(url, context);
    },
  });
`;

/** What most runs never need. */
const HEAVY =
  /node_modules\/(playwright-core|undici|web-tree-sitter|hono|pg|ai|@ai-sdk|@modelcontextprotocol|linkedom|unpdf)\/|tools\/src\/(browser|desktop)\/|mcp\/connect-mcp-servers/;

test("a plain run loads no browser, no desktop, no tool servers, no parsers, no HTTP library and no server", async () => {
  const project = await createProject();
  try {
    const watch = join(project.home, "watch.mjs");
    const loaded = join(project.home, "loaded.txt");
    await writeFile(watch, WATCH);
    // The bundle that a checkout starts from would hide what is loaded.
    const env = { RETINUE_SOURCES: "1", NODE_OPTIONS: `--import=${pathToFileURL(watch).href}`, LOADED: loaded };
    const { code } = await project.run(["run", "--json", "--model", "offline/rules", "hello"], { env });
    expect(code).toBe(0);
    const modules = (await readFile(loaded, "utf8")).trim().split("\n");
    expect(modules.some((url) => url.endsWith("/tools/src/builtin-tools.ts"))).toBe(true);
    expect(modules.filter((url) => HEAVY.test(url))).toEqual([]);
  } finally {
    await project.remove();
  }
});
