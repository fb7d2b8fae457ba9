/**
 * Keeps compiled code for the next start, which halves it. In the user's own folder, never in the shared temporary one,
 * where somebody else could put code for us to run. Without a folder to write to, nothing is kept.
 */

export const keepCompiledCode = () => {
  // Taken as objects, which load nothing besides; imports would.
  const { mkdirSync } = process.getBuiltinModule("node:fs");
  const { enableCompileCache, getCompileCacheDir } = process.getBuiltinModule("node:module");
  const path = process.getBuiltinModule("node:path");
  // Somebody chose a folder by NODE_COMPILE_CACHE.
  if (getCompileCacheDir() !== undefined) return;
  const { RETINUE_HOME, HOME, USERPROFILE } = process.env;
  const home =
    RETINUE_HOME?.trim() || path.join(HOME || USERPROFILE || process.getBuiltinModule("node:os").homedir(), ".retinue");
  try {
    const folder = path.resolve(home, "cache", "compiled");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // A slower start is no failure.
  }
};
