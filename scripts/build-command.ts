/** Makes the bundle that the command of this checkout starts from, where the sources have changed. Without one it starts from the sources. */
import path from "node:path";
import { compareBuild, readBuild } from "../packages/retinue/bin/command-code.mjs";

const root = path.dirname(import.meta.dirname);
if (compareBuild(root, readBuild(root)) !== "stamped") {
  const { buildCommand } = await import("./build/build-command.ts");
  await buildCommand(root);
}
