/**
 * Starts the servers that may be started and hands out their tools. One that is refused, fails or falls silent says why and keeps nobody
 * else from working.
 */
import type { ErrorValue } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { USER } from "@retinue/confine";
import type { NetworkOptions, SandboxOpenings } from "@retinue/confine";
import type { TrustStore } from "@retinue/confine";
import { probeSandbox, untrusted } from "@retinue/confine";
import { confineServer } from "./confine-server.ts";
import { createRedactor, expandVariables } from "./expand-variables.ts";
import type { LinkTarget } from "./mcp-link.ts";
import type { McpLog } from "./mcp-log.ts";
import { createServerLog } from "./mcp-log.ts";
import type { WithheldTool } from "./mcp-server.ts";
import { McpServer } from "./mcp-server.ts";
import { toServerEnvironment } from "./server-environment.ts";
import type { McpServerSettings } from "./server-settings.ts";
import { toTrustClaim } from "./server-settings.ts";
import { SERVER_NAME, toSkeleton } from "./tool-name.ts";
import type { ToolPins } from "./tool-pins.ts";
import { createToolPins, toPinnedServer } from "./tool-pins.ts";

export type ConnectMcpOptions = {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** Asked before anything of a project is started. Without it nothing of a project is. */
  readonly trust?: TrustStore;
  /** Where variables are taken from; servers themselves see little of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where servers work that do not say so; for those of a project it is the project. What they may write lies in it. */
  readonly cwd: string;
  /** Globs of protected paths that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Files that something trusted runs, absolute and real: no server writes them. */
  readonly bound?: readonly string[];
  /** What the user has opened to sandboxes beside public hosts. */
  readonly network?: NetworkOptions;
  /** What else of the machine the user has opened to sandboxes. */
  readonly openings?: SandboxOpenings;
  /** Keeps what was approved from one start to the next. */
  readonly pinFile?: string;
  /** Names of other tools, which no server gets. */
  readonly reserved?: readonly string[];
  /** Ends everything. */
  readonly signal: AbortSignal;
  readonly onLog?: (log: McpLog) => void;
};

export type McpServerState = {
  readonly server: string;
  readonly status: "connected" | "failed" | "refused";
  readonly tools: number;
  readonly withheld: number;
  /** Why it is not connected. */
  readonly error?: ErrorValue;
};

export type McpConnections = {
  /** As they are now: a server may change its tools while it runs. */
  readonly tools: () => AnyTool[];
  readonly servers: () => readonly McpServerState[];
  readonly withheld: () => readonly WithheldTool[];
  /** A human has read what these now say and agrees. */
  readonly approve: (tools: readonly WithheldTool[]) => Promise<void>;
  /** Ends all servers with all that they started. */
  readonly close: () => Promise<void>;
};

const TIMEOUT_MS = 120_000;
const CONNECT_TIMEOUT_MS = 10_000;

type Entry = { readonly name: string; readonly server?: McpServer; error?: ErrorValue };

export const connectMcpServers = async (options: ConnectMcpOptions): Promise<McpConnections> => {
  const pins = createToolPins(options.pinFile);
  const entries = await Promise.all(
    Object.entries(options.servers).map(async ([name, settings], index, all): Promise<Entry> => {
      const others = all.slice(0, index).map(([other]) => other);
      let server: McpServer;
      try {
        server = await prepare({ name, settings, others, pins, options });
      } catch (thrown) {
        options.onLog?.({ server: name, level: "error", text: toErrorValue(thrown).message });
        return { name, error: toErrorValue(thrown) };
      }
      try {
        await server.connect(options.signal);
        return { name, server };
      } catch (thrown) {
        options.onLog?.({ server: name, level: "error", text: toErrorValue(thrown).message });
        return { name, server, error: toErrorValue(thrown) };
      }
    }),
  );
  const servers = entries.flatMap(({ server }) => (server === undefined ? [] : [server]));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= Promise.all(servers.map((server) => server.close())).then(() => undefined);
    return closing;
  };
  options.signal.addEventListener("abort", () => void close(), { once: true });
  if (options.signal.aborted) await close();
  return {
    tools: () => servers.flatMap((server) => server.tools()),
    servers: () => entries.map(toState),
    withheld: () => servers.flatMap((server) => server.withheld()),
    approve: async (tools) => {
      for (const server of servers) {
        const its = tools.filter((tool) => tool.server === server.name);
        if (its.length > 0) await server.approve(its);
      }
    },
    close,
  };
};

const toState = ({ name, server, error }: Entry): McpServerState => {
  const counts = { tools: server?.tools().length ?? 0, withheld: server?.withheld().length ?? 0 };
  if (server === undefined) return { server: name, status: "refused", ...counts, ...(error === undefined ? {} : { error }) };
  const ended = server.ended();
  if (ended === undefined) return { server: name, status: "connected", ...counts };
  const why = error ?? toErrorValue(new RetinueError("mcp_server_failed", `The MCP server ${name} failed: ${ended}.`));
  return { server: name, status: "failed", ...counts, error: why };
};

type Preparation = {
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Names of the servers before it. */
  readonly others: readonly string[];
  readonly pins: ToolPins;
  readonly options: ConnectMcpOptions;
};

/** Everything that is decided before a server is started. */
const prepare = async ({ name, settings, others, pins, options }: Preparation): Promise<McpServer> => {
  if (!SERVER_NAME.test(name))
    throw invalid(name, 'a name is a letter, then letters, digits, "_" or "-", 32 at most', "Rename it.");
  const twin = others.find((other) => toSkeleton(other) === toSkeleton(name));
  if (twin !== undefined) throw invalid(name, `its name is too much like that of the server ${twin}`, "Rename one of them.");
  const claim = await toTrustClaim(name, settings);
  if (claim !== undefined && !(await options.trust?.isTrusted(claim))) throw untrusted(claim);
  const { settings: expanded, secrets } = expandVariables({ name, settings, env: options.env });
  const redact = createRedactor(secrets);
  const log = createServerLog({ server: name, redact, onLog: options.onLog });
  const reserved = new Set((options.reserved ?? []).map((taken) => taken.toLowerCase()));
  return new McpServer({
    name,
    target: await toTarget({ name, settings: expanded, options, onWarning: (text) => log.say("warning", text) }),
    timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
    connectTimeoutMs: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    pins,
    pinned: toPinnedServer(name, settings),
    redact,
    log,
    isTaken: (tool) => reserved.has(tool.toLowerCase()),
  });
};

type Targeting = {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly options: ConnectMcpOptions;
  readonly onWarning: (text: string) => void;
};

const toTarget = async ({ name, settings, options, onWarning }: Targeting): Promise<LinkTarget> => {
  const { origin = USER } = settings;
  if ("url" in settings) {
    const url = URL.parse(settings.url);
    if (url === null || !["http:", "https:"].includes(url.protocol))
      throw invalid(name, "its url is no http or https URL", "Mend it.");
    if (url.username !== "" || url.password !== "")
      throw invalid(name, "its url holds a user name or password", "Put them into headers.");
    return { type: "http", url, headers: settings.headers ?? {} };
  }
  const { env, dropped } = toServerEnvironment({ env: options.env, named: settings.env ?? {}, origin });
  if (dropped.length > 0) onWarning(`a project may not set ${dropped.join(", ")}; left out`);
  const cwd = settings.cwd ?? (origin.type === "project" ? origin.project : options.cwd);
  const rights = {
    workspace: options.cwd,
    writes: settings.writes ?? [],
    unprotected: options.unprotected ?? [],
    bound: options.bound ?? [],
    hosts: settings.hosts ?? ["*"],
    network: { ...options.network, onRefused: onWarning },
    openings: options.openings,
  };
  return {
    type: "stdio",
    command: settings.command,
    args: settings.args ?? [],
    cwd,
    env,
    reachesHosts: settings.sandbox === false || rights.hosts.length > 0 || (await probeSandbox()).backend === "none",
    ...(settings.sandbox === false ? {} : { confine: (program) => confineServer(program, rights) }),
  };
};

const invalid = (name: string, why: string, hint: string): RetinueError =>
  new RetinueError("mcp_server_invalid", `MCP server ${JSON.stringify(name)}: ${why}.`, { hint });
