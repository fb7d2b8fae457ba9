/**
 * Puts variables in the place of `${NAME}` and `${NAME:-otherwise}`, just before a server is started. Says which values are secrets, so that
 * they are kept out of everything that is shown; none of them enters a command line, which every user of the machine can read.
 */
import { RetinueError } from "@retinue/protocol";
import { isSecretName } from "./secret-name.ts";
import type { McpServerSettings } from "./server-settings.ts";

export type Expanded = { readonly settings: McpServerSettings; readonly secrets: readonly string[] };

export type Expansion = {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
};

const VARIABLE = /\$\{(?<name>[A-Za-z_]\w*)(?::-(?<otherwise>[^}]*))?\}/g;
/** Shorter ones would be found in ordinary words. */
const LEAST_SECRET_CHARS = 8;

export const expandVariables = ({ name, settings, env }: Expansion): Expanded => {
  const secrets = new Set<string>();
  const expand = (text: string, place: string): string =>
    text.replace(VARIABLE, (_all, variable: string, otherwise: string | undefined) => {
      const value = env[variable] || otherwise;
      if (value === undefined)
        throw invalid(name, `${place} needs the variable ${variable}, which is not set`, `Export ${variable}.`);
      if (isSecretName(variable)) {
        if (place === "command" || place === "args")
          throw invalid(
            name,
            `${place} would put ${variable} on the command line, where other users can read it`,
            "Hand it over by env or a file.",
          );
        secrets.add(value);
      }
      return value;
    });
  const expandMap = (map: Readonly<Record<string, string>> | undefined, place: string): Record<string, string> => {
    const expanded: Record<string, string> = {};
    for (const [key, value] of Object.entries(map ?? {})) {
      const text = expand(value, `${place}.${key}`);
      expanded[key] = text;
      // `Bearer …` is told, what follows it is not.
      if (isSecretName(key)) secrets.add(text.split(" ").at(-1) ?? text);
    }
    return expanded;
  };
  const expanded: McpServerSettings =
    "url" in settings
      ? { ...settings, url: expand(settings.url, "url"), headers: expandMap(settings.headers, "headers") }
      : {
          ...settings,
          command: expand(settings.command, "command"),
          args: (settings.args ?? []).map((argument) => expand(argument, "args")),
          env: expandMap(settings.env, "env"),
          ...(settings.cwd === undefined ? {} : { cwd: expand(settings.cwd, "cwd") }),
        };
  return { settings: expanded, secrets: [...secrets].filter((secret) => secret.length >= LEAST_SECRET_CHARS) };
};

const invalid = (name: string, why: string, hint: string): RetinueError =>
  new RetinueError("mcp_server_invalid", `MCP server ${name}: ${why}.`, { hint });

export type Redact = (text: string) => string;

export const createRedactor = (secrets: readonly string[]): Redact => {
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((kept, secret) => kept.replaceAll(secret, "[redacted]"), text);
};
