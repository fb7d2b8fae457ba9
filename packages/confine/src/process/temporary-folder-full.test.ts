/** A temporary folder that is full, or is not there, is told as that: everything else that would be said leads astray. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { requireRoom } from "./temporary-folder.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const makeFolder = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "retinue-full-"));
  folders.push(folder);
  return folder;
};

const canMount = (): boolean => {
  try {
    execFileSync("unshare", ["--mount", "sh", "-c", "mount -t tmpfs tmpfs /mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const MODULE = new URL("temporary-folder.ts", import.meta.url).pathname;
const ASK = `import { createTemporaryFolder } from ${JSON.stringify(MODULE)};
try { createTemporaryFolder("probe"); console.log("made"); } catch (error) { console.log(error.code + ": " + error.message); }`;

/** What a process says whose temporary folder this is, after a shell command. */
const ask = async (folder: string, before: string): Promise<string> => {
  const script = path.join(makeFolder(), "ask.mts");
  writeFileSync(script, ASK);
  const words = canMount() ? ["unshare", "--mount", "sh", "-c"] : ["sh", "-c"];
  const [program = "sh", ...args] = words;
  const line = `${before} TMPDIR='${folder}' '${process.execPath}' --disable-warning=ExperimentalWarning '${script}'`;
  return (await promisify(execFile)(program, [...args, line])).stdout.trim();
};

describe("a temporary folder", () => {
  test("that is not there is named, with what to do", async () => {
    const folder = path.join(makeFolder(), "gone");
    expect(await ask(folder, "")).toMatch(/^temporary_folder_unusable: The temporary folder .*gone cannot be used \(ENOENT\)\.$/);
  });

  test("without room is told as full", () => {
    expect(() => requireRoom("/tmp", 0)).toThrow(
      expect.objectContaining({ code: "temporary_folder_unusable", message: "The temporary folder /tmp is full." }),
    );
    expect(() => requireRoom("/tmp", 1_000_000)).not.toThrow();
  });

  // Where nothing can be mounted, the test above says the same of the figure that the file system gives.
  test.each([
    ["bytes", "size=64k", "head -c 65536 /dev/zero > '$DISK/x';"],
    ["files", "nr_inodes=2", "touch '$DISK/x' 2>/dev/null;"],
  ])("on a disk that has no %s left is told as full", async (_, option, fill) => {
    const disk = makeFolder();
    if (!canMount()) return expect(() => requireRoom(disk, 0)).toThrow("is full");
    const said = await ask(disk, `mount -t tmpfs -o ${option} tmpfs '${disk}' && ${fill.replace("$DISK", disk)}`);
    expect(said).toBe(`temporary_folder_unusable: The temporary folder ${disk} is full.`);
  });
});
