/**
 * `retinue agents add`: shows what a folder of agents brings, with every command that its hooks and servers would run, and copies agents, skills and
 * commands after a yes. Hooks and servers are never installed.
 */
import type { Collection, CollectionItem, Plugin } from "@retinue/agents";
import { addCollection, filesOf, findStanding, readCollection } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import { realpath, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { SessionOptions } from "../session-options.ts";
import { toWorkspace } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { withSpinner } from "../live/spinner.ts";
import { askYes } from "../trust/ask-yes.ts";

export type AgentsAddOptions = Pick<SessionOptions, "workspace"> & {
  readonly user?: boolean;
  readonly yes?: boolean;
  readonly replace?: boolean;
  readonly json?: boolean;
};

const show = (text: string): string => toPrintable(text, "line");
const MOST_CHARS = 100;
const shorten = (text: string): string => (text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS - 1)}…` : text);

export const agentsAddCommand = async (
  folder: string,
  { user = false, yes = false, replace = false, json = false, ...options }: AgentsAddOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, env } = surroundings;
  const target = await toTarget(user, options, env);
  const from = await requireFolder(folder);
  const spinner = { ...surroundings, isSilent: json };
  const read = await withSpinner("reading what is in it", spinner, () => readCollection(from));
  const collection = user ? forUser(read, relative(target, retinueHome(env))) : read;
  const files = filesOf(collection);
  // With --json what is shown to a person goes where it is in nobody's way.
  const told = json ? stderr : stdout;
  const end = async (added: readonly string[], code: number): Promise<number> => {
    if (json) await stdout.write(`${JSON.stringify({ target, added })}\n`);
    return code;
  };
  for (const line of describe(collection)) await told.write(`${show(line)}\n`);
  if (files.length === 0) {
    await stderr.write("retinue: there is nothing in it that could be added.\n");
    return end([], EXIT.failed);
  }
  const standing = await findStanding(collection, target);
  if (replace) for (const file of standing) await told.write(`  would write over ${show(file)}\n`);
  await told.write(`${count(files.length, "file")} would be copied to ${show(target)}.\n`);
  await told.flush();
  if (!yes && !(await askYes("Agents act with your rights. Add them? [y/N] ", surroundings))) {
    await stderr.write("retinue: nothing was added.\n");
    return end([], EXIT.done);
  }
  const written = await withSpinner("copying files", spinner, () =>
    addCollection(collection, { target, recordFile: toRecordFile(env), replace }),
  );
  await told.write(`${count(written.length, "file")} added; \`retinue agents check\` tells what is read and not honoured.\n`);
  return end(written, EXIT.done);
};

/** Of a home, some folders are elsewhere than of a project. `ours` is the user's folder of Retinue, seen from the home. */
const forUser = (collection: Collection, ours: string): Collection => {
  const toHome = (to: string): string =>
    to.replace(/^\.opencode\//, ".config/opencode/").replace(/^\.retinue\//, () => (ours === "" ? "" : `${ours}/`));
  const plugins = collection.plugins.map((plugin) => ({
    ...plugin,
    items: plugin.items.map((item) => ({ ...item, files: item.files.map((file) => ({ ...file, to: toHome(file.to) })) })),
  }));
  return { ...collection, plugins };
};

export const toRecordFile = (env: NodeJS.ProcessEnv): string => join(retinueHome(env), "added-agents.json");

/** The root of the project, or the home. */
export const toTarget = async (
  isUser: boolean,
  options: Pick<SessionOptions, "workspace">,
  env: NodeJS.ProcessEnv,
): Promise<string> => {
  if (!isUser) {
    const { findProjectFolders } = await import("@retinue/agents");
    return (await findProjectFolders(await realpath(toWorkspace(options)), env["HOME"])).root;
  }
  const home = env["HOME"];
  if (home === undefined) throw new RetinueError("usage", "There is no home to add agents to: HOME is not set.");
  return realpath(home);
};

const requireFolder = async (folder: string): Promise<string> => {
  if (/^[a-z+]+:\/\/|^git@/i.test(folder))
    throw new RetinueError("usage", `${folder} is no folder.`, { hint: "Clone it first, then name the folder of the clone." });
  const at = resolve(folder);
  const isFolder = await stat(at).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new RetinueError("usage", `There is no folder ${at}.`, { hint: "Name the folder of a plugin or of a checkout." });
  return at;
};

const describe = ({ plugins, problems }: Collection): readonly string[] => [...plugins.flatMap(describePlugin), ...problems];

const describePlugin = ({ name, description, items, programs }: Plugin): readonly string[] => {
  const hooks = programs.filter(({ kind }) => kind === "hook");
  const servers = programs.filter(({ kind }) => kind === "server");
  return [
    `${name}${description === "" ? "" : `: ${shorten(description)}`}`,
    ...items.map(describeItem),
    ...hooks.map(({ name: event, runs }) => `  not installed: the hook ${event}, which would run: ${runs}`),
    ...servers.map(({ name: server, runs }) => `  not installed: the MCP server ${server}, which would start: ${runs}`),
  ];
};

const describeItem = ({ kind, name, about, error, files }: CollectionItem): string => {
  if (error !== undefined) return `  left out: the ${kind} ${name}: ${error}`;
  const more = files.length > 1 ? ` (${count(files.length, "file")})` : "";
  return `  ${kind} ${kind === "command" ? `/${name}` : name}${about === "" ? "" : `: ${shorten(about)}`}${more}`;
};
