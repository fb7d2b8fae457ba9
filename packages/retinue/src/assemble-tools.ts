/**
 * Every tool that agents may be given: the built-in ones, those of the user's and the project's files, and those of MCP servers. What a project
 * brings is only loaded or started once it is trusted; what could not be had is told and takes nothing else down.
 */
import type { SeenBefore } from "@retinue/confine";
import { access } from "node:fs/promises";
import path from "node:path";
import type { ErrorValue } from "@retinue/protocol";
import { toErrorValue } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import type { NetworkOptions, TrustClaim, TrustStore } from "@retinue/confine";
import type { Browsers, BrowsersOptions, Desktops, KeepVersion, McpConnections, McpServerSettings, Skill } from "@retinue/tools";
import { createBuiltinTools, createLoadSkillTool, loadUserTools, readMcpFiles } from "@retinue/tools";
import type { BoundCommand } from "./bound-files.ts";
import { addBoundFiles } from "./bound-files.ts";
import type { Settings } from "./settings/settings.ts";

export type AssembleOptions = {
  readonly workspace: string;
  /** The folder of the user's state. */
  readonly home: string;
  readonly trust: TrustStore;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
  /** Told to agents by name and description, and loaded on demand. */
  readonly skills: readonly Skill[];
  /** Servers that code gives, beside those of the settings. */
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>> | undefined;
  /** Files that something trusted runs; those of hooks and servers are added here. */
  readonly bound?: Set<string>;
  /** Files that instructions import, which no command writes either. */
  readonly imported?: () => readonly string[];
  /** Whether there are tools of the browser; as the settings say by default. */
  readonly browser?: boolean | undefined;
  /** Whether there are tools of the screen; as the settings say by default. */
  readonly desktop?: boolean | undefined;
  /** What a command may be given by name, where the user allows it. */
  readonly secrets?: ReadonlyMap<string, string>;
  /** Told of each change of a file before it is made. */
  readonly keepVersion?: KeepVersion;
  /** When agents of a session last saw files, as its record tells. */
  readonly seenBefore?: SeenBefore;
};

export type AssembledTools = {
  readonly tools: readonly AnyTool[];
  /** Undefined where there are no tools of the browser. */
  readonly browsers: Browsers | undefined;
  /** Undefined where there are no tools of the screen. */
  readonly desktops: Desktops | undefined;
  readonly problems: readonly ErrorValue[];
  /** What would be loaded or started if the project were trusted. */
  readonly untrusted: readonly TrustClaim[];
  /** All servers of tools, as written, the project's among them. */
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  readonly close: () => Promise<void>;
};

/** Where the indexes of code are kept. */
export const codeOptions = (home: string): { readonly cacheFolder: string } => ({ cacheFolder: path.join(home, "cache") });

export const assembleTools = async (options: AssembleOptions): Promise<AssembledTools> => {
  const { workspace, home, trust, env, settings, skills } = options;
  const {
    browser = settings.browser.enabled,
    desktop = settings.desktop.enabled,
    bound = new Set(),
    imported = () => [],
    secrets = new Map(),
  } = options;
  const documentIndex = path.join(home, "documents.db");
  const { unprotected, allowUnsandboxed } = settings;
  const common = createBuiltinTools({
    shell: {
      unprotected,
      allowUnsandboxed,
      network: toNetworkOptions(settings),
      openings: settings.sandbox,
      secrets: () => secrets,
      bound: () => [...bound, ...imported()],
    },
    unprotected,
    code: codeOptions(home),
    web: toWebOptions(settings),
    webSearch: toWebSearch(settings, env),
    queryDb: { databases: settings.databases, adminDatabases: settings.adminDatabases },
    ...((await exists(documentIndex)) ? { documentIndex } : {}),
    ...(options.keepVersion === undefined ? {} : { keepVersion: options.keepVersion }),
    ...(options.seenBefore === undefined ? {} : { seenBefore: options.seenBefore }),
  });
  const browsers = browser
    ? (await import("@retinue/tools/browser")).createBrowsers({
        ...toBrowserOptions(settings, home, env),
        env,
        secrets: () => secrets,
      })
    : undefined;
  const desktops = desktop
    ? (await import("@retinue/tools/desktop")).createDesktops({
        env,
        secrets: () => secrets,
        display: settings.desktop.display,
        visionModel: settings.visionModel,
      })
    : undefined;
  const builtin = [...common, ...(browsers?.tools ?? []), ...(desktops?.tools ?? [])];
  const reserved = builtin.map(({ name }) => name);
  const user = await loadUserTools({
    folders: [
      { path: path.join(home, "tools"), origin: { type: "user" } },
      {
        path: path.join(workspace, ".retinue", "tools"),
        origin: { type: "project", project: workspace, file: path.join(workspace, ".retinue", "tools") },
      },
    ],
    trust,
    reserved,
    resolveFrom: import.meta.url,
  });
  const mcp = await readMcpFiles({ workspace, user: { ...settings.mcpServers, ...options.mcpServers } });
  const stop = new AbortController();
  const problems = [...user.problems, ...mcp.problems];
  const untrusted = [...user.untrusted];
  for (const claim of mcp.claims) if (!(await trust.isTrusted(claim))) untrusted.push(claim);
  const started = Object.entries(mcp.servers).filter(([name]) => !untrusted.some(({ subject }) => subject === `mcp:${name}`));
  await addBoundFiles(bound, workspace, [
    ...settings.hooks.map(({ command }) => ({ texts: [command] })),
    ...started.flatMap(([, server]) => ("url" in server ? [] : [toServerWords(server)])),
  ]);
  let connections: McpConnections | undefined;
  if (Object.keys(mcp.servers).length > 0)
    try {
      const { connectMcpServers } = await import("@retinue/tools/mcp");
      connections = await connectMcpServers({
        servers: mcp.servers,
        trust,
        env,
        cwd: workspace,
        unprotected,
        bound: [...bound, ...imported()],
        network: toNetworkOptions(settings),
        openings: settings.sandbox,
        pinFile: path.join(home, "mcp-pins.json"),
        reserved: [...reserved, ...user.tools.map(({ name }) => name)],
        signal: stop.signal,
      });
      for (const { error } of connections.servers()) if (error && error.code !== "project_untrusted") problems.push(error);
    } catch (thrown) {
      problems.push(toErrorValue(thrown));
    }
  return {
    tools: [
      ...builtin,
      ...(skills.length > 0 ? [createLoadSkillTool({ skills, workspace })] : []),
      ...user.tools,
      ...(connections?.tools() ?? []),
    ],
    browsers,
    desktops,
    problems,
    untrusted,
    servers: mcp.servers,
    close: async () => {
      stop.abort();
      await connections?.close();
      await browsers?.close();
    },
  };
};

const toServerWords = ({ command, args = [], cwd }: Extract<McpServerSettings, { command: string }>): BoundCommand => ({
  texts: [command, ...args],
  ...(cwd === undefined ? {} : { cwd }),
});

/** Where the browser that npm brings is unpacked. */
export const toBrowserOptions = (
  { browser, web, visionModel }: Settings,
  home: string,
  env: NodeJS.ProcessEnv,
): Pick<
  BrowsersOptions,
  "executable" | "headless" | "cacheFolder" | "allowHosts" | "denyHosts" | "visionModel" | "secretOrigins"
> => ({
  executable: browser.executable,
  headless: browser.headless,
  cacheFolder:
    env["XDG_CACHE_HOME"] === undefined
      ? path.join(home, "cache", "browser")
      : path.join(env["XDG_CACHE_HOME"], "retinue", "browser"),
  allowHosts: [...(web.allowHosts ?? []), ...browser.allowHosts],
  denyHosts: web.denyHosts ?? [],
  secretOrigins: browser.secretOrigins,
  visionModel,
});

/** What is wrong, and what to do about it where that is not what the code says anyway. */
export const toProblemLine = ({ message, hint }: ErrorValue): string => (hint === undefined ? message : `${message} ${hint}`);

const exists = async (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** What the user has opened to sandboxes: private hosts, as for the web tools, and ports of this machine. */
export const toNetworkOptions = (settings: Settings): NetworkOptions => ({
  ...toWebOptions(settings),
  loopback: settings.sandbox.loopback,
});

const toWebOptions = ({ web }: Settings): { allowHosts?: readonly string[]; denyHosts?: readonly string[] } => ({
  ...(web.allowHosts === undefined ? {} : { allowHosts: web.allowHosts }),
  ...(web.denyHosts === undefined ? {} : { denyHosts: web.denyHosts }),
});

type WebSearch = NonNullable<NonNullable<Parameters<typeof createBuiltinTools>[0]>["webSearch"]>;

/** None where what it needs is not set: the tool then says how to configure it. */
const toWebSearch = ({ web }: Settings, env: NodeJS.ProcessEnv): WebSearch => {
  const { search } = web;
  if (!search) return {};
  const apiKey = search.apiKeyEnv === undefined ? undefined : env[search.apiKeyEnv];
  const { engine, baseUrl } = search;
  if (engine === "searxng") return baseUrl === undefined ? {} : { engine: { type: "searxng", baseUrl } };
  return apiKey === undefined ? {} : { engine: { type: engine, apiKey, ...(baseUrl === undefined ? {} : { baseUrl }) } };
};
