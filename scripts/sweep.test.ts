/** The command itself, as somebody at a terminal has it. */
import { spawn } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

test.each(["SIGINT", "SIGTERM"] as const)(
  "a sweep that is ended by %s tells what it came to until then, and ends by it",
  async (signal) => {
    const sweep = spawn(process.execPath, [path.join(import.meta.dirname, "sweep.ts"), "--only", "process", "--full"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    sweep.stdout.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
    sweep.stderr.setEncoding("utf8").once("data", () => sweep.kill(signal));
    const endedBy = await new Promise((resolve) => sweep.once("close", (_, by) => resolve(by)));
    expect(said).toMatch(/0 sweeps, 0 findings, interrupted after \d+ s \(full form\)/);
    expect(endedBy).toBe(signal);
  },
);
