/** The same seeds on an older commit: its packages, and the clumsy model of today. */
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { checkOutCommit } from "../../bench/older-commit.ts";
import type { SeedOutcome } from "./run-seed.ts";

export const runOnCommit = async (commit: string, args: readonly string[]): Promise<readonly SeedOutcome[]> => {
  const older = checkOutCommit(commit);
  try {
    const there = path.join(path.dirname(older.bench), "scripts", "clumsy");
    cpSync(import.meta.dirname, there, { recursive: true });
    const kept = args.filter((arg, at) => arg !== "--against" && args[at - 1] !== "--against" && arg !== "--show");
    return JSON.parse(await readOutput(path.join(there, "clumsy.ts"), [...kept, "--json"])) as readonly SeedOutcome[];
  } finally {
    older.remove();
  }
};

const readOutput = (file: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(Buffer.concat(chunks).toString()) : reject(new Error(`${file} ended with ${code}.`)),
    );
  });
