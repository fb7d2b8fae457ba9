/** Runs a short program to its end and gives what it wrote, as bytes. */
import { spawn } from "node:child_process";
import { RetinueError } from "@retinue/protocol";

export type ProgramRun = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

const RUN_MS = 20_000;
const MOST_BYTES = 64_000_000;

export const runProgram = ({ program, args, env, input, signal }: ProgramRun): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      env,
      stdio: ["pipe", "pipe", "pipe"],
      timeout: RUN_MS,
      ...(signal ? { signal } : {}),
    });
    const out: Buffer[] = [];
    let bytes = 0;
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) child.kill();
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString("utf8")).slice(0, 2000);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) return resolve(Buffer.concat(out));
      const why = errors.split("\n").find((line) => line.trim() !== "") ?? `it ended with ${code}`;
      return reject(new RetinueError("tool_failed", `${program.split("/").at(-1)} failed: ${why}`));
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
  });
