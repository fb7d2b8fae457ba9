/** What is said of an MCP server: a program that we start and talk to by its standard input and output, or a URL. */
import type { Json } from "@retinue/protocol";
import { z } from "zod";
import { digestCommandFiles, digestOf } from "@retinue/confine";
import type { Origin } from "@retinue/confine";
import type { TrustClaim } from "@retinue/confine";
import { escapeHidden } from "./escape-hidden.ts";
import { isSecretName } from "./secret-name.ts";

/** Shorter ones are words such as `true`. */
const LEAST_SECRET_CHARS = 8;
const MOST_MS = 24 * 60 * 60 * 1000;

const timesShape = {
  /** How long a call of one of its tools may take; two minutes by default. */
  timeoutMs: z.int().positive().max(MOST_MS).optional(),
  /** How long it may take to start and to list its tools; ten seconds by default. */
  connectTimeoutMs: z.int().positive().max(MOST_MS).optional(),
};

export const stdioServerSchema = z.object({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, "is no name of a variable"), z.string()).optional(),
  cwd: z.string().min(1).optional(),
  /** False: it runs with all rights of the user. */
  sandbox: z.boolean().optional(),
  /** Globs of what it may write, relative to the workspace; nothing by default. */
  writes: z.array(z.string().min(1)).optional(),
  /** Patterns of the hosts that it may reach; every public one by default. */
  hosts: z.array(z.string().min(1)).optional(),
  ...timesShape,
});

export const httpServerSchema = z.object({
  type: z.enum(["http", "streamable-http"]).optional(),
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).optional(),
  ...timesShape,
});

export type StdioServerSettings = z.infer<typeof stdioServerSchema>;
export type HttpServerSettings = z.infer<typeof httpServerSchema>;

type Said = {
  /** Who says so; the user when nothing is said. */
  readonly origin?: Origin;
};

/** As written; `${NAME}` and `${NAME:-otherwise}` stand for variables until the server is started. */
export type McpServerSettings = (StdioServerSettings & Said) | (HttpServerSettings & Said);

/** What would run, in full, with the variables by their names; for the one who decides whether it may. */
export const toCommandLine = (settings: McpServerSettings): string => {
  if ("url" in settings) {
    const headers = Object.entries(settings.headers ?? {}).map(
      ([name, value]) => ` ${quote(`${name}: ${withoutSecret(name, value)}`)}`,
    );
    return `${escapeHidden(settings.url)}${headers.length === 0 ? "" : ` with${headers.join("")}`}`;
  }
  const { command, args = [], env = {}, cwd, sandbox = true, writes = [], hosts } = settings;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(withoutSecret(name, value))}`);
  const line = [...variables, quote(command), ...args.map(quote)].join(" ");
  const notes = [
    ...(cwd === undefined ? [] : [`in ${escapeHidden(cwd)}`]),
    ...(sandbox ? [] : ["without a sandbox"]),
    ...(writes.length === 0 ? [] : [`may write ${writes.map(quote).join(" ")}`]),
    ...(hosts === undefined ? [] : [hosts.length === 0 ? "reaches no host" : `reaches ${hosts.map(quote).join(" ")}`]),
  ];
  return notes.length === 0 ? line : `${line} (${notes.join("; ")})`;
};

/** A secret that stands there in plain is not told; which variable one is taken from is. */
const withoutSecret = (name: string, value: string): string =>
  isSecretName(name) && value.length >= LEAST_SECRET_CHARS && !value.includes("${") ? "[redacted]" : value;

/** Plain words as they are, everything else in quotes, line ends and invisible characters escaped. */
const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${escapeHidden(word).replaceAll("\n", "\\n").replaceAll("'", "'\\''")}'`;

/** Undefined for what the user set up, which needs no trust. */
export const toTrustClaim = async (name: string, settings: McpServerSettings): Promise<TrustClaim | undefined> => {
  const { origin, ...said } = settings;
  if (origin?.type !== "project") return undefined;
  const files =
    "url" in settings
      ? {}
      : await digestCommandFiles({
          root: origin.project,
          texts: [settings.command, ...(settings.args ?? [])],
          ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
        });
  const names = Object.keys(files);
  return {
    project: origin.project,
    subject: `mcp:${name}`,
    hash: digestOf((names.length === 0 ? said : { said, files }) as Json),
    shown: `${name}: ${toCommandLine(settings)}${names.length === 0 ? "" : ` with ${names.join(", ")} as they are now`}`,
  };
};
