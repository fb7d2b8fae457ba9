/**
 * Reads the `.mcp.json` of a project, as other agents write it. Nothing is started or expanded here: what comes back says where it is from and
 * what it would run, so that somebody can be asked.
 */
import { constants, open, realpath } from "node:fs/promises";
import path from "node:path";
import type { ErrorValue } from "@retinue/protocol";
import { describeIssues } from "@retinue/protocol/describe-issues";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import { z } from "zod";
import type { Origin } from "@retinue/confine";
import type { TrustClaim } from "@retinue/confine";
import type { McpServerSettings } from "./server-settings.ts";
import { httpServerSchema, stdioServerSchema, toTrustClaim } from "./server-settings.ts";

export type ReadMcpFilesOptions = {
  readonly workspace: string;
  /** What settings files say; a server of the user's own wins over one of the project's. */
  readonly user?: Readonly<Record<string, McpServerSettings>>;
  readonly project?: Readonly<Record<string, McpServerSettings>>;
};

export type McpFiles = {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** What needs trust before it is started, with the whole of what would run. */
  readonly claims: readonly TrustClaim[];
  readonly problems: readonly ErrorValue[];
};

const FILE = ".mcp.json";
const MOST_BYTES = 1024 * 1024;

export const readMcpFiles = async ({ workspace, user = {}, project = {} }: ReadMcpFilesOptions): Promise<McpFiles> => {
  const root = await realpath(workspace);
  const file = path.join(root, FILE);
  const servers = new Map<string, McpServerSettings>(Object.entries(user));
  const problems: ErrorValue[] = [];
  const add = (name: string, settings: McpServerSettings, where: string): void => {
    if (servers.has(name)) problems.push(problem(where, `the server ${name} is left out; there is one of that name already`));
    else servers.set(name, { ...settings, origin: { type: "project", project: root, file: where } satisfies Origin });
  };
  for (const [name, settings] of Object.entries(project))
    add(name, settings, settings.origin?.type === "project" ? settings.origin.file : root);
  try {
    const text = await readText(file);
    if (text !== undefined) readServers({ text, file, add, problems });
  } catch (thrown) {
    problems.push(toErrorValue(thrown));
  }
  const claims: TrustClaim[] = [];
  for (const [name, settings] of servers) {
    const claim = await toTrustClaim(name, settings);
    if (claim) claims.push(claim);
  }
  return { servers: Object.fromEntries(servers), claims, problems };
};

type Reading = {
  readonly text: string;
  readonly file: string;
  readonly add: (name: string, settings: McpServerSettings, where: string) => void;
  readonly problems: ErrorValue[];
};

const fileSchema = z.object({ mcpServers: z.record(z.string(), z.unknown()) });

const readServers = ({ text, file, add, problems }: Reading): void => {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    throw invalid(file, `it is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) throw invalid(file, 'it must be an object with "mcpServers"');
  for (const [name, given] of Object.entries(parsed.data.mcpServers)) {
    const settings = toSettings(given);
    if ("problem" in settings) problems.push(problem(file, `mcpServers.${name}: ${settings.problem}`));
    else add(name, settings.settings, file);
  }
};

const toSettings = (given: unknown): { readonly settings: McpServerSettings } | { readonly problem: string } => {
  const type = typeof given === "object" && given !== null && "type" in given ? given.type : undefined;
  if (type === "sse") return { problem: "the old transport sse is not spoken; use http" };
  const isUrl = typeof given === "object" && given !== null && "url" in given;
  const parsed = isUrl ? httpServerSchema.safeParse(given) : stdioServerSchema.safeParse(given);
  return parsed.success
    ? { settings: parsed.data }
    : {
        problem: describeIssues(parsed.error).replaceAll("\n", "; "),
      };
};

const readText = async (file: string): Promise<string | undefined> => {
  let handle;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw invalid(file, thrown instanceof Error ? thrown.message : String(thrown));
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw invalid(file, "it is no regular file");
    if (stats.size > MOST_BYTES) throw invalid(file, "it is larger than 1 MiB");
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
};

const invalid = (file: string, why: string): RetinueError => new RetinueError("mcp_server_invalid", `${file}: ${why}.`);

const problem = (file: string, why: string): ErrorValue => toErrorValue(invalid(file, why));
