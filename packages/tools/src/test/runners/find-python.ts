/** Which Python runs the tests of a project. */
import { access } from "node:fs/promises";
import path from "node:path";

/** The project's own Python before that of PATH. */
export const findPython = async (folder: string): Promise<string> => {
  for (const own of [".venv/bin/python", "venv/bin/python", ".venv/Scripts/python.exe", "venv/Scripts/python.exe"]) {
    const file = path.join(folder, own);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return process.platform === "win32" ? "python" : "python3";
};
