/**
 * Makes the bundle that the command of this checkout starts from, in a folder of its own, and says what it was made of. A start that lies
 * between finds the bundle before or the sources, never half a bundle. Bundles of before are kept for a day, for processes that still use them.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { buildsFolder, compareBuild, hashText, readBuild, type Build } from "../../packages/retinue/bin/command-code.mjs";
import { createId } from "../../packages/retinue/src/create-id.ts";
import { BUILTIN, layOutCode, SCHEMAS } from "./lay-out-code.ts";

const KEPT_MS = 24 * 60 * 60 * 1_000;

/** What decides where modules are found and how they are bundled; no module of the bundle. */
const MANIFESTS = ["package.json", "package-lock.json"];
const BUNDLER = ["build-command.ts", "bundle-code.ts", "lay-out-code.ts", "published-manifest.ts"].map(
  (name) => `scripts/build/${name}`,
);

export const buildCommand = async (root: string): Promise<"built" | "stamped" | "as it was"> => {
  const before = readBuild(root);
  const state = compareBuild(root, before);
  if (state === "stamped") return "as it was";
  if (state === "same" && before !== undefined) {
    const hashes = new Map(Object.entries(before.files).map(([file, { hash }]) => [file, hash]));
    writeBuild(root, describe(root, before.folder, hashes));
    return "stamped";
  }
  const builds = buildsFolder(root);
  const name = `build_${createId()}`;
  const folder = path.join(builds, name);
  mkdirSync(folder, { recursive: true });
  try {
    const hashes = new Map<string, string>();
    const learn = (file: string, text: string): void => void hashes.set(toPath(root, file), hashText(text));
    for (const file of copiedFiles(root)) learn(path.join(root, file), readFileSync(path.join(root, file), "utf8"));
    // Virtual modules of the bundler have no file.
    await layOutCode({ root, folder, onModule: (file, text) => (path.isAbsolute(file) ? learn(file, text) : undefined) });
    // The page is built by itself and may come later.
    symlinkSync(path.join(root, "packages/web/dist"), path.join(folder, "web"), "junction");
    writeBuild(root, describe(root, name, hashes));
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true });
    throw thrown;
  }
  removeOld(builds, name, before?.folder);
  return "built";
};

const toPath = (root: string, file: string): string => path.relative(root, file).replaceAll(path.sep, "/");

const copiedFiles = (root: string): readonly string[] => [
  ...MANIFESTS,
  ...BUNDLER,
  ...readdirSync(path.join(root, "packages")).map((name) => `packages/${name}/package.json`),
  ...SCHEMAS,
  ...readdirSync(path.join(root, BUILTIN)).map((name) => `${BUILTIN}/${name}`),
];

/** Fails where a file is no longer what went into the bundle. */
const describe = (root: string, folder: string, hashes: ReadonlyMap<string, string>): Build => ({
  folder,
  files: Object.fromEntries(
    [...hashes].map(([file, hash]) => {
      const place = path.join(root, file);
      // Before it is read: a change after this is seen by the times, one before by the content.
      const { size, mtimeMs, ctimeMs, ino } = statSync(place);
      if (hashText(readFileSync(place, "utf8")) !== hash) throw new Error(`${file} changed while it was bundled`);
      return [file, { size, mtimeMs, ctimeMs, ino, hash }];
    }),
  ),
  folders: {
    [BUILTIN]: readdirSync(path.join(root, BUILTIN)).toSorted(),
    packages: readdirSync(path.join(root, "packages")).toSorted(),
  },
  builtAt: Date.now(),
});

const writeBuild = (root: string, build: Build): void => {
  const file = path.join(buildsFolder(root), "build.json");
  const written = `${file}.${createId()}`;
  writeFileSync(written, JSON.stringify(build));
  renameSync(written, file);
};

/** Counted from when it was replaced. */
const removeOld = (builds: string, current: string, replaced: string | undefined): void => {
  const now = new Date();
  for (const name of readdirSync(builds)) {
    if (!name.startsWith("build_") || name === current) continue;
    const folder = path.join(builds, name);
    if (name === replaced) utimesSync(folder, now, now);
    else if (now.getTime() - statSync(folder).mtimeMs > KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
};
