/** `retinue serve`: prints the link to the page and serves until it is stopped. */
import { RetinueError } from "@retinue/protocol";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenServer, OpenServerOptions } from "../serve/open-server.ts";
import { toJsonLine } from "../terminal/json-line.ts";
import { toPrintable } from "../terminal/printable.ts";
import { EXIT } from "./exit-code.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { withSpinner } from "./live/spinner.ts";
import { refuseAgents } from "./reach/refuse-agents.ts";
import { withRecord } from "./record/open-for-command.ts";
import type { SessionOptions } from "./session-options.ts";
import { loadSessionSettings } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";

export type ServeOptions = Pick<SessionOptions, "workspace"> & {
  readonly port?: string;
  readonly host?: string;
  readonly name?: readonly string[];
  readonly open?: boolean;
  readonly passwordFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly insecure?: boolean;
  readonly json?: boolean;
};

const USUAL_PORT = 4510;

export const serveCommand = async (
  folders: readonly string[],
  options: ServeOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, env, redact } = surroundings;
  const where = options.workspace === undefined ? {} : { workspace: options.workspace };
  const { workspace } = await loadSessionSettings(where, surroundings);
  // No agent serves a page to answer its own questions on.
  await withRecord(where, surroundings, ({ sessions }) => refuseAgents(sessions, { env }));
  const interrupts = listenForInterrupts(() => void stderr.write("retinue: stopping; once more to leave at once.\n"));
  try {
    const serverOptions = await toServerOptions([workspace, ...folders], options, surroundings);
    const server = await withSpinner("starting the server", { ...surroundings, isSilent: options.json === true }, () =>
      start(serverOptions, options.port),
    );
    try {
      await announce(server, options, surroundings);
      await aborted(AbortSignal.any([interrupts.cancelled, interrupts.left]));
    } finally {
      await server.close();
    }
    await stderr.write(redact("retinue: stopped; what has not settled can be resumed.\n"));
    await stdout.flush();
    return EXIT.done;
  } finally {
    interrupts.release();
  }
};

const toServerOptions = async (
  folders: readonly string[],
  { host, name, passwordFile, tlsCert, tlsKey, insecure }: ServeOptions,
  { env, stderr, redact }: Surroundings,
): Promise<Omit<OpenServerOptions, "port">> => {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new RetinueError("usage", "--tls-cert and --tls-key go together.", { hint: "Give both, or neither." });
  const page = findPage();
  return {
    folders,
    env,
    ...(host === undefined ? {} : { host }),
    ...(name === undefined ? {} : { names: name }),
    ...(passwordFile === undefined ? {} : { password: await readPassword(passwordFile) }),
    ...(tlsCert === undefined || tlsKey === undefined ? {} : { tls: { cert: await read(tlsCert), key: await read(tlsKey) } }),
    ...(insecure === true ? { isInsecure: true } : {}),
    ...(page === undefined ? {} : { page }),
    onProblem: (problem) =>
      void stderr.write(
        `retinue: ${toPrintable(redact(problem instanceof Error ? problem.message : String(problem)), "line")}\n`,
      ),
  };
};

/** The usual port, so that a link stays good; where it is taken and nobody asked for it, any. */
const start = async (options: Omit<OpenServerOptions, "port">, asked: string | undefined): Promise<OpenServer> => {
  const { openServer } = await import("../serve/open-server.ts");
  const port = toPort(asked);
  try {
    return await openServer({ ...options, port: port ?? USUAL_PORT });
  } catch (thrown) {
    if (port !== undefined || !(thrown instanceof RetinueError) || thrown.code !== "server_port") throw thrown;
    return openServer({ ...options, port: 0 });
  }
};

const toPort = (asked: string | undefined): number | undefined => {
  if (asked === undefined) return undefined;
  const port = Number(asked);
  if (!/^\d{1,5}$/.test(asked) || port > 65_535) throw new RetinueError("usage", `--port ${asked} is no port.`);
  return port;
};

const announce = async (
  server: OpenServer,
  { open, json }: ServeOptions,
  { stdout, stderr, redact }: Surroundings,
): Promise<void> => {
  const { url, link, token, host, port } = server;
  if (json === true) await stdout.write(`${toJsonLine({ url, link, token, host, port, pid: process.pid }, redact)}\n`);
  else {
    await stdout.write(`Retinue is at ${link}\n`);
    await stderr.write("The link holds the key to this server: keep it to yourself. Ctrl-C stops it.\n");
  }
  await stdout.flush();
  if (open === true) openBrowser(link);
};

/** Where there is no desktop, nothing happens. */
const openBrowser = (link: string): void => {
  const [file = "", ...args] =
    process.platform === "darwin" ? ["open", link] : process.platform === "win32" ? ["explorer", link] : ["xdg-open", link];
  const child = spawn(file, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

const read = async (file: string): Promise<Buffer> =>
  readFile(file).catch((cause: unknown) => {
    throw new RetinueError("usage", `${file} cannot be read.`, { hint: "Name a file that you may read.", cause });
  });

const LEAST_PASSWORD = 12;

const readPassword = async (file: string): Promise<string> => {
  const password = (await read(file)).toString().replace(/\r?\n$/, "");
  if (password.length < LEAST_PASSWORD)
    throw new RetinueError("usage", `The password in ${file} is shorter than ${LEAST_PASSWORD} characters.`);
  return password;
};

/** The page that came with the package, or that was built in the checkout. */
const findPage = (): string | undefined =>
  ["../../web", "../../../web/dist"]
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .find((folder) => existsSync(path.join(folder, "index.html")));
