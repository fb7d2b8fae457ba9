// @module-tag long
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildsFolder, compareBuild, findCommandCode, readBuild } from "../../packages/retinue/bin/command-code.mjs";
import { buildCommand } from "./build-command.ts";

const ROOT = path.dirname(path.dirname(import.meta.dirname));
const COPIED = ["packages", "scripts", "package.json", "package-lock.json"];
const LEFT_OUT = new Set(["node_modules", "dist", "packages/web"]);

/** A checkout of its own, with the packages of this one. */
const createCheckout = (): string => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-checkout-")));
  for (const name of COPIED)
    cpSync(path.join(ROOT, name), path.join(root, name), {
      recursive: true,
      filter: (file) =>
        !LEFT_OUT.has(path.basename(file)) && !LEFT_OUT.has(path.relative(ROOT, file)) && !file.endsWith(".test.ts"),
    });
  const modules = path.join(root, "node_modules");
  mkdirSync(path.join(modules, "@retinue"), { recursive: true });
  for (const name of readdirSync(path.join(ROOT, "node_modules")))
    if (name !== "@retinue" && name !== "retinue" && !name.startsWith("."))
      symlinkSync(path.join(ROOT, "node_modules", name), path.join(modules, name), "junction");
  for (const name of readdirSync(path.join(root, "packages")))
    symlinkSync(
      path.join(root, "packages", name),
      path.join(modules, name === "retinue" ? name : `@retinue/${name}`),
      "junction",
    );
  return root;
};

const VERSION_FILE = "packages/retinue/src/cli/version.ts";
let root: string;

const startsFrom = (): string => path.relative(root, fileURLToPath(findCommandCode(root)));

const SOURCES = path.join("packages", "retinue", "src", "cli", "main.ts");

/** What the command says, by a process that starts it as users do. */
const say = (words: readonly string[], env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, [path.join(root, "packages/retinue/bin/retinue.mjs"), ...words], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: root, RETINUE_HOME: path.join(root, "home"), ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });

beforeAll(() => {
  root = createCheckout();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a checkout starts from its sources until a bundle is made, from the bundle then, and from its sources once one of them has changed", async () => {
  expect(startsFrom()).toBe(SOURCES);
  expect(await buildCommand(root)).toBe("built");
  expect(startsFrom()).toMatch(/^node_modules[\\/]\.cache[\\/]retinue-command[\\/]build_\w+[\\/]lib[\\/]retinue[\\/]main\.js$/);
  expect(say(["--help"])).toContain("One main agent and its retinue");
  expect(say(["agents", "list", "--json"])).toContain("code-search");

  // The change is one of the same length, made at once.
  const file = path.join(root, "packages/retinue/src/cli/program.ts");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("One main agent and its retinue", "ONE main agent and its retinue"));
  expect(startsFrom()).toBe(SOURCES);
  expect(say(["--help"])).toContain("ONE main agent and its retinue");
  expect(await buildCommand(root)).toBe("built");
  expect(say(["--help"])).toContain("ONE main agent and its retinue");
  expect(startsFrom()).not.toBe(SOURCES);
});

/** Writes down every file that a process loads. */
const WATCH = `
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({ load: (url, context, next) => { appendFileSync(process.env.LOADED, url + "\\n"); return next(url, context); } });
`;

test("a plain run from the bundle loads a few files, and none of what it does not use", async () => {
  await buildCommand(root);
  const watch = path.join(root, "watch.mjs");
  const loaded = path.join(root, "loaded.txt");
  writeFileSync(watch, WATCH);
  say(["run", "--model", "offline/rules", "--json", "hello"], {
    NODE_OPTIONS: `--import=${pathToFileURL(watch).href}`,
    LOADED: loaded,
  });
  const files = readFileSync(loaded, "utf8")
    .split("\n")
    .filter((url) => url.includes("/lib/retinue/"));
  expect(files.length).toBeGreaterThan(2);
  expect(files.length).toBeLessThan(16);
  expect(files.filter((url) => /tui|browser|desktop|serve|postgres|event-schemas/.test(url))).toEqual([]);
});

test("a file that was touched or replaced by the same is read, and stands for itself after the next build", async () => {
  await buildCommand(root);
  const file = path.join(root, VERSION_FILE);
  writeFileSync(file, readFileSync(file, "utf8"));
  expect(compareBuild(root, readBuild(root))).toBe("same");
  expect(await buildCommand(root)).toBe("stamped");
  expect(startsFrom()).not.toBe(SOURCES);
});

test("times that were set back do not hide a change", async () => {
  await buildCommand(root);
  const file = path.join(root, VERSION_FILE);
  const text = readFileSync(file, "utf8");
  const long = new Date(Date.now() - 60 * 60_000);
  writeFileSync(file, text.replace("The version of this", "The VERSION of this"));
  utimesSync(file, long, long);
  expect(startsFrom()).toBe(SOURCES);
  writeFileSync(file, text);
  expect(startsFrom()).not.toBe(SOURCES);
});

test.each([
  [
    "a new agent that comes along",
    () => writeFileSync(path.join(root, "packages/agents/builtin/new.md"), "---\nname: new\n---\n"),
  ],
  ["another lock file", () => appendFileSync(path.join(root, "package-lock.json"), "\n")],
  ["a bundle that is gone", () => writeFileSync(path.join(buildsFolder(root), "build.json"), "{}")],
])("%s is not run over", async (_what, change) => {
  await buildCommand(root);
  change();
  expect(startsFrom()).toBe(SOURCES);
});
