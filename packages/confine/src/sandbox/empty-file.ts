/** One empty, read-only file of this process, to be put over files that a command shall not see. It goes with the process. */
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createTemporaryFolder } from "../process/temporary-folder.ts";

let known: string | undefined;

export const createEmptyFile = (): string => {
  // Whoever clears temporary folders may have taken it away.
  if (known !== undefined && existsSync(known)) return known;
  const folder = createTemporaryFolder("sandbox");
  const file = path.join(folder, "empty");
  writeFileSync(file, "", { mode: 0o444, flag: "wx" });
  // The command may run as somebody else than we do.
  chmodSync(folder, 0o755);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return (known = file);
};
