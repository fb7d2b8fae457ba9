/** Finds what a JavaScript project runs its tests with: Node itself, and the program of a package as npm would resolve it. */
import { access, constants, realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { readPlainFile } from "@retinue/confine";
import { z } from "zod";

const MANIFEST = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });

const MOST_BYTES = 1024 * 1024;

/** The program of an installed package, looked for from the folder upwards. */
export const findPackageProgram = async (folder: string, name: string): Promise<string> => {
  for (let at = folder; ; at = path.dirname(at)) {
    const home = path.join(at, "node_modules", name);
    const manifest = (await readPlainFile(path.join(home, "package.json"), MOST_BYTES))?.toString("utf8");
    if (manifest !== undefined) {
      const { bin } = MANIFEST.parse(JSON.parse(manifest));
      const program = typeof bin === "string" ? bin : bin[name];
      if (program !== undefined) return realpath(path.join(home, program));
    }
    if (at === path.dirname(at))
      throw new RetinueError("tool_failed", `The project is tested with ${name}, which is not installed.`, {
        hint: "Install the project's dependencies first, for example with npm ci.",
      });
  }
};

/** The Node of PATH, which is the project's; ours where there is none. */
export const findNode = async (): Promise<string> => {
  const name = process.platform === "win32" ? "node.exe" : "node";
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const file = path.join(folder, name);
    if (await isProgram(file)) return file;
  }
  return process.execPath;
};

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
