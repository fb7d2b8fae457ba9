/**
 * The race of SAFETY A8: while files are written below a folder, another process keeps exchanging that folder with a link that leads out
 * of the workspace. The judge is the folder outside, looked at afterwards.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeInside } from "../files/write-inside.ts";

export type RaceOptions = {
  readonly writes: number;
  /** Writes a file below the root; throws when it refuses. The tool's own way by default. */
  readonly write?: (root: string, file: string, content: string) => Promise<unknown>;
};

export type RaceResult = {
  readonly written: number;
  readonly refused: number;
  /** Names that came to be outside. */
  readonly outside: number;
  /** How the attacker swapped: both names at once by the kernel, or one after the other. */
  readonly attacker: "exchange" | "renames";
};

export const runWriteRace = async ({ writes, write = writeSafely }: RaceOptions): Promise<RaceResult> => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-race-")));
  const root = path.join(base, "workspace");
  const outside = path.join(base, "outside");
  await mkdir(path.join(root, "target"), { recursive: true });
  await mkdir(outside);
  await symlink(outside, path.join(root, "link"));
  const attack = await startAttacker(root);
  let written = 0;
  let refused = 0;
  try {
    for (let number = 0; number < writes; number += 1)
      try {
        await write(root, `target/f${number % 100}`, `content ${number}`);
        written += 1;
      } catch {
        refused += 1;
      }
  } finally {
    await attack.stop();
  }
  const escaped = await readdir(outside);
  await rm(base, { recursive: true, force: true });
  return { written, refused, outside: escaped.length, attacker: attack.kind };
};

const writeSafely = (root: string, file: string, content: string): Promise<unknown> => writeInside({ root, file, content });

type Attacker = { readonly kind: RaceResult["attacker"]; readonly stop: () => Promise<void> };

/** The number of renameat2, which Node does not offer. */
const RENAMEAT2: Partial<Record<NodeJS.Architecture, number>> = { x64: 316, arm64: 276 };

const startAttacker = async (folder: string): Promise<Attacker> => {
  const number = process.platform === "linux" ? RENAMEAT2[process.arch] : undefined;
  const exchange = number === undefined ? undefined : await launch("perl", ["-e", EXCHANGE, String(number)], folder);
  if (exchange) return { kind: "exchange", stop: exchange };
  const renames = await launch(process.execPath, ["--input-type=module", "-e", RENAMES], folder);
  if (!renames) throw new Error("the attacker could not be started");
  return { kind: "renames", stop: renames };
};

/** Resolves once the program says that its first swap worked; undefined when it cannot work here. */
const launch = async (file: string, args: readonly string[], cwd: string): Promise<(() => Promise<void>) | undefined> => {
  const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "close").catch(() => undefined);
  const works = await Promise.race([once(child.stdout, "data").then(() => true), ended.then(() => false)]);
  if (!works) return undefined;
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
};

const EXCHANGE = `
$| = 1; my $n = $ARGV[0] + 0; my $here = -100;
my ($a, $b) = ("target", "link");
exit 1 if syscall($n, $here, $a, $here, $b, 2) != 0;
print "ready\\n";
syscall($n, $here, $a, $here, $b, 2) while 1;
`;

/** Leaves moments in which the name is missing; what is made in them is cleared away. */
const RENAMES = `
import { renameSync, rmSync } from "node:fs";
const move = (from, to) => { try { renameSync(from, to); } catch { try { rmSync(to, { recursive: true, force: true }); renameSync(from, to); } catch {} } };
let said = false;
for (;;) {
  move("target", "folder"); move("link", "target");
  if (!said) { process.stdout.write("ready\\n"); said = true; }
  move("target", "link"); move("folder", "target");
}
`;
