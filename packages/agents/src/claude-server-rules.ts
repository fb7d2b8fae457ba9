/** What Claude Code's settings say of whole MCP servers (`disabledMcpjsonServers`, `deniedMcpServers`, `allowedMcpServers`), as rules. */
import type { Rule } from "@retinue/protocol";
import type { JsonFields } from "./jsonc.ts";
import { isJsonFields } from "./jsonc.ts";
import type { Note } from "./problem.ts";

type LineOf = (word: string) => number;

/** Those that allow come before those that deny. */
export const readServerRules = (settings: JsonFields, lineOf: LineOf, note: Note): readonly Rule[] => {
  const allowed = settings["allowedMcpServers"];
  const denied = ["disabledMcpjsonServers", "deniedMcpServers"].flatMap((field) =>
    settings[field] === undefined ? [] : namesIn(field, settings[field], lineOf, note),
  );
  return [
    // A list of what is allowed forbids all others; an empty one forbids every server.
    ...(allowed === undefined ? [] : toAllowed(namesIn("allowedMcpServers", allowed, lineOf, note))),
    ...(denied.length === 0 ? [] : [{ tools: denied.map(toolsOf), effect: "deny" as const }]),
  ];
};

const toolsOf = (server: string): string => `${server}.*`;

const toAllowed = (servers: readonly string[]): readonly Rule[] => [
  { tools: ["*.*"], effect: "deny" },
  ...(servers.length === 0 ? [] : [{ tools: servers.map(toolsOf), effect: "allow" as const }]),
];

const namesIn = (field: string, value: unknown, lineOf: LineOf, note: Note): readonly string[] => {
  const items: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  return items.flatMap((item) => {
    const name = isJsonFields(item) ? item["serverName"] : item;
    if (typeof name === "string" && /^[\w-]+$/.test(name)) return name;
    note("error", lineOf(field), `"${field}" names a server by something else than its name; what that says is not kept`);
    return [];
  });
};
