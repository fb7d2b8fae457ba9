/** A real PostgreSQL for tests of queries, with a password that must be seen nowhere. */
import { startPostgres } from "@retinue/store/testing/postgres";
import { Client } from "pg";

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

export const startQueriedPostgres = async (): Promise<PostgresServer> => {
  const { url, stop } = await startPostgres({ password: PASSWORD });
  return {
    url,
    password: PASSWORD,
    urlFor: (user) => url.replace("//postgres:", `//${user}:`),
    run: async (sql) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        const result = await client.query<Record<string, unknown>>(sql);
        return result.rows;
      } finally {
        await client.end();
      }
    },
    [Symbol.asyncDispose]: stop,
  };
};
