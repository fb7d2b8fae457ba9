/**
 * One live connection to a server, from its start to its end. It knows the protocol and its bounds, nothing of names, approvals or policy.
 * Once it has ended it stays so; whoever needs the server again opens another.
 */
import type {
  CallToolResult,
  ClientOptions,
  Progress,
  StreamableHTTPClientTransport,
  Tool as ServerTool,
  Transport,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "@retinue/protocol";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { guardTransport } from "./guarded-transport.ts";
import type { StdioTransportOptions } from "./stdio-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

export type LinkTarget =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly confine?: StdioTransportOptions["confine"];
      /** False only where a sandbox keeps it from all of them. */
      readonly reachesHosts: boolean;
    }
  | { readonly type: "http"; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

export type LinkOptions = {
  readonly target: LinkTarget;
  /** Ends the attempt to connect, not the connection. */
  readonly signal: AbortSignal;
  /** A line that the server printed for people. */
  readonly onPrint: (line: string) => void;
  /** Something odd that was dealt with. */
  readonly onNote: (text: string) => void;
  readonly onToolsChanged: () => void;
};

export type LinkCall = {
  readonly tool: string;
  readonly input: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
};

export type ListedTools = {
  readonly tools: readonly ServerTool[];
  /** There were more than are taken. */
  readonly isCut: boolean;
};

export type McpLink = {
  /** Why it has ended; undefined while it lives. */
  readonly ended: () => string | undefined;
  readonly list: (signal: AbortSignal) => Promise<ListedTools>;
  readonly call: (call: LinkCall) => Promise<CallToolResult>;
  readonly close: () => Promise<void>;
};

export const MOST_TOOLS = 200;
const MOST_PAGES = 50;
/** The caller's own limit comes first. */
const SPARE_MS = 5000;
const FAREWELL_MS = 1000;
const CHECK_MS = 5000;

type Sdk = typeof import("@modelcontextprotocol/client");

/** Servers speak the protocol of 2025 in their great majority; one that refuses it is asked for the newer one. */
export const openLink = async (options: LinkOptions): Promise<McpLink> => {
  const sdk = await import("@modelcontextprotocol/client");
  try {
    return await open(sdk, options, {});
  } catch (thrown) {
    if (!refusesOldProtocol(sdk, thrown) || options.signal.aborted) throw thrown;
    return open(sdk, options, { versionNegotiation: { mode: "auto" } });
  }
};

const refusesOldProtocol = (sdk: Sdk, thrown: unknown): boolean => {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof sdk.ProtocolError || (cause instanceof sdk.SdkHttpError && cause.status === 400);
};

const open = async (sdk: Sdk, options: LinkOptions, negotiation: ClientOptions): Promise<McpLink> => {
  const { inner, reason, farewell } = createTransport(sdk, options);
  const transport = guardTransport(inner, { onNote: options.onNote });
  // No capabilities: whatever the server asks of us is refused.
  const client = new sdk.Client(
    { name: "retinue", version: "0.1.0" },
    {
      ...negotiation,
      capabilities: {},
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onToolsChanged() } },
    },
  );
  let ended: string | undefined;
  let isChecking = false;
  // The call that waited on a broken stream is not told; if the server is gone, this ends the call too.
  const checkServer = async (): Promise<void> => {
    if (options.target.type !== "http" || isChecking || ended !== undefined) return;
    isChecking = true;
    try {
      await client.ping({ timeout: CHECK_MS });
    } catch (thrown) {
      ended ??= `it does not answer any more: ${toMessage(thrown)}`;
      await transport.close();
    } finally {
      isChecking = false;
    }
  };
  Object.assign(client, {
    onclose: () => {
      ended ??= transport.breach() ?? reason() ?? "the connection was closed";
    },
    onerror: () => void checkServer(),
    // Also from a server that did not say beforehand that its tools may change.
    fallbackNotificationHandler: async ({ method }: { method: string }) => {
      if (method === "notifications/tools/list_changed") options.onToolsChanged();
    },
  } satisfies Partial<typeof client>);
  try {
    await within(options.signal, client.connect(transport, { signal: options.signal, timeout: 2 ** 30 }));
  } catch (thrown) {
    await transport.close();
    throw toError(thrown, transport.breach() ?? (options.signal.aborted ? undefined : reason()), options.signal);
  }

  const list: McpLink["list"] = async (signal) => {
    if (client.getServerCapabilities()?.tools === undefined) return { tools: [], isCut: false };
    const tools: ServerTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && tools.length <= MOST_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await within(signal, client.request({ method: "tools/list", params }, { signal, timeout: 2 ** 30 }));
      tools.push(...answer.tools.slice(0, MOST_TOOLS + 1));
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return { tools: tools.slice(0, MOST_TOOLS), isCut: tools.length > MOST_TOOLS || cursor !== undefined };
  };

  return {
    ended: () => ended,
    list: (signal) =>
      list(signal).catch((thrown: unknown) => {
        throw toError(thrown, ended, signal);
      }),
    call: async ({ tool, input, timeoutMs, signal, onProgress }) => {
      try {
        const limits = { signal, timeout: timeoutMs + SPARE_MS, onprogress: onProgress };
        return await within(signal, client.callTool({ name: tool, arguments: { ...input } }, limits));
      } catch (thrown) {
        // A request that could not even be made will not be made next time either.
        if (isConnectionLost(sdk, thrown)) {
          ended ??= toMessage(thrown);
          void transport.close();
        }
        throw toError(thrown, ended, signal);
      }
    },
    close: async () => {
      ended ??= "it was closed";
      await farewell();
      await client.close();
      await transport.close();
    },
  };
};

type Created = {
  readonly inner: Transport;
  readonly reason: () => string | undefined;
  /** Tells a server that keeps sessions that this one is over. */
  readonly farewell: () => Promise<void>;
};

const createTransport = (sdk: Sdk, { target, onPrint }: LinkOptions): Created => {
  switch (target.type) {
    case "stdio": {
      const { command, args, cwd, env, confine } = target;
      const inner = new StdioTransport({ command, args, cwd, env, confine, onPrint, parse: sdk.parseJSONRPCMessage });
      return { inner, reason: () => inner.reason, farewell: async () => undefined };
    }
    case "http": {
      let breach: string | undefined;
      // Redirects are followed within the origin only, so that headers reach nobody else.
      const inner: StreamableHTTPClientTransport = new sdk.StreamableHTTPClientTransport(target.url, {
        requestInit: { headers: { ...target.headers } },
        fetch: createBoundedFetch(() => {
          breach = "it sent more than 16 MiB at once";
          void inner.close();
        }),
        redirectPolicy: "same-origin",
      });
      const farewell = async (): Promise<void> => {
        await within(AbortSignal.timeout(FAREWELL_MS), inner.terminateSession()).catch(() => undefined);
      };
      return { inner, reason: () => breach, farewell };
    }
    default:
      return target satisfies never;
  }
};

/** Does not wait for what ignores its signal. */
const within = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined);
  }
};

const isConnectionLost = (sdk: Sdk, thrown: unknown): boolean =>
  thrown instanceof TypeError ||
  (thrown instanceof sdk.SdkHttpError && thrown.status === 404) ||
  (thrown instanceof sdk.SdkError && thrown.code === sdk.SdkErrorCode.NotConnected);

const toError = (thrown: unknown, ended: string | undefined, signal: AbortSignal): Error => {
  if (signal.aborted && ended === undefined) return new Error(toMessage(signal.reason), { cause: thrown });
  return new Error(ended ?? toMessage(thrown), { cause: thrown });
};

const toMessage = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === "TimeoutError") return "it took too long to answer";
  // `fetch failed` says nothing; what it was caused by does.
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message;
};
