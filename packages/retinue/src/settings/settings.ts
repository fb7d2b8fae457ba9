/** What holds once every source of settings is read: the shape that `schema.ts` declares, with what has a default filled in. */
import type { Limits } from "@retinue/protocol";
import type { z } from "zod";
import type { settingsSchema } from "./schema.ts";

export { HOOK_EVENTS, PRESET_NAMES, PROVIDER_TYPES } from "./choices.ts";

/** What one source says: anything may be missing. */
export type GivenSettings = z.infer<typeof settingsSchema>;

const DEFAULTS = {
  models: {},
  providers: {},
  retry: { attempts: 4, maxWaitMs: 60_000, unreachableMs: 300_000 },
  streamIdleMs: 120_000,
  limits: {},
  agent: { maxDepth: 3, maxConcurrent: 3, maxChildren: 100, statsInPrompt: false, presets: [] },
  agents: {},
  plan: { maxSteps: 30, maxRecoveries: 1, stateChars: 4_000 },
  store: { synchronous: "NORMAL" },
  mcpServers: {},
  hooks: [],
  web: {},
  browser: { enabled: false, headless: true, allowHosts: [], secretOrigins: {} },
  desktop: { enabled: false },
  databases: {},
  adminDatabases: [],
  approvals: { unattended: "deny" },
  serve: { takeUp: "all" },
  approve: "ask",
  unprotected: [],
  sandbox: { loopback: [], read: [], unixSockets: false },
  terminal: { fullscreen: false },
  allowUnsandboxed: false,
} as const satisfies GivenSettings;

/** Without undefined: what is not set is absent. */
type Exact<T> = T extends (infer Item)[]
  ? Exact<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Exact<Exclude<T[Key], undefined>> }
    : T;

/** What has a default is always there. */
type Filled<T, Default> = {
  readonly [Key in keyof T as Key extends keyof Default ? Key : never]-?: FilledValue<
    Exclude<T[Key], undefined>,
    Key extends keyof Default ? Default[Key] : never
  >;
} & { readonly [Key in keyof T as Key extends keyof Default ? never : Key]?: Exact<Exclude<T[Key], undefined>> };

/** Sections are filled key by key; lists, and maps with keys of the user's choice, are taken as they are. */
type FilledValue<T, Default> = T extends readonly (infer Item)[]
  ? readonly Exact<Item>[]
  : T extends object
    ? string extends keyof T
      ? Exact<T>
      : Filled<T, Default>
    : T;

type ItemOf<T> = Exclude<T, undefined> extends Readonly<Record<string, infer Item>> ? Item : never;

type GivenProvider = Exact<ItemOf<GivenSettings["providers"]>>;

export type ProviderType = NonNullable<GivenProvider["type"]>;

/** A provider without a type is given one when the settings are loaded. */
export type ProviderSettings = Omit<GivenProvider, "type"> & {
  readonly type: ProviderType;
  /** True for one that a project defined: no key is sent to it. No file can say so. */
  readonly isKeyless?: boolean;
};

export type Settings = Omit<Filled<GivenSettings, typeof DEFAULTS>, "providers"> & {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** What a project that is not trusted says of limits where `limits` says nothing: those of agents' files are held to it. No file or flag sets it. */
  readonly ceilings?: Limits;
  /** Nobody has set `approve`: a run that continues keeps the mode it was begun with. No file or flag sets it. */
  readonly isApproveDefault?: boolean;
};

export const DEFAULT_SETTINGS: Settings = DEFAULTS;

export type Synchronous = Settings["store"]["synchronous"];

/** A server of tools: a command that is started, or a URL. */
export type McpServer = ItemOf<Settings["mcpServers"]>;

/** A command that is run when something happens; it reads JSON and may answer with JSON. */
export type HookSettings = Settings["hooks"][number];

export type WebSettings = Settings["web"];

export type PresetName = Settings["agent"]["presets"][number];

/** What a person sets for one agent. */
export type AgentSettings = ItemOf<Settings["agents"]>;
