/** Connects to servers in tests: a folder of its own, what was logged, and a way to wait for something to be logged. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AnyTool, ToolContext, ToolOutput } from "@retinue/runtime";
import { onTestFinished } from "vitest";
import type { ConnectMcpOptions, McpConnections } from "../connect-mcp-servers.ts";
import { connectMcpServers } from "../connect-mcp-servers.ts";
import type { McpLog } from "../mcp-log.ts";
import type { StdioServerSettings } from "../server-settings.ts";
import { createTestRun } from "@retinue/confine/testing";

export type TestConnections = McpConnections & {
  readonly folder: string;
  readonly logs: McpLog[];
  /** Resolves with the first log that holds the text, past or to come. */
  readonly logged: (text: string) => Promise<McpLog>;
  readonly tool: (name: string) => AnyTool;
  readonly context: ToolContext;
  readonly call: (name: string, input?: object, context?: Partial<ToolContext>) => Promise<ToolOutput>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const HOSTILE = path.join(import.meta.dirname, "../fixtures/hostile-server.ts");

/** How it starts, and a file of the tools it lists. */
export const hostile = (...args: readonly string[]): StdioServerSettings => ({
  command: process.execPath,
  args: [HOSTILE, ...args],
  // Its processes are looked for by their numbers, which are others inside a sandbox.
  sandbox: false,
  connectTimeoutMs: 30_000,
});

/** A server from the registry, by the name of its package. */
export const real = (name: string, ...args: readonly string[]): StdioServerSettings => {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return {
    command: process.execPath,
    args: [path.join(path.dirname(manifest), "dist/index.js"), ...args],
    connectTimeoutMs: 30_000,
  };
};

/** Gone when the test is. */
export const createFolder = async (): Promise<string> => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-mcp-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

export const connect = async (
  servers: ConnectMcpOptions["servers"],
  options: Partial<ConnectMcpOptions> = {},
): Promise<TestConnections> => {
  const folder = await createFolder();
  const logs: McpLog[] = [];
  const waiting: { readonly text: string; readonly resolve: (log: McpLog) => void }[] = [];
  const connections = await connectMcpServers({
    servers,
    env: { PATH: process.env["PATH"], HOME: folder },
    cwd: folder,
    signal: new AbortController().signal,
    onLog: (log) => {
      logs.push(log);
      for (const { text, resolve } of waiting) if (log.text.includes(text)) resolve(log);
    },
    ...options,
  });
  const tool = (name: string): AnyTool => {
    const found = connections.tools().find((one) => one.name === name);
    if (!found)
      throw new Error(
        `no tool ${name} among ${connections
          .tools()
          .map((one) => one.name)
          .join(", ")}`,
      );
    return found;
  };
  return {
    ...connections,
    folder,
    logs,
    logged: (text) => {
      const { promise, resolve } = Promise.withResolvers<McpLog>();
      const found = logs.find((log) => log.text.includes(text));
      if (found) resolve(found);
      else waiting.push({ text, resolve });
      return promise;
    },
    tool,
    context: createContext(folder),
    call: (name, input = {}, context = {}) => tool(name).execute(input, createContext(folder, context)),
    [Symbol.asyncDispose]: () => connections.close(),
  };
};

export const createContext = (workspace: string, context: Partial<ToolContext> = {}): ToolContext => ({
  callId: "call_test",
  run: createTestRun("run_test"),
  workspace,
  scope: { writes: [], hosts: [], approve: "all" },
  signal: new AbortController().signal,
  progress: () => undefined,
  timeLeftMs: () => 60_000,
  artifacts: {
    write: () => Promise.reject(new Error("no artifact is written here")),
    read: async () => undefined,
  },
  ...context,
});
