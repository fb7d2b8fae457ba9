#!/usr/bin/env node
/**
 * The `retinue` command, in plain JavaScript for any Node from 18 on: answers `--version` at once, hands over to a newer Node
 * where this one is too old, and otherwise starts the command proper.
 */
import { isNewEnough } from "./is-new-enough.mjs";

const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  const { readFileSync } = await import("node:fs");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.on("error", () => undefined);
  process.stdout.write(`${version}\n`);
} else if (isNewEnough(process.versions.node)) {
  // Node's own remarks (experimental, deprecated) are about Retinue's code and are no concern of who uses it.
  if (!process.env["RETINUE_DEBUG"]) process.removeAllListeners("warning");
  const { keepCompiledCode } = await import("./compile-cache.mjs");
  keepCompiledCode();
  const { putOwnNodeFirst } = await import("./own-node.mjs");
  putOwnNodeFirst(process.env, process.execPath);
  const { findCommandCode } = await import("./command-code.mjs");
  const { main } = await import(findCommandCode());
  process.exit(await main(words));
} else {
  const { findNewerNode, handOver } = await import("./newer-node.mjs");
  const node = findNewerNode();
  if (node) await handOver(node, [process.argv[1] ?? "", ...words]);
  else {
    process.stderr.write(
      `retinue: Node ${process.versions.node} is too old. [node_too_old]\n` +
        "  Retinue needs Node 24.15 or newer, and none lies beside it.\n" +
        "  hint: install Node 24 or newer; in a checkout, npm start fetches one.\n",
    );
    process.exitCode = 2;
  }
}
