/** Builds the page that the server hands out, where its sources are newer than what was built. Nothing is fetched from anywhere. */
import { existsSync, globSync, statSync } from "node:fs";
import path from "node:path";
import { runNode } from "./run-node.ts";

/** Where the page is built to; undefined where this checkout has no page. */
export const buildPage = async (root: string): Promise<string | undefined> => {
  const web = path.join(root, "packages/web");
  const page = path.join(web, "dist");
  if (!existsSync(path.join(web, "vite.config.ts"))) return undefined;
  if (isFresh(root, path.join(page, "index.html"))) return page;
  process.stderr.write("Building the page …\n");
  const vite = path.join(root, "node_modules/vite/bin/vite.js");
  const { exitCode, output } = await runNode({ args: [vite, "build", web, "--logLevel", "warn"], cwd: root, output: "captured" });
  if (exitCode !== 0)
    throw new Error(`${output.trimEnd()}\n\nThe page could not be built: vite ended with ${exitCode ?? "a signal"}.`);
  return page;
};

const isFresh = (root: string, built: string): boolean => {
  if (!existsSync(built)) return false;
  const { mtimeMs } = statSync(built);
  const sources = ["packages/web/{src,public}/**/*", "packages/{client,protocol}/src/**/*.ts", "packages/web/*.{ts,html,json}"];
  return sources.every((pattern) =>
    globSync(pattern, { cwd: root }).every((file) => statSync(path.join(root, file)).mtimeMs <= mtimeMs),
  );
};

if (import.meta.main)
  try {
    await buildPage(path.dirname(import.meta.dirname));
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 1;
  }
