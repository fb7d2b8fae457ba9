/** Everything `retinue doctor` finds out, as data. Names of variables that hold keys stand in it, never the keys. */
import type { Detected } from "@retinue/model";
import type { GitLock, probeSandbox as ProbeSandbox } from "@retinue/confine";
import type { ErrorValue } from "@retinue/protocol";
import { toErrorValue } from "@retinue/protocol";
import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { RecordOptions } from "../open-record.ts";
import type { Origin } from "../settings/layer.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import { placeAt } from "../settings/schema-walk.ts";
import type { ProviderSettings, Settings } from "../settings/settings.ts";
import { DEFAULT_SETTINGS } from "../settings/settings.ts";
import { withoutPassword } from "../settings/without-password.ts";
import type { LiveReport } from "./doctor-live.ts";
import type { InventoryOptions } from "./inventory.ts";
import { withInventory } from "./inventory.ts";
import type { Surroundings } from "./surroundings.ts";
import { toUntrustedClaims } from "./trust/untrusted-claims.ts";
import { readVersion } from "./version.ts";

type Sandbox = Awaited<ReturnType<typeof ProbeSandbox>>;

export type DoctorReport = {
  readonly version: string;
  readonly node: { readonly version: string; readonly path: string };
  readonly home: string;
  readonly workspace: string;
  readonly files: LoadedSettings["files"];
  readonly settings: readonly { readonly key: string; readonly value: string | number | boolean; readonly origin: Origin }[];
  /** What is wrong with the settings; the rest is then told as if there were none. */
  readonly settingsError: ErrorValue | null;
  readonly warnings: readonly string[];
  readonly providers: readonly ProviderReport[];
  readonly model: {
    readonly name: string;
    readonly isDetected: boolean;
    readonly about: string;
    readonly error: ErrorValue | null;
  };
  readonly ripgrep: { readonly path: string; readonly version: string } | { readonly error: string };
  /** The one that shell commands run in, found by trying it. */
  readonly sandbox: Sandbox;
  /** Found by starting it. */
  readonly browser: BrowserReport;
  /** Where sessions are kept, found by opening it. */
  readonly record: { readonly kind: "sqlite" | "postgres"; readonly place: string } | { readonly error: ErrorValue };
  /** Lock files in the repository of the workspace: a git that was killed leaves them, and others fail by them. */
  readonly gitLocks: readonly GitLock[];
  readonly inventory: InventoryReport | { readonly error: string };
  /** What each model answered to one tiny request; absent unless it was asked for. */
  readonly live?: readonly LiveReport[];
  /** What `AGENTS.md` and `CLAUDE.md` files the main agent is given. */
  readonly instructions: {
    readonly files: readonly { readonly file: string; readonly origin: "user" | "project"; readonly tokens: number }[];
    readonly problems: readonly string[];
  };
};

export type BrowserReport =
  | {
      readonly path: string;
      readonly version: string;
      readonly from: "settings" | "system" | "npm" | "playwright";
      /** Whether its own sandbox keeps pages. */
      readonly isSandboxed: boolean;
    }
  | { readonly error: string };

export type ProviderReport = {
  readonly name: string;
  readonly isConfigured: boolean;
  /** Absent where nothing was found. */
  readonly found?: Detected;
  /** The variables in which its key is looked for. */
  readonly keyEnvs: readonly string[];
  /** Where its server was looked for. */
  readonly baseUrl?: string;
};

/** What a session here would have. */
export type InventoryReport = {
  readonly agents: number;
  readonly tools: number;
  /** Of files of agents, tools and skills, and of servers; what they are about is left out of sessions. */
  readonly problems: readonly string[];
  /** What the project would load, start or set if it were trusted. */
  readonly untrusted: readonly { readonly subject: string; readonly shown: string }[];
  /** Settings of other programs whose permissions are rules here. */
  readonly permissions: readonly {
    readonly file: string;
    readonly origin: "user" | "project";
    /** Rules that deny or have asked. */
    readonly held: number;
    /** Rules that spare questions, where they are trusted. */
    readonly allowed: number;
    /** Hooks that are run. */
    readonly hooks: number;
  }[];
};

const DETECT_MS = 1_000;

export type DoctorReportOptions = {
  readonly workspace: string;
  /** Models are really asked, which may cost a fraction of a cent each. */
  readonly isLive: boolean;
};

export const createDoctorReport = async (
  { workspace, isLive }: DoctorReportOptions,
  { env, learn }: Surroundings,
): Promise<DoctorReport> => {
  const home = retinueHome(env);
  let loaded: LoadedSettings = { settings: DEFAULT_SETTINGS, origins: new Map(), files: {}, home, warnings: [] };
  let settingsError: ErrorValue | null = null;
  try {
    loaded = await loadSettings({ workspace, env });
  } catch (thrown) {
    settingsError = toErrorValue(thrown);
  }
  const { settings, files, warnings } = loaded;
  const { chooseModel, createModels, detectProviders, PROVIDERS } = await import("@retinue/model");
  const { findSecrets } = await import("../secrets/find-secrets.ts");
  learn(await findSecrets({ env, settings, workspace, servers: settings.mcpServers }));
  const detected = await detectProviders({ env, providers: settings.providers, timeoutMs: DETECT_MS });

  const models = createModels({ ...settings, env });
  const name = settings.model ?? chooseModel(detected);
  const error = await models.resolve(name).then(
    () => null,
    (thrown: unknown) => toErrorValue(thrown),
  );

  const names = [...new Set([...Object.keys(settings.providers), ...PROVIDERS.map(({ type }) => type)])];
  const { findGitLocks, probeSandbox } = await import("@retinue/confine");
  return {
    version: readVersion(),
    node: { version: process.versions.node, path: process.execPath },
    home,
    workspace,
    files,
    settings: listSettings(loaded),
    settingsError,
    warnings,
    providers: names.flatMap((provider): ProviderReport[] => {
      const configured = Object.hasOwn(settings.providers, provider) ? settings.providers[provider] : undefined;
      const known = PROVIDERS.find(({ type }) => type === (configured?.type ?? provider));
      const found = detected.find((one) => one.provider === provider);
      const baseUrl = configured?.baseUrl ?? (known?.isLocal === true ? known.baseUrl : undefined);
      // The common protocol and the built-in rules are no providers one could look for.
      if (!configured && !found && (known?.baseUrl === undefined || provider === "offline")) return [];
      return [
        {
          name: provider,
          isConfigured: configured !== undefined,
          ...(found && { found }),
          keyEnvs: keyEnvsOf(configured, known?.keyEnvs ?? []),
          ...(baseUrl !== undefined && { baseUrl }),
        },
      ];
    }),
    model: {
      name,
      isDetected: settings.model === undefined,
      about: error === null && !name.startsWith("offline/") ? await models.describe(name) : "",
      error,
    },
    ripgrep: await probeRipgrep(),
    sandbox: await probeSandbox(),
    browser: await probeBrowser(settings, home, env),
    record: await probeRecord({ settings, env, workspace }, home),
    gitLocks: await findGitLocks(await realpath(workspace).catch(() => workspace)),
    inventory: await takeInventory({ workspace, settings, env }, loaded),
    ...(isLive && { live: await tryAll({ workspace, settings, env }, name) }),
    instructions: await listInstructions(workspace, env),
  };
};

const listInstructions = async (workspace: string, env: NodeJS.ProcessEnv): Promise<DoctorReport["instructions"]> => {
  const { readInstructionFiles, toTokens } = await import("./first-request.ts");
  const { files, problems } = await readInstructionFiles(await realpath(workspace).catch(() => workspace), env);
  return { files: files.map(({ file, origin, text }) => ({ file, origin, tokens: toTokens(text) })), problems };
};

const keyEnvsOf = (configured: ProviderSettings | undefined, usual: readonly string[]): readonly string[] => {
  if (configured?.isKeyless === true) return [];
  return configured?.apiKeyEnv === undefined ? usual : [configured.apiKeyEnv];
};

const takeInventory = async (
  options: InventoryOptions,
  settings: Pick<LoadedSettings, "untrusted">,
): Promise<DoctorReport["inventory"]> => {
  try {
    return await withInventory(options, async (inventory) => {
      const { loaded, tools, toolProblems, agentProblems, permissions } = inventory;
      const spared = new Set(permissions.preapproved.map(({ from }) => from));
      return {
        agents: loaded.agents.size,
        tools: tools.size,
        problems: [...toolProblems, ...agentProblems],
        untrusted: toUntrustedClaims(inventory, settings).map(({ subject, shown }) => ({ subject, shown })),
        permissions: permissions.files.map(({ file, origin, held, allowed, hooks }) => ({
          file,
          origin,
          held: held.filter(({ effect }) => effect !== "allow").length,
          allowed: spared.has(file) ? allowed.length : 0,
          hooks: permissions.hookFiles.includes(file) ? hooks.length : 0,
        })),
      };
    });
  } catch (thrown) {
    return { error: toErrorValue(thrown).message };
  }
};

const tryAll = async (options: InventoryOptions, model: string): Promise<readonly LiveReport[]> => {
  const { tryModels } = await import("./doctor-live.ts");
  const { settings, env } = options;
  const own = await withInventory(options, async ({ loaded }) => [...loaded.agents.values()]).catch(() => []);
  return tryModels({ settings, env, model, agents: own });
};

/** Opens it as a session would, and closes it. */
const probeRecord = async (
  options: RecordOptions & { readonly workspace: string },
  home: string,
): Promise<DoctorReport["record"]> => {
  const { openRecord } = await import("../open-record.ts");
  try {
    const opened = await openRecord(options);
    await opened.close();
    const { url, path: chosen } = options.settings.store;
    return url === undefined
      ? { kind: "sqlite", place: chosen === undefined ? join(home, "retinue.db") : resolve(options.workspace, chosen) }
      : { kind: "postgres", place: withoutPassword(url) };
  } catch (thrown) {
    return { error: toErrorValue(thrown) };
  }
};

/** Headers and variables of servers may hold credentials; that they are set is enough. */
const isHidden = (path: readonly string[]): boolean =>
  path.includes("headers") || (path[0] === "mcpServers" && path.includes("env"));

/** In the order of the schema. */
export const listSettings = ({ settings, origins }: Pick<LoadedSettings, "settings" | "origins">): DoctorReport["settings"] => {
  const place = placeAt([]);
  const sections = place?.type === "keys" ? place.keys : [];
  const rank = (key: string): number => sections.indexOf(key.split(".")[0] ?? "");
  return [...origins]
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .flatMap(([key, origin]) => {
      const value = leafAt(settings, key);
      if (value === undefined) return [];
      const shown = typeof value === "string" ? withoutPassword(value) : value;
      return [{ key, value: isHidden(key.split(".")) ? "(hidden)" : shown, origin }];
    });
};

/** Names of providers and models may hold dots, so the key is followed by what is there. */
const leafAt = (value: unknown, key: string): string | number | boolean | undefined => {
  if (key === "" && Array.isArray(value))
    return value.every((item) => typeof item === "string") ? value.join(", ") || "none" : undefined;
  if (key === "") return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, child] of Object.entries(value as Partial<Settings>)) {
    if (key === name) return leafAt(child, "");
    const leaf = key.startsWith(`${name}.`) ? leafAt(child, key.slice(name.length + 1)) : undefined;
    if (leaf !== undefined) return leaf;
  }
  return undefined;
};

/** Starts it and ends it. */
const probeBrowser = async (settings: Settings, home: string, env: NodeJS.ProcessEnv): Promise<BrowserReport> => {
  const { createBrowserProcess } = await import("@retinue/tools/browser");
  const { toBrowserOptions } = await import("../assemble-tools.ts");
  const browser = createBrowserProcess({ ...toBrowserOptions(settings, home, env), env });
  try {
    const { browser: running, found, isSandboxed } = await browser.hold();
    return { path: found.path, from: found.from, version: running.version(), isSandboxed };
  } catch (thrown) {
    const { message, hint } = toErrorValue(thrown);
    return { error: hint === undefined ? message : `${message} ${hint}` };
  } finally {
    await browser.close();
  }
};

/** The one that the tools use. */
const probeRipgrep = async (): Promise<DoctorReport["ripgrep"]> => {
  try {
    const { findRipgrep } = await import("@retinue/confine");
    const file = await findRipgrep();
    const { stdout } = await promisify(execFile)(file, ["--version"], { timeout: 5_000 });
    return { path: file, version: /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? "unknown" };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
};
