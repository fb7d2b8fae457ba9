/** What the command starts for its user (apps of test suites, hooks, commands, servers of tools) finds the Node that runs the command, not an older one. */

/**
 * Puts the folder of the running Node first on PATH, unless `node` on PATH is that one already.
 * @param {NodeJS.ProcessEnv} env is changed
 * @param {string} node the path of the running Node
 */
export const putOwnNodeFirst = (env, node) => {
  // Taken as objects, which load nothing besides; imports would.
  const { accessSync, constants, realpathSync } = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  /** @param {string} file */
  const isProgram = (file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const found = folders.map((folder) => path.join(folder, path.basename(node))).find(isProgram);
  if (found !== undefined && realpathSync(found) === realpathSync(node)) return;
  env["PATH"] = [path.dirname(node), ...folders].join(path.delimiter);
};
