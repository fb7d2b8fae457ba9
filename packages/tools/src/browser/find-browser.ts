/** Finds the Chromium that is driven: the one that was named, one of the system, the one that npm brings, the one that Playwright installed. */
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { findBundledChromium } from "./bundled-chromium.ts";

export type FoundBrowser = {
  readonly path: string;
  readonly from: "settings" | "system" | "npm" | "playwright";
  /** Where its fonts are set up, for a machine that has none. */
  readonly fonts?: string;
  /** Whether it has a window that can be shown. */
  readonly canShow: boolean;
};

export type FindOptions = {
  /** Of the settings or of RETINUE_BROWSER__EXECUTABLE. */
  readonly executable?: string | undefined;
  /** A window is wanted, which the one of npm has not. */
  readonly headless?: boolean | undefined;
  readonly cacheFolder: string;
  readonly env: NodeJS.ProcessEnv;
};

const NAMES = ["google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "microsoft-edge", "brave-browser"];

const ELSEWHERE: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: [
    String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
    String.raw`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
    String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
  ],
};

/** Throws `tool_failed` where there is none, with the ways to get one. */
export const findBrowser = async ({ executable, headless = true, cacheFolder, env }: FindOptions): Promise<FoundBrowser> => {
  if (executable !== undefined) {
    if (!isExecutable(executable))
      throw new RetinueError("tool_failed", `There is no browser at ${executable}, which the setting browser.executable names.`, {
        hint: "Name the program of a Chrome or Chromium, or leave the setting out.",
      });
    return { path: executable, from: "settings", canShow: true };
  }
  const system = findSystem(env);
  if (system !== undefined) return { path: system, from: "system", canShow: true };
  const bundled = headless ? await findBundledChromium(cacheFolder) : undefined;
  if (bundled) return { path: bundled.path, from: "npm", fonts: bundled.fonts, canShow: false };
  const { chromium } = await import("playwright-core");
  const own = chromium.executablePath();
  if (own !== "" && isExecutable(own)) return { path: own, from: "playwright", canShow: true };
  throw new RetinueError(
    "tool_failed",
    headless ? "There is no Chromium on this machine." : "There is no browser with a window on this machine.",
    {
      hint:
        "Install Chrome or Chromium (apt install chromium, or npx playwright-core install chromium), or name its program by the setting " +
        "browser.executable or by the variable RETINUE_BROWSER__EXECUTABLE.",
    },
  );
};

const findSystem = (env: NodeJS.ProcessEnv): string | undefined => {
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const places = [
    ...folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))),
    ...(ELSEWHERE[process.platform] ?? []),
  ];
  return places.find(isExecutable);
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
