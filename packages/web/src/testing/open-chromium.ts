/** The real browser of the tests: the one that `RETINUE_BROWSER__EXECUTABLE` names, one of the system, or the one that npm brings. */
import { accessSync, constants, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "microsoft-edge"];

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

export const findChromium = async (): Promise<string> => {
  const named = process.env["RETINUE_BROWSER__EXECUTABLE"];
  if (named !== undefined) return named;
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const installed = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(isExecutable);
  if (installed !== undefined) return installed;
  // It unpacks itself into the folder for temporary files, once for all tests of a user.
  const before = process.env["TMPDIR"];
  const unpacked = path.join(tmpdir(), `retinue-chromium-${process.getuid?.() ?? 0}`);
  mkdirSync(unpacked, { recursive: true });
  process.env["TMPDIR"] = unpacked;
  try {
    const { default: bundled } = await import("@sparticuz/chromium");
    return await bundled.executablePath();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
};

export const openChromium = async (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none", ...args],
  });
