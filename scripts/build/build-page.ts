/** Builds the page into `packages/web/dist`, once for the sources as they are: whoever comes later finds it there. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What the page is made from. */
const SOURCES = [
  "packages/web/{index.html,vite.config.ts,package.json}",
  "packages/web/{src,public}/**/*.{ts,tsx,css,svg}",
  "packages/{client,protocol}/src/**/*.ts",
  "package-lock.json",
];

const isOfTests = (file: string): boolean => file.includes(".test.") || file.split(path.sep).includes("testing");

const fingerprint = (root: string): string => {
  const hash = createHash("sha256");
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((one) => !isOfTests(one))
    .toSorted())
    hash.update(`${file}\0`).update(readFileSync(path.join(root, file)));
  return hash.digest("hex");
};

const isStamped = (stamp: string, wanted: string): boolean => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;

const STALE_MS = 60_000;

/** Several processes may want it at once; one builds, the others wait. */
const alone = async (lock: string, isDone: () => boolean, work: () => Promise<void>): Promise<void> => {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (isDone()) return;
      if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > STALE_MS) rmSync(lock, { recursive: true, force: true });
      await sleep(100);
    }
  }
  try {
    if (!isDone()) await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
};

export type BuiltPage = {
  readonly folder: string;
  /** The files that it is made of, ours and those of others. */
  readonly modules: readonly string[];
};

const placesOf = (root: string): { readonly folder: string; readonly stamp: string } => ({
  folder: path.join(root, "packages/web/dist"),
  stamp: path.join(root, "packages/web/node_modules/.cache/page"),
});

export const isPageBuilt = (root: string, wanted = fingerprint(root)): boolean => {
  const { folder, stamp } = placesOf(root);
  return isStamped(stamp, wanted) && existsSync(path.join(folder, "index.html"));
};

export const buildPage = async (root: string): Promise<BuiltPage> => {
  const { folder, stamp } = placesOf(root);
  const wanted = fingerprint(root);
  const isDone = (): boolean => isPageBuilt(root, wanted);
  const toBuilt = (): BuiltPage => ({ folder, modules: JSON.parse(readFileSync(`${stamp}.modules`, "utf8")) as string[] });
  if (isDone()) return toBuilt();
  mkdirSync(path.dirname(stamp), { recursive: true });
  await alone(`${stamp}.lock`, isDone, async () => {
    const { build } = await import("vite");
    const { NODE_ENV } = process.env;
    // A test process says "test", and React would come with its checks.
    process.env["NODE_ENV"] = "production";
    try {
      const built = await build({
        configFile: path.join(root, "packages/web/vite.config.ts"),
        root: path.join(root, "packages/web"),
        mode: "production",
        logLevel: "error",
      });
      const chunks = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
      writeFileSync(
        `${stamp}.modules`,
        JSON.stringify(chunks.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []))),
      );
    } finally {
      if (NODE_ENV === undefined) delete process.env["NODE_ENV"];
      else process.env["NODE_ENV"] = NODE_ENV;
    }
    writeFileSync(stamp, wanted);
  });
  return toBuilt();
};
