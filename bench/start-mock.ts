/** Starts the mock model server in a process of its own, so that its work is nobody's CPU time but its own. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import path from "node:path";

export type Mock = { readonly url: string; readonly process: ChildProcess };

export const startMock = (): Promise<Mock> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, "mock.ts")], { stdio: ["ignore", "pipe", "inherit"] });
    child.once("error", reject);
    child.stdout.once("data", (data: Buffer) => resolve({ url: `http://127.0.0.1:${data.toString().trim()}`, process: child }));
  });
