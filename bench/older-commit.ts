/**
 * An older commit of this repository in a temporary folder, ready to be measured: its own packages, the dependencies that are installed here, and the
 * measuring code of today. A runner that the commit has itself is kept, since it knows the interfaces of its time.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export type OlderCommit = { readonly bench: string; readonly remove: () => void };

const HERE = import.meta.dirname;
const ROOT = path.dirname(HERE);
/** They measure and answer; nothing in them depends on the commit. */
const MEASURING = ["measure.ts", "mock.ts"] as const;
const RUNNERS = ["retinue.ts", "sub-agents.ts", "lead-engine.ts"] as const;

export const checkOutCommit = (commit: string): OlderCommit => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-bench-older-")));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const root = path.join(folder, "repository");
    // By an index of its own: no worktree is registered that a killed process would leave behind.
    const env = { ...process.env, GIT_INDEX_FILE: path.join(folder, "index") };
    execFileSync("git", ["read-tree", `${commit}^{commit}`], { cwd: ROOT, env });
    execFileSync("git", ["checkout-index", "--all", `--prefix=${root}${path.sep}`], { cwd: ROOT, env });
    linkDependencies(root);
    const bench = path.join(root, "bench");
    for (const file of MEASURING) copyFileSync(path.join(HERE, file), path.join(bench, file));
    for (const file of RUNNERS)
      if (!existsSync(path.join(bench, file))) copyFileSync(path.join(HERE, file), path.join(bench, file));
    return { bench, remove };
  } catch (error) {
    remove();
    throw error;
  }
};

/** The packages of the workspace are the commit's own; everything else is what is installed here. */
const linkDependencies = (root: string): void => {
  const installed = path.join(ROOT, "node_modules");
  const linked = path.join(root, "node_modules");
  mkdirSync(path.join(linked, "@retinue"), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== "@retinue" && name !== "retinue") symlinkSync(path.join(installed, name), path.join(linked, name));
  for (const name of readdirSync(path.join(root, "packages")))
    symlinkSync(path.join(root, "packages", name), path.join(linked, name === "retinue" ? name : path.join("@retinue", name)));
  symlinkSync(path.join(HERE, "node_modules"), path.join(root, "bench", "node_modules"));
};
