/**
 * Keeps compiled code for the next start, which halves it. In the user's own folder, never in the shared temporary one,
 * where somebody else could put code for us to run. Without a folder to write to, nothing is kept.
 */
import { mkdirSync } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { homedir } from "node:os";
import path from "node:path";

export const keepCompiledCode = () => {
  // Somebody chose a folder by NODE_COMPILE_CACHE.
  if (getCompileCacheDir() !== undefined) return;
  const { RETINUE_HOME, HOME, USERPROFILE } = process.env;
  const home = RETINUE_HOME?.trim() || path.join(HOME || USERPROFILE || homedir(), ".retinue");
  try {
    const folder = path.resolve(home, "cache", "compiled");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // A slower start is no failure.
  }
};
