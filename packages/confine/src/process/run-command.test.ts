import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCommand } from "./run-command.ts";

const command = (script: string, timeoutMs = 60_000) => ({
  file: "/bin/sh",
  args: ["-c", script],
  cwd: "/",
  env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  timeoutMs,
  signal: new AbortController().signal,
});

const isAlive = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  return stat !== undefined && !/\) [ZX] /.test(stat);
};

describe("runCommand", () => {
  it("tells how a program ended", async () => {
    const onOutput = (): void => undefined;
    expect(await runCommand({ ...command("exit 7"), onOutput })).toEqual({
      type: "exited",
      exitCode: 7,
      signal: null,
      leftBehind: 0,
    });
    expect(await runCommand({ ...command("sleep 60", 50), onOutput })).toEqual({ type: "timeout" });
  });

  it("hands on everything that was printed, also what is printed last", async () => {
    let bytes = 0;
    await runCommand({ ...command("head -c 3000000 /dev/zero; printf end >&2"), onOutput: (chunk) => (bytes += chunk.length) });
    expect(bytes).toBe(3_000_003);
  });

  it("does not wait for what cleared its environment, left the group and holds the pipes", async () => {
    let output = "";
    const end = await runCommand({
      ...command("env -i setsid /bin/sh -c 'echo $$; exec sleep 1000' & sleep 0.3"),
      onOutput: (chunk) => (output += chunk.toString()),
    });
    expect(end).toMatchObject({ type: "exited", exitCode: 0 });
    // The one case that only a PID namespace would hold; it is ended here by hand.
    const escaped = Number(output.trim());
    expect(await isAlive(escaped)).toBe(true);
    process.kill(escaped, "SIGKILL");
  });

  it("leaves nothing running when the whole process exits in between", async () => {
    const script = `
      const { runCommand } = await import(process.argv[1]);
      void runCommand({ file: "/bin/sh", args: ["-c", "echo $$; sleep 1000"], cwd: "/", env: {}, timeoutMs: 60000,
        signal: new AbortController().signal, onOutput: (chunk) => { process.stdout.write(chunk); setImmediate(() => process.exit(0)); } });
      setTimeout(() => undefined, 60000);`;
    const file = fileURLToPath(new URL("run-command.ts", import.meta.url));
    const host = spawn(process.execPath, ["--input-type=module", "-e", script, file], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    host.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await once(host, "close");
    expect(Number(output)).toBeGreaterThan(1);
    await expect.poll(() => isAlive(Number(output))).toBe(false);
  });
});
