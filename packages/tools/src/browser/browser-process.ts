/**
 * The one browser process that all sessions of a process share, each in a context of its own. It starts when the first session needs it and ends soon
 * after the last is closed. It has no debugging port, none of our variables, cannot resolve a name and has no network but through a session's proxy.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { createTemporaryFolder } from "@retinue/confine";
import { RetinueError } from "@retinue/protocol";
import type { Browser, LaunchOptions } from "playwright-core";
import type { FoundBrowser } from "./find-browser.ts";
import { findBrowser } from "./find-browser.ts";

export type BrowserProcessOptions = {
  readonly executable?: string | undefined;
  /** Without a window; true by default. */
  readonly headless?: boolean | undefined;
  readonly cacheFolder: string;
  readonly env: NodeJS.ProcessEnv;
};

export type StartedBrowser = { readonly browser: Browser; readonly found: FoundBrowser; readonly isSandboxed: boolean };

export type BrowserProcess = {
  /** Starts it where it does not run. Whoever holds it lets go of it. */
  readonly hold: () => Promise<StartedBrowser>;
  readonly letGo: () => Promise<void>;
  /** Ends it at once. */
  readonly close: () => Promise<void>;
};

/** How long it waits for another session. */
const LINGER_MS = 1_000;
const LAUNCH_MS = 60_000;

/**
 * The browser looks up no names and speaks to nobody but proxies on the loopback interface, and each session names its own. WebRTC and QUIC, which
 * would go past a proxy, are off.
 */
const ARGUMENTS = [
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--dns-prefetch-disable",
  "--no-pings",
  "--disable-domain-reliability",
];

/** What a session that named no proxy would get: nobody listens there. */
const NOWHERE = "http://127.0.0.1:9";

type Running = StartedBrowser & { readonly folder: string };

export const createBrowserProcess = (options: BrowserProcessOptions): BrowserProcess => {
  let running: Promise<Running> | undefined;
  let holders = 0;
  let ending: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(ending);
    const last = running;
    running = undefined;
    if (!last) return;
    const started = await last.catch(() => undefined);
    await started?.browser.close();
    if (started) await rm(started.folder, { recursive: true, force: true });
  };

  return {
    hold: async () => {
      clearTimeout(ending);
      holders += 1;
      const known = await running?.catch(() => undefined);
      // One that crashed is started anew.
      if (known && !known.browser.isConnected()) running = undefined;
      running ??= start(options);
      try {
        return await running;
      } catch (thrown) {
        holders -= 1;
        running = undefined;
        throw thrown;
      }
    },
    letGo: async () => {
      holders -= 1;
      if (holders > 0) return;
      clearTimeout(ending);
      ending = setTimeout(() => void end(), LINGER_MS);
    },
    close: end,
  };
};

const start = async ({ executable, headless = true, cacheFolder, env }: BrowserProcessOptions): Promise<Running> => {
  const found = await findBrowser({ executable, headless, cacheFolder, env });
  const folder = createTemporaryFolder("browser");
  const launch: LaunchOptions = {
    executablePath: found.path,
    headless,
    args: ARGUMENTS,
    proxy: { server: NOWHERE },
    downloadsPath: folder,
    tracesDir: folder,
    timeout: LAUNCH_MS,
    // Whoever hosts sessions closes them on a signal; Playwright would end this process.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    env: {
      PATH: env["PATH"] ?? "",
      HOME: folder,
      TMPDIR: folder,
      ...(headless ? {} : toScreen(env)),
      ...(found.fonts === undefined || existsSync("/etc/fonts/fonts.conf") ? {} : { FONTCONFIG_PATH: found.fonts }),
    },
  };
  try {
    const { chromium } = await import("playwright-core");
    // As root, and where the kernel gives no user namespaces, Chromium's own sandbox does not start.
    const isRoot = process.getuid?.() === 0;
    const sandboxed = isRoot ? undefined : await chromium.launch({ ...launch, chromiumSandbox: true }).catch(() => undefined);
    const browser = sandboxed ?? (await chromium.launch({ ...launch, chromiumSandbox: false }));
    return { browser, found, isSandboxed: sandboxed !== undefined, folder };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw toLaunchError(thrown, found);
  }
};

/** What leads to the user's screen, also with a home of its own, where the key to it is not. */
const toScreen = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const key = env["XAUTHORITY"] ?? path.join(env["HOME"] ?? "/", ".Xauthority");
  const given = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  return { ...Object.fromEntries(given), ...(existsSync(key) ? { XAUTHORITY: key } : {}) };
};

const toLaunchError = (thrown: unknown, { path: program }: FoundBrowser): RetinueError => {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const library = /error while loading shared libraries: (\S+):/.exec(text)?.[1];
  const why =
    library === undefined ? (text.split("\n").find((line) => line.trim() !== "") ?? "it ended at once") : `${library} is missing`;
  return new RetinueError("tool_failed", `The browser at ${program} does not start: ${why}.`, {
    hint:
      library === undefined
        ? "Start it by hand to see what is wrong, or name another by the setting browser.executable."
        : "Install the libraries of Chromium: apt install libnss3 libatk-bridge2.0-0 libgbm1, or apt install chromium.",
    cause: thrown,
  });
};
