/** Both programs that open ports inside a sandbox do so, and leave nothing of it to the command. */
import type { Server } from "node:net";
import { describe, expect, test } from "vitest";
import { createResourceLimits } from "../process/resource-limits.ts";
import { runCommand } from "../process/run-command.ts";
import { probeSandbox } from "../sandbox/probe-sandbox.ts";
import { toSandboxedCommand } from "../sandbox/sandboxed-command.ts";
import { createTestWorkspace } from "../testing/tool-context.ts";
import type { PortOpener } from "./listen-inside.ts";
import { findPortOpener, toListening } from "./listen-inside.ts";

const machine = await probeSandbox();
const OPENERS: readonly PortOpener[] = [{ type: "node" }, findPortOpener()];

describe.each(OPENERS)("ports opened by $type", (portOpener) => {
  const listenIn = async (ports: readonly number[], script: string) => {
    if (machine.backend === "none") throw new Error("this is for a sandbox");
    await using workspace = await createTestWorkspace();
    const folder = workspace.workspace;
    const servers: Server[] = [];
    const command = await toSandboxedCommand({
      sandbox: machine,
      limits: createResourceLimits(),
      file: "/bin/bash",
      args: ["-c", script],
      profile: {
        folder,
        emptied: [],
        readable: [folder],
        writable: [],
        readOnly: [],
        hidden: [],
        network: true,
        temporaryBytes: 1_000_000,
      },
      portOpener,
      network: {
        ports,
        onServer: (port, server) => {
          servers.push(server);
          server.on("connection", (socket) => socket.on("error", () => undefined).end(`from outside by ${port}\n`));
        },
      },
      expected: [],
    });
    let output = "";
    const end = await runCommand({
      ...command,
      cwd: folder,
      env: { PATH: "/usr/bin:/bin", NODE_OPTIONS: "--nonsense" },
      timeoutMs: 50_000,
      signal: new AbortController().signal,
      onOutput: (chunk) => (output += chunk.toString("utf8")),
    }).finally(command.end);
    for (const server of servers) server.close();
    return { end, output, started: command.hasStarted(), servers: servers.length };
  };

  test("are answered out here, and neither a channel nor its variables are left inside", async () => {
    // Without a sandbox there is nothing to run; what would be run is still one program for one shell.
    if (machine.backend === "none") {
      expect(toListening(portOpener, { channel: 6, node: 7 }, [1])).toContain("exit 125");
      return;
    }
    const dial = (port: number): string => `cat < /dev/tcp/127.0.0.1/${port}; `;
    const { output, end } = await listenIn(
      [29128, 5432],
      `${dial(5432)}${dial(29128)}${dial(5432)}env | grep -c NODE_CHANNEL; ls /proc/self/fd`,
    );
    expect(output).toBe("from outside by 5432\nfrom outside by 29128\nfrom outside by 5432\n0\n0\n1\n2\n3\n");
    expect(end).toMatchObject({ type: "exited", exitCode: 0 });
  });

  test("that cannot be opened end the command before it begins", async () => {
    if (machine.backend === "none") {
      expect(toListening(portOpener, { channel: 6, node: 7 }, [1])).toContain("exit 125");
      return;
    }
    const { output, end, started } = await listenIn([80], "echo ran");
    expect(output).toContain("port 80 cannot be opened");
    expect(output).not.toContain("ran");
    expect(end).toMatchObject({ exitCode: 125 });
    expect(started).toBe(false);
  });
});
