/** Types the command lines of the README one after the other in a project of its own, where an older Node is the one on PATH if the machine has any. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { isNewEnough } from "../../packages/retinue/bin/is-new-enough.mjs";
import { startMockServer } from "../../packages/model/src/testing/mock-server.ts";
import { toHermeticEnvironment } from "../hermetic-environment.ts";
import { type Trial, TRIALS } from "./command-lines.ts";

export type TryOptions = {
  readonly root: string;
  /** The script that `retinue` stands for. */
  readonly retinue: string;
  readonly report: (text: string) => void;
};

const FILES: Readonly<Record<string, string>> = {
  "project/src/price.ts": "export const parsePrice = (text: string): number => Number(text);\n",
  "project/src/cart.ts":
    'import { parsePrice } from "./price.ts";\n\nexport const total = (prices: string[]): number => prices.map(parsePrice).length;\n',
  "project/tests/login.yaml":
    "title: The login is there\ntags: [smoke]\nsteps:\n  - action: Navigate to ${baseUrl}/login\n    expected: { check: url, contains: /login }\n",
  "home/empty": "",
};

/** A real one, if PATH has any. */
const findOlderNode = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, "node"))
    .find((file) => existsSync(file) && !isNewEnough(execFileSync(file, ["--version"], { encoding: "utf8" }).trim().slice(1)));

const writeProgram = (file: string, line: string): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
};

const prepare = (
  scratch: string,
  { root, retinue, report }: TryOptions,
): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(scratch, name)), { recursive: true });
    writeFileSync(path.join(scratch, name), text);
  }
  const cwd = path.join(scratch, "project");
  for (const name of ["examples/test-cases", "examples/shop-app"])
    cpSync(path.join(root, name), path.join(cwd, name), { recursive: true });
  const older = findOlderNode();
  writeProgram(path.join(scratch, "bin/node"), `'${older ?? process.execPath}'`);
  writeProgram(path.join(scratch, "bin/retinue"), `node '${retinue}'`);
  report(`the Node on PATH is ${older ?? `${process.execPath}: this machine has no older one`}`);
  const PATH = `${path.join(scratch, "bin")}:/usr/local/bin:/usr/bin:/bin`;
  const env = {
    ...toHermeticEnvironment({}, path.join(scratch, "home")),
    PATH,
    XDG_CACHE_HOME: path.join(root, "node_modules/.cache"),
  };
  const git = (...words: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...words], { cwd, stdio: "ignore" });
  git("init");
  git("add", "-A");
  git("commit", "-m", "first");
  return { cwd, env };
};

type Typed = { readonly code: number | null; readonly output: string };

type Place = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

const TYPING_MS = 300_000;

const type = (line: string, { cwd, env }: Place): Promise<Typed> =>
  new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: TYPING_MS });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });

/** The run is killed while its model thinks; then the line is typed, and the model answers. */
const typeAfterKill = async (line: string, place: Place): Promise<Typed> => {
  const asked = Promise.withResolvers<void>();
  let isKilled = false;
  const server = await startMockServer({
    reply: () => {
      asked.resolve();
      return isKilled ? { text: "It is migrated." } : { text: "It", fault: { type: "stall-before-headers" } };
    },
  });
  const env = { ...place.env, RETINUE_MODEL: "local/any", RETINUE_PROVIDERS__LOCAL__BASE_URL: server.baseUrl };
  try {
    const words = ["-c", 'retinue run --approve all "migrate the database"'];
    const child = spawn("/bin/sh", words, { cwd: place.cwd, env, stdio: "ignore", detached: true });
    await asked.promise;
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await once(child, "close");
    isKilled = true;
    return await type(line, { ...place, env });
  } finally {
    await server.close();
  }
};

/** What is wrong with how it ended; undefined where all is as it should be. */
const judge = ({ codes = [0], says, saysNot }: Trial, typed: Typed): string | undefined => {
  if (typed.code === null || !codes.includes(typed.code)) return `ended with ${typed.code}, not with ${codes.join(" or ")}`;
  if (says !== undefined && !typed.output.includes(says)) return `does not say ${JSON.stringify(says)}`;
  if (saysNot !== undefined && typed.output.includes(saysNot)) return `says ${JSON.stringify(saysNot)}`;
  return /\[internal\]|^\s+at .*:\d+:\d+\)?$/m.test(typed.output) ? "tells of a fault of its own" : undefined;
};

/** Gives a text for each line that did not do what it should. */
export const tryCommandLines = async (options: TryOptions): Promise<readonly string[]> => {
  const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-readme-")));
  const problems: string[] = [];
  const place = prepare(scratch, options);
  // What the case that `retinue test init` writes expects of the reader's own application.
  const app = createServer(
    (_, answer) => void answer.setHeader("content-type", "text/html").end("<title>Welcome</title><h1>Welcome</h1>"),
  );
  try {
    await once(app.listen(0, "127.0.0.1"), "listening");
    const { port } = app.address() as AddressInfo; // A TCP server's address is never a string.
    const url = `http://127.0.0.1:${port}`;
    writeFileSync(path.join(place.cwd, "tests/suite.yaml"), `baseUrl: { local: "${url}", staging: "${url}" }\n`);
    for (const [line, trial] of Object.entries(TRIALS)) {
      if (trial.type === "untried") continue;
      const typed = await (trial.afterKill === true ? typeAfterKill(line, place) : type(line, place));
      const wrong = judge(trial, typed);
      options.report(`${wrong === undefined ? "ok     " : "FAILED "} ${line}`);
      if (wrong !== undefined) problems.push(`${line}: ${wrong}:\n${typed.output}`);
    }
    return problems;
  } finally {
    app.close();
    // Git runs as whoever was asked; what it left is taken away by force.
    spawnSync("chmod", ["-R", "u+w", scratch]);
    rmSync(scratch, { recursive: true, force: true });
  }
};
