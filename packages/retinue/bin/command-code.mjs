/**
 * Where the code of the command lies in a checkout: in the bundle that `npm start` or `npm test` made of the sources, if every file that went
 * into it is as it was, else in the sources themselves. No code is ever run that is older than its source. Plain JavaScript, and quick: it is
 * a part of every start. As git does, it trusts a file whose times, size and number are those of the build, and reads all others.
 */

// Taken as objects, which load nothing besides; imports would.
const { existsSync, readdirSync, readFileSync, statSync } = process.getBuiltinModule("node:fs");
const path = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");

/**
 * What a bundle was made of. `files` by their path from the root; `folders` with the names that lay in them.
 * @typedef {{ size: number, mtimeMs: number, ctimeMs: number, ino: number, hash: string }} SourceFile
 * @typedef {{ folder: string, builtAt: number, files: Record<string, SourceFile>, folders: Record<string, string[]> }} Build
 */

/** A file that changed so shortly before the build may have changed once more within one tick of the file system's clock. */
const TICK_MS = 2_000;

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** @param {string} root */
export const buildsFolder = (root) => path.join(root, "node_modules", ".cache", "retinue-command");

/**
 * @param {string} text
 * @returns {string}
 */
export const hashText = (text) => process.getBuiltinModule("node:crypto").hash("sha256", text, "base64");

/**
 * @param {string} root
 * @returns {Build | undefined}
 */
export const readBuild = (root) => {
  try {
    return JSON.parse(readFileSync(path.join(buildsFolder(root), "build.json"), "utf8"));
  } catch {
    return undefined;
  }
};

/**
 * How the sources stand to the bundle: `stamped` where all files are known by their times, `same` where some had to be read, `stale` where one
 * is not what it was.
 * @param {string} root
 * @param {Build | undefined} build
 * @returns {"stamped" | "same" | "stale"}
 */
export const compareBuild = (root, build) => {
  if (build === undefined) return "stale";
  let isStamped = true;
  try {
    for (const [file, known] of Object.entries(build.files)) {
      const place = `${root}/${file}`;
      const found = statSync(place);
      if (found.size !== known.size) return "stale";
      if (
        found.mtimeMs === known.mtimeMs &&
        found.ctimeMs === known.ctimeMs &&
        found.ino === known.ino &&
        Math.max(found.mtimeMs, found.ctimeMs) < build.builtAt - TICK_MS
      )
        continue;
      isStamped = false;
      if (hashText(readFileSync(place, "utf8")) !== known.hash) return "stale";
    }
    for (const [folder, names] of Object.entries(build.folders))
      if (readdirSync(path.join(root, folder)).toSorted().join("\n") !== names.join("\n")) return "stale";
  } catch {
    // A file is gone.
    return "stale";
  }
  return isStamped ? "stamped" : "same";
};

/** The URL of the module to import. */
export const findCommandCode = (root = ROOT) => {
  const build = process.env["RETINUE_SOURCES"] === "1" ? undefined : readBuild(root);
  if (build !== undefined && compareBuild(root, build) !== "stale") {
    const main = path.join(buildsFolder(root), build.folder, "lib", "retinue", "main.js");
    if (existsSync(main)) return pathToFileURL(main).href;
  }
  return pathToFileURL(path.join(root, "packages", "retinue", "src", "cli", "main.ts")).href;
};
