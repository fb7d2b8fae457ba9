/**
 * A copy of the work tree that tests run in, so that the tree itself is never changed. Installed packages are linked; those of this workspace
 * are linked to the copy, so that a change of one reaches all the others.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export type TreeCopy = { readonly root: string; readonly remove: () => void };

const COPIED = ["packages", "scripts", "bench", "docs", "examples", "package.json", "tsconfig.json", "vitest.config.ts"];
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", "dist"]);

export const copyTree = (from: string): TreeCopy => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-mutate-")));
  for (const name of COPIED)
    if (existsSync(path.join(from, name)))
      cpSync(path.join(from, name), path.join(root, name), {
        recursive: true,
        filter: (source) => !LEFT_OUT.has(path.basename(source)),
      });
  linkInstalled({ from, root, folder: "node_modules" });
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
};

type Folder = { readonly from: string; readonly root: string; readonly folder: string };

const linkInstalled = ({ from, root, folder }: Folder): void => {
  mkdirSync(path.join(root, folder));
  for (const name of readdirSync(path.join(from, folder))) {
    // Caches of the test runner: a run in the copy makes its own.
    if (name.startsWith(".v") || name === ".cache") continue;
    const entry = path.join(folder, name);
    if (name.startsWith("@")) linkInstalled({ from, root, folder: entry });
    else symlinkSync(inCopy(realpathSync(path.join(from, entry)), from, root), path.join(root, entry), "junction");
  }
};

/** What belongs to the workspace is found in the copy, everything else where it is installed. */
const inCopy = (target: string, from: string, root: string): string => {
  const packages = path.join(realpathSync(from), "packages");
  return target.startsWith(packages + path.sep) ? path.join(root, "packages", path.relative(packages, target)) : target;
};
