/** What a command cannot reach of the machine it runs on. Where there is no sandbox, a limited command is refused, and that is asserted. */
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:net";
import { RetinueError } from "@retinue/protocol";
import { describe, expect } from "vitest";
import { runConfinedShell } from "../testing/confined-shell.ts";
import { inSandbox } from "../testing/in-sandbox.ts";

const listen = async (at: string | number): Promise<Server & AsyncDisposable> => {
  const server = createServer((socket) => socket.on("error", () => undefined).end("reached"));
  await once(typeof at === "string" ? server.listen(at) : server.listen(at, "127.0.0.1"), "listening");
  return Object.assign(server, { [Symbol.asyncDispose]: async () => void server.close() });
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const dialTcp = (port: number, host = "127.0.0.1"): string =>
  `(exec 3<>/dev/tcp/${host}/${port} && cat <&3) 2>/dev/null || echo refused`;

const dialUnix = (address: string): string =>
  `perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; print connect($s, pack_sockaddr_un("${address}")) ? "reached" : "refused"'`;

describe("a command that may reach every host", () => {
  inSandbox("K2: does not reach the loopback of the machine", async ({ workspace }) => {
    await using server = await listen(0);
    expect((await runConfinedShell(dialTcp(portOf(server)), { workspace })).output).toBe("refused\n");
  });

  inSandbox("B19: does not reach an abstract socket of the machine", async ({ workspace }) => {
    const name = `retinue-network-${process.pid}`;
    await using server = await listen(`\0${name}`);
    expect(server.listening).toBe(true);
    expect((await runConfinedShell(dialUnix(`\\0${name}`), { workspace, openings: { unixSockets: true } })).output).toBe(
      "refused",
    );
  });

  inSandbox("B19: does not reach a socket that lies in the workspace", async ({ workspace, at }) => {
    await using server = await listen(at("db.sock"));
    expect(server.listening).toBe(true);
    expect((await runConfinedShell(dialUnix("db.sock"), { workspace, openings: { unixSockets: true } })).output).toBe("refused");
    expect((await runConfinedShell("ls; cat a.txt", { workspace })).output).toContain("db.sock");
  });

  inSandbox("B19: does not reach a socket in a folder that can be entered and not listed", async ({ workspace, at }) => {
    await runConfinedShell("mkdir shut", { workspace });
    await using server = await listen(at("shut/db.sock"));
    expect(server.listening).toBe(true);
    await chmod(at("shut"), 0o111);
    try {
      const outcome = await runConfinedShell(dialUnix("shut/db.sock"), { workspace, openings: { unixSockets: true } }).then(
        ({ output }) => output,
        (thrown: unknown) => (thrown instanceof RetinueError ? thrown.code : thrown),
      );
      // Root finds it all the same; others cannot look, and nothing is run.
      expect(outcome).toBe(process.getuid?.() === 0 ? "refused" : "tool_failed");
    } finally {
      await chmod(at("shut"), 0o755);
    }
  });

  inSandbox("runs a server and its client in one command line", async ({ workspace }) => {
    const server = `require("node:http").createServer((_, answer) => answer.end("served")).listen(8123, "127.0.0.1", () => console.log("up"))`;
    const command = `node -e '${server}' > log & until grep -q up log; do sleep 0.05; done; curl -sS http://localhost:8123/; kill %1`;
    expect((await runConfinedShell(command, { workspace })).output).toContain("served");
  });

  inSandbox("makes sockets of its own where the user allows Unix sockets", async ({ workspace }) => {
    const script =
      'use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Local => "own.sock", Listen => 1) or die; ' +
      'print IO::Socket::UNIX->new(Peer => "own.sock") ? "own" : "none"';
    expect((await runConfinedShell(`perl -e '${script}'`, { workspace, openings: { unixSockets: true } })).output).toBe("own");
  });
});
