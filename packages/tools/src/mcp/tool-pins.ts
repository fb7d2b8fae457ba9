/**
 * What each server said of its tools when they were approved, by hash. A server that is met for the first time is taken at its word; from
 * then on a tool that is new or has changed is withheld until somebody approves what it now says.
 */
import type { Tool as ServerTool } from "@modelcontextprotocol/client";
import type { Json } from "@retinue/protocol";
import { z } from "zod";
import { digestOf } from "@retinue/confine";
import type { StateFile } from "@retinue/confine";
import { createStateFile } from "@retinue/confine";
import { toShownText } from "./escape-hidden.ts";
import type { McpServerSettings } from "./server-settings.ts";

const MOST_DESCRIPTION_CHARS = 4000;

const pinSchema = z.strictObject({ hash: z.string(), description: z.string() });
const pinsSchema = z.strictObject({
  version: z.literal(1),
  /** Server → tool → what was approved. */
  servers: z.record(z.string(), z.record(z.string(), pinSchema)),
});

type Pins = z.infer<typeof pinsSchema>;
export type Pin = z.infer<typeof pinSchema>;

/** What a tool says now against what was approved. */
export type PinVerdict =
  | { readonly type: "approved" }
  | { readonly type: "new" }
  | { readonly type: "changed"; readonly before: Pin };

export type ToolPins = {
  /** Pins all of a server that has never been seen. */
  readonly judge: (server: string, tools: readonly ServerTool[]) => Promise<ReadonlyMap<ServerTool, PinVerdict>>;
  readonly approve: (server: string, tools: Readonly<Record<string, Pin>>) => Promise<void>;
};

/** Without a file the pins live as long as this process. */
export const createToolPins = (file?: string): ToolPins => {
  const state = file === undefined ? createMemoryState() : createStateFile({ file, schema: pinsSchema, empty: EMPTY });
  const approve: ToolPins["approve"] = (server, tools) =>
    state.change(({ version, servers }) => {
      const approved = new Map([...entriesOf(servers, server), ...Object.entries(tools)]);
      return { version, servers: { ...servers, [server]: Object.fromEntries(approved) } };
    });
  return {
    approve,
    judge: async (server, tools) => {
      const { servers } = await state.read();
      if (!Object.hasOwn(servers, server)) {
        await approve(server, Object.fromEntries(tools.map((tool) => [tool.name, toPin(tool)])));
        return new Map(tools.map((tool) => [tool, { type: "approved" }]));
      }
      const pins = new Map(entriesOf(servers, server));
      return new Map(
        tools.map((tool): [ServerTool, PinVerdict] => {
          const before = pins.get(tool.name);
          if (before === undefined) return [tool, { type: "new" }];
          return [tool, before.hash === toPin(tool).hash ? { type: "approved" } : { type: "changed", before }];
        }),
      );
    },
  };
};

const EMPTY: Pins = { version: 1, servers: {} };

const createMemoryState = (): StateFile<Pins> => {
  let pins = EMPTY;
  return {
    read: async () => pins,
    change: async (change) => {
      pins = change(pins);
    },
  };
};

const entriesOf = (servers: Pins["servers"], server: string): [string, Pin][] =>
  Object.hasOwn(servers, server) ? Object.entries(servers[server] ?? {}) : [];

/** Everything that a model or our policy goes by. */
export const toPin = ({ name, title, description, inputSchema, annotations }: ServerTool): Pin => ({
  hash: digestOf({
    name,
    title: title ?? null,
    description: description ?? null,
    // Both came as JSON.
    inputSchema: inputSchema as Json,
    annotations: (annotations ?? null) as Json,
  }),
  description: toShownText(description ?? "", MOST_DESCRIPTION_CHARS),
});

/** Another program under an old name is another server. */
export const toPinnedServer = (name: string, settings: McpServerSettings): string => {
  const identity: Json =
    "url" in settings
      ? { url: settings.url }
      : { command: settings.command, args: settings.args ?? [], cwd: settings.cwd ?? null };
  return `${name}#${digestOf(identity).slice(0, 16)}`;
};
