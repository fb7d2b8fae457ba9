/** What can be set, and what holds where nothing is. `schema.ts` checks the same shape; the compiler keeps the two equal. */
import type { ApproveMode, Limits } from "@retinue/protocol";

/** As `@retinue/model` knows them. */
export const PROVIDER_TYPES = [
  "anthropic",
  "openai",
  "google",
  "openrouter",
  "deepseek",
  "ollama",
  "lmstudio",
  "docker-model-runner",
  "llamacpp",
  "vllm",
  "openai-compatible",
  "offline",
] as const;

export type ProviderType = (typeof PROVIDER_TYPES)[number];

export type ProviderSettings = {
  readonly type: ProviderType;
  readonly baseUrl?: string;
  /** The NAME of the environment variable that holds the key; keys themselves never stand in a file. */
  readonly apiKeyEnv?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxConcurrent?: number;
  /** True for one that a project defined: no key is sent to it. No file can say so. */
  readonly isKeyless?: boolean;
};

export type Synchronous = "NORMAL" | "FULL";

/** What happens to an act that needs an approval when nobody can be asked. */
export type Unattended = "deny" | "park";

/** A server of tools: a command that is started, or a URL. */
export type McpServer =
  | {
      readonly command: string;
      readonly args?: string[];
      readonly env?: Record<string, string>;
      readonly cwd?: string;
      /** False: it runs with all rights of the user. */
      readonly sandbox?: boolean;
      /** Globs of what it may write, relative to the workspace. */
      readonly writes?: string[];
      /** Patterns of the hosts that it may reach; every public one where absent. */
      readonly hosts?: string[];
    }
  | { readonly url: string; readonly headers?: Record<string, string> };

export const HOOK_EVENTS = ["tool.before", "tool.after", "run.started", "run.settled", "approval.asked"] as const;

/** A command that is run when something happens; it reads JSON and may answer with JSON. */
export type HookSettings = {
  readonly on: (typeof HOOK_EVENTS)[number];
  /** A glob of tool names; every tool where absent. */
  readonly match?: string;
  readonly command: string;
  readonly timeoutMs?: number;
  /** False: it runs with all rights of the user. */
  readonly sandbox?: boolean;
};

export type WebSettings = {
  /** Hosts that may be reached although they are private. */
  readonly allowHosts?: readonly string[];
  readonly denyHosts?: readonly string[];
  readonly search?: { readonly engine: "searxng" | "brave" | "tavily"; readonly baseUrl?: string; readonly apiKeyEnv?: string };
};

export type BrowserSettings = {
  /** Whether agents are given the browser's tools; test cases have them anyway. */
  readonly enabled: boolean;
  /** The program of a Chrome or Chromium; found where absent. */
  readonly executable?: string;
  readonly headless: boolean;
  /** Hosts that pages may reach although they are private, beside those of `web.allowHosts`. */
  readonly allowHosts: readonly string[];
};

/** As `@retinue/agents` knows them. */
export const PRESET_NAMES = ["s0", "s1", "s2", "s3", "s4"] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** What a person sets for one agent. */
export type AgentSettings = {
  readonly model?: string;
  readonly limits?: Limits;
  /** Names or globs, in place of those of its file. */
  readonly tools?: readonly string[];
  /** Agents it may start, in place of those of its file. */
  readonly delegates?: readonly string[];
  readonly resultTokens?: number;
  readonly summarize?: "none" | "model";
};

export type Settings = {
  /** `provider/model` or a name from `models`. Absent: what is reachable is detected. */
  readonly model?: string;
  /** Short names for models. */
  readonly models: Readonly<Record<string, string>>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly retry: {
    readonly attempts: number;
    readonly maxWaitMs: number;
    /** How long models that are all away are waited for, before the run is left open. */
    readonly unreachableMs: number;
  };
  readonly streamIdleMs: number;
  readonly limits: Limits;
  readonly agent: {
    readonly maxDepth: number;
    readonly maxConcurrent: number;
    readonly maxChildren: number;
    /** Whether the main agent is told how its sub-agents did so far. */
    readonly statsInPrompt: boolean;
    /** How many tokens of a sub-agent's answer enter its parent's context, whatever its file says. */
    readonly resultTokens?: number;
    /** Designs whose numbers the built-in agents take; of several the later wins. */
    readonly presets: readonly PresetName[];
  };
  /** Above what the files of the agents say, built-in ones among them. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly store: {
    /** The SQLite file; `retinue.db` in the user's folder where absent. */
    readonly path?: string;
    /** A PostgreSQL database in place of the file. */
    readonly url?: string;
    readonly synchronous: Synchronous;
  };
  readonly mcpServers: Readonly<Record<string, McpServer>>;
  readonly hooks: readonly HookSettings[];
  readonly web: WebSettings;
  readonly browser: BrowserSettings;
  readonly desktop: {
    /** Whether agents are given the tools of the screen. */
    readonly enabled: boolean;
    /** The X display that they work on; that of the environment where absent. */
    readonly display?: string;
  };
  /** Answers questions about screenshots; the agent's own model, if it reads images, where absent. */
  readonly visionModel?: string;
  /** SQLite files and PostgreSQL URLs that `query_db` may read, by name. */
  readonly databases: Readonly<Record<string, string>>;
  /** Names of those whose login may have rights over the server. */
  readonly adminDatabases: readonly string[];
  readonly approvals: { readonly unattended: Unattended; readonly expiresMs?: number };
  readonly approve: ApproveMode;
  /** Globs of protected paths, relative to the workspace, that agents may read and write like any other. */
  readonly unprotected: readonly string[];
  /** Ports of this machine's loopback that are open to what runs in a sandbox. */
  readonly sandbox: { readonly loopback: readonly number[] };
  /** Commands of agents with limited rights run without a sandbox where the machine has none. */
  readonly allowUnsandboxed: boolean;
};

/** What one source says: anything may be missing. */
export type PartialSettings = {
  readonly model?: string | undefined;
  readonly models?: Readonly<Record<string, string>> | undefined;
  readonly providers?:
    | Readonly<
        Record<string, { readonly [Key in Exclude<keyof ProviderSettings, "isKeyless">]?: ProviderSettings[Key] | undefined }>
      >
    | undefined;
  readonly retry?:
    | {
        readonly attempts?: number | undefined;
        readonly maxWaitMs?: number | undefined;
        readonly unreachableMs?: number | undefined;
      }
    | undefined;
  readonly streamIdleMs?: number | undefined;
  readonly limits?: { readonly [Name in keyof Limits]: number | undefined } | undefined;
  readonly agent?:
    | {
        readonly maxDepth?: number | undefined;
        readonly maxConcurrent?: number | undefined;
        readonly maxChildren?: number | undefined;
        readonly statsInPrompt?: boolean | undefined;
        readonly resultTokens?: number | undefined;
        readonly presets?: readonly PresetName[] | undefined;
      }
    | undefined;
  readonly agents?: unknown;
  readonly store?:
    | {
        readonly path?: string | undefined;
        readonly url?: string | undefined;
        readonly synchronous?: Synchronous | undefined;
      }
    | undefined;
  readonly mcpServers?: unknown;
  readonly hooks?: unknown;
  readonly web?: unknown;
  readonly browser?:
    | {
        readonly enabled?: boolean | undefined;
        readonly executable?: string | undefined;
        readonly headless?: boolean | undefined;
        readonly allowHosts?: readonly string[] | undefined;
      }
    | undefined;
  readonly desktop?: { readonly enabled?: boolean | undefined; readonly display?: string | undefined } | undefined;
  readonly visionModel?: string | undefined;
  readonly databases?: Readonly<Record<string, string>> | undefined;
  readonly adminDatabases?: readonly string[] | undefined;
  readonly approvals?: { readonly unattended?: Unattended | undefined; readonly expiresMs?: number | undefined } | undefined;
  readonly approve?: ApproveMode | undefined;
  readonly unprotected?: readonly string[] | undefined;
  readonly sandbox?: { readonly loopback?: readonly number[] | undefined } | undefined;
  readonly allowUnsandboxed?: boolean | undefined;
};

export const DEFAULT_SETTINGS: Settings = {
  models: {},
  providers: {},
  retry: { attempts: 4, maxWaitMs: 60_000, unreachableMs: 300_000 },
  streamIdleMs: 120_000,
  limits: {},
  agent: { maxDepth: 3, maxConcurrent: 3, maxChildren: 100, statsInPrompt: false, presets: [] },
  agents: {},
  store: { synchronous: "NORMAL" },
  mcpServers: {},
  hooks: [],
  web: {},
  browser: { enabled: false, headless: true, allowHosts: [] },
  desktop: { enabled: false },
  databases: {},
  adminDatabases: [],
  approvals: { unattended: "deny" },
  approve: "ask",
  unprotected: [],
  sandbox: { loopback: [] },
  allowUnsandboxed: false,
};
