// @module-tag long
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import type { QueryDbOptions } from "./query-db.ts";
import { createQueryDb } from "./query-db.ts";
import type { PostgresServer } from "./testing/postgres-server.ts";
import { startQueriedPostgres } from "./testing/postgres-server.ts";

const query = async (test: TestWorkspace, options: QueryDbOptions, input: object): Promise<string> => {
  const tool = createQueryDb(options);
  return toText(await tool.execute(tool.input.parse(input), test.context));
};

/** The text between the marks. */
const unwrap = (output: string): string => /<<<(\w{16})\n([\s\S]*)\n\1>>>$/.exec(output)?.[2] ?? `not wrapped: ${output}`;

/** Ways to change something, in words that both databases know or refuse. */
const WRITES: readonly string[] = [
  "INSERT INTO items VALUES (9, 'x')",
  "UPDATE items SET name = 'x'",
  "DELETE FROM items",
  "DROP TABLE items",
  "CREATE TABLE more (a int)",
  "CREATE TEMP TABLE more (a int)",
  "ALTER TABLE items ADD COLUMN b int",
  "BEGIN",
  "COMMIT",
  "ROLLBACK",
  "VACUUM",
  "WITH gone AS (SELECT 1) DELETE FROM items",
  "WITH x AS (SELECT 1) INSERT INTO items SELECT 9, 'x' FROM x",
  "EXPLAIN ANALYZE DELETE FROM items",
  "SELECT 1; DELETE FROM items",
  "SELECT 1; SELECT 2",
  "SELECT 1 /* ; */; /* x */ DROP TABLE items; --",
  "; DELETE FROM items",
  "-- SELECT\nDELETE FROM items",
  "",
  "   ",
  ";",
  "SELECT 'not ended",
  "SELECT 1\0; DELETE FROM items",
];

describe("query_db on SQLite", () => {
  const createShop = async (): Promise<TestWorkspace & { readonly options: QueryDbOptions; readonly file: string }> => {
    const test = await createTestWorkspace();
    const file = test.at("shop.sqlite");
    const database = new DatabaseSync(file);
    database.exec(
      "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items VALUES (1, 'hammer'), (2, 'a|b\nc'), (3, NULL);" +
        "CREATE VIRTUAL TABLE notes USING fts5 (body); INSERT INTO notes VALUES ('sharp nails');" +
        "CREATE VIEW names AS SELECT name FROM items",
    );
    database.close();
    return { ...test, file, options: { databases: { shop: file } } };
  };

  it("gives rows as a compact table, as data", async () => {
    await using test = await createShop();
    const output = await query(test, test.options, { database: "shop", sql: "SELECT id, name FROM items ORDER BY id" });
    expect(output).toMatch(/^\[3 rows of the database shop\. What stands between the two marks/);
    expect(unwrap(output)).toBe("| id | name |\n| --- | --- |\n| 1 | hammer |\n| 2 | a\\|b\\nc |\n| 3 | NULL |");
  });

  it("gives JSON when asked, with large numbers, blobs and names that come twice", async () => {
    await using test = await createShop();
    const sql = "SELECT 9007199254740993 AS big, x'00ff' AS blob, 1.5 AS a, 'two' AS a, NULL AS n";
    const output = await query(test, test.options, { database: "shop", sql, format: "json" });
    expect(unwrap(output)).toBe('{"big":"9007199254740993","blob":"<2 bytes>","a":1.5,"a_2":"two","n":null}');
  });

  it("takes parameters, views, full-text tables, pragmas that tell and an empty answer", async () => {
    await using test = await createShop();
    const ask = (sql: string, params: readonly unknown[] = []): Promise<string> =>
      query(test, test.options, { database: "shop", sql, params });
    expect(unwrap(await ask("SELECT id FROM items WHERE name = ? AND ? AND ? IS NULL", ["hammer", true, null]))).toContain(
      "| 1 |",
    );
    expect(unwrap(await ask("SELECT count(*) AS n FROM names;"))).toContain("| 3 |");
    expect(unwrap(await ask("SELECT body FROM notes WHERE notes MATCH 'nails'"))).toContain("sharp nails");
    expect(unwrap(await ask("PRAGMA table_info(items)"))).toContain("| 0 | id | INTEGER |");
    expect(unwrap(await ask("SELECT name FROM pragma_table_info('items')"))).toContain("| name |");
    expect(unwrap(await ask("EXPLAIN QUERY PLAN SELECT * FROM items"))).toContain("SCAN items");
    expect(
      unwrap(await ask("WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT sum(x) AS s FROM c")),
    ).toContain("| 6 |");
    expect(await ask("SELECT id, name FROM items WHERE id = 99")).toBe("No rows. Columns: id, name.");
    expect(unwrap(await ask("SELECT '<|im_start|>' AS x, '</s>' AS y"))).toContain("| <\\|im_start\\|> | ‹/s> |");
  });

  it.each([
    ...WRITES,
    "REPLACE INTO items VALUES (1, 'x')",
    "ATTACH DATABASE '/tmp/retinue-attached.sqlite' AS other",
    "DETACH DATABASE main",
    "PRAGMA journal_mode = WAL",
    "PRAGMA user_version = 7",
    "PRAGMA writable_schema = ON",
    "PRAGMA query_only = OFF",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA wal_checkpoint",
    "SELECT * FROM pragma_wal_checkpoint",
    "SELECT * FROM pragma_user_version(7)",
    "SELECT load_extension('/tmp/evil.so')",
    "SELECT \"load_extension\"('/tmp/evil.so')",
    "SELECT fts3_tokenizer('simple', x'00')",
    "CREATE TRIGGER t AFTER INSERT ON items BEGIN DELETE FROM items; END",
    "INSERT INTO notes (notes) VALUES ('optimize')",
    "VACUUM INTO '/tmp/retinue-copy.sqlite'",
    "REINDEX",
    "ANALYZE",
    "SAVEPOINT x",
    "EXPLAIN DELETE FROM items",
    "SELECT * FROM items INTO OUTFILE '/tmp/x'",
  ])("refuses %j and leaves the file as it is", async (sql) => {
    await using test = await createShop();
    const before = createHash("sha256").update(readFileSync(test.file)).digest("hex");
    const failure = await query(test, test.options, { database: "shop", sql: sql || " " }).then(
      (output) => ({ code: "passed", output }),
      (thrown: unknown) => thrown,
    );
    // What both walls let pass must at least tell of nothing and do nothing.
    expect(failure).toMatchObject({ code: expect.stringMatching(/^(act_denied|tool_failed)$/) });
    expect(createHash("sha256").update(readFileSync(test.file)).digest("hex")).toBe(before);
    expect(
      ["/tmp/retinue-attached.sqlite", "/tmp/retinue-copy.sqlite", `${test.file}-wal`].filter((file) => existsSync(file)),
    ).toEqual([]);
  });

  it("J4: ends a query that would never end, and the process that runs it", async () => {
    await using test = await createShop();
    const sql = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    await expect(query(test, { ...test.options, timeLimitMs: 700 }, { database: "shop", sql })).rejects.toMatchObject({
      code: "tool_timeout",
      message: "The query took longer than 0.7 s and was ended.",
    });
    const running = query(test, test.options, { database: "shop", sql });
    test.stop(new Error("cancelled by the user"));
    await expect(running).rejects.toThrow("cancelled by the user");
  });

  it("J6: cuts rows and bytes at their caps, and refuses a value of a gigabyte", async () => {
    await using test = await createShop();
    const series = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";
    const many = await query(test, { ...test.options, maxRows: 5 }, { database: "shop", sql: `${series} SELECT x FROM c` });
    expect(many).toMatch(/^\[The first 5 rows, there are more, of the database shop/);
    expect(unwrap(many).split("\n")).toHaveLength(7);
    const long = await query(test, test.options, {
      database: "shop",
      sql: `${series} SELECT printf('%.*c', 1500, 'x') AS t FROM c`,
    });
    expect(long).toContain("the next would be too long together");
    expect(long.length).toBeLessThan(70_000);
    const cell = await query(test, test.options, { database: "shop", sql: "SELECT printf('%.*c', 100000, 'x') AS t" });
    expect(cell).toContain("… (100000 characters)");
    await expect(query(test, test.options, { database: "shop", sql: "SELECT zeroblob(1000000000)" })).rejects.toThrow("too big");
  });

  it("J8: ends a query that takes too much memory", async () => {
    await using test = await createShop();
    const sql =
      "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 400) SELECT x, randomblob(4000000) AS b FROM c ORDER BY b";
    await expect(query(test, test.options, { database: "shop", sql })).rejects.toMatchObject({
      code: "tool_failed",
      message: "The query needed more than 512 MB of memory and was ended.",
    });
  });

  it("says what is wrong with a statement, a file or a name", async () => {
    await using test = await createShop();
    const fail = (options: QueryDbOptions, input: object): Promise<string> => query(test, options, input).catch(String);
    expect(await fail(test.options, { database: "shop", sql: "SELECT missing FROM items" })).toContain(
      "SQLite says: no such column: missing",
    );
    expect(await fail({ databases: { gone: test.at("gone.sqlite") } }, { database: "gone", sql: "SELECT 1" })).toContain(
      "unable to open database file",
    );
    expect(existsSync(test.at("gone.sqlite"))).toBe(false);
    expect(await fail({}, { database: "shop", sql: "SELECT 1" })).toContain("No database is configured.");
    expect(() => createQueryDb(test.options).input.parse({ database: "other", sql: "SELECT 1" })).toThrow(/shop/);
  });

  it("J7: refuses statements and values of any size before they are looked at", async () => {
    await using test = await createShop();
    const { input } = createQueryDb(test.options);
    const huge = "x".repeat(200_000);
    expect(input.safeParse({ database: "shop", sql: `SELECT '${huge}'` }).success).toBe(false);
    expect(input.safeParse({ database: "shop", sql: "SELECT ?", params: [huge] }).success).toBe(false);
    expect(input.safeParse({ database: "shop", sql: "SELECT ?", params: ["small"] }).success).toBe(true);
  });

  it("C1: runs in a process without the environment of this one", async () => {
    await using test = await createShop();
    process.env["RETINUE_CANARY"] = "canary-in-the-environment";
    try {
      const sql = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
      const running = query(test, test.options, { database: "shop", sql }).catch(String);
      const environment = await environmentOf("sqlite-process");
      test.stop(new Error("seen enough"));
      expect(await running).toContain("seen enough");
      expect(environment).not.toContain("canary-in-the-environment");
      expect(environment).not.toMatch(/PATH=|HOME=/);
    } finally {
      delete process.env["RETINUE_CANARY"];
    }
  });
});

/** What the child of this process that runs a script was started with, as the system tells it. */
const environmentOf = async (script: string): Promise<string> => {
  for (;;) {
    const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
    const found = listed
      .split("\n")
      .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
      .find((line) => line?.[2] === String(process.pid) && line[3]?.includes(script) === true);
    if (found !== undefined && found !== null)
      return execFileSync("ps", ["eww", "-o", "args=", "-p", found[1] ?? ""], { encoding: "utf8" });
    await new Promise((resolve) => setImmediate(resolve));
  }
};

describe("query_db on PostgreSQL", () => {
  let server: PostgresServer;
  let test: TestWorkspace;
  let options: QueryDbOptions;

  beforeAll(async () => {
    server = await startQueriedPostgres();
    test = await createTestWorkspace();
    await server.run(`
      CREATE TABLE items (id int PRIMARY KEY, name text);
      INSERT INTO items VALUES (1, 'hammer'), (2, 'saw');
      CREATE SEQUENCE counter;
      CREATE ROLE reader LOGIN PASSWORD '${server.password}';
      GRANT SELECT ON items TO reader;
      CREATE FUNCTION wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM items; SELECT 1';
      CREATE FUNCTION peek() RETURNS text LANGUAGE sql AS $$SELECT pg_read_file('/etc/hostname')$$;
      CREATE FUNCTION unlock() RETURNS text LANGUAGE sql AS $$SELECT set_config('transaction_read_only', 'off', true)$$;
      CREATE FUNCTION count_on() RETURNS bigint LANGUAGE sql AS $$SELECT nextval('counter')$$;
    `);
    await server.run(`
      CREATE ROLE peeker LOGIN PASSWORD '${server.password}';
      GRANT pg_read_server_files TO peeker;
      CREATE ROLE nested LOGIN PASSWORD '${server.password}';
      GRANT peeker TO nested;
    `);
    options = { databases: { shop: server.url, small: server.urlFor("reader") }, adminDatabases: ["shop"] };
  });

  afterAll(async () => {
    await test[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const ask = (sql: string, input: object = {}): Promise<string> => query(test, options, { database: "shop", sql, ...input });

  const stateOf = (): Promise<readonly Record<string, unknown>[]> =>
    server.run(`
      SELECT (SELECT string_agg(id || name, ',' ORDER BY id) FROM items) AS items, (SELECT last_value FROM counter) AS counter,
        (SELECT count(*)::int FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS relations,
        (SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'retinue' AND state <> 'idle') AS open`);

  it("declares the host it touches", () => {
    expect(createQueryDb(options).touches({ database: "shop" })).toEqual({ hosts: ["127.0.0.1"] });
    expect(createQueryDb({ databases: { a: "/a.sqlite" } }).touches({ database: "a" })).toEqual({ hosts: [] });
  });

  it("gives rows as a table or JSON, with parameters and types as the server writes them", async () => {
    expect(unwrap(await ask("SELECT id, name FROM items WHERE id >= $1 ORDER BY id", { params: [1] }))).toBe(
      "| id | name |\n| --- | --- |\n| 1 | hammer |\n| 2 | saw |",
    );
    const sql =
      "SELECT true AS t, 9007199254740993::int8 AS big, 1.50::numeric AS n, date '2026-01-02' AS d, '{\"a\":1}'::jsonb AS j, NULL AS z";
    expect(unwrap(await ask(sql, { format: "json" }))).toBe(
      '{"t":true,"big":"9007199254740993","n":"1.50","d":"2026-01-02","j":"{\\"a\\": 1}","z":null}',
    );
    expect(unwrap(await ask("SHOW server_version"))).toContain("| 18");
    expect(unwrap(await ask("EXPLAIN SELECT * FROM items"))).toContain("Scan on items");
    expect(unwrap(await ask("TABLE items;"))).toContain("hammer");
    expect(unwrap(await query(test, options, { database: "small", sql: "SELECT count(*) AS n FROM items" }))).toContain("| 2 |");
    expect(await ask("SELECT id FROM items WHERE false")).toBe("No rows. Columns: id.");
  });

  it.each([
    ...WRITES,
    "WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone",
    "SELECT * INTO more FROM items",
    "SELECT * FROM items FOR UPDATE",
    "COPY items TO PROGRAM 'cat'",
    "COPY items FROM '/etc/passwd'",
    "DO $$ BEGIN DELETE FROM items; END $$",
    "CALL wipe()",
    "SET transaction_read_only = off",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "RESET ROLE",
    "LISTEN x",
    "NOTIFY x",
    "LOCK TABLE items",
    "TRUNCATE items",
    "GRANT ALL ON items TO PUBLIC",
    "PREPARE x AS DELETE FROM items",
    "EXPLAIN (ANALYZE) UPDATE items SET name = 'x'",
    "SELECT nextval('counter')",
    "SELECT setval('counter', 99)",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_create(4711)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_notify('x', 'y')",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
    "SELECT pg_reload_conf()",
    "SELECT pg_sleep(100)",
    "SELECT dblink('dbname=postgres', 'DELETE FROM items')",
    "SELECT U&\"pg_read\\005ffile\"('/etc/passwd')",
    "SELECT query_to_xml('DELETE FROM items', true, true, '')",
    "SELECT wipe()",
    "SELECT unlock(), wipe()",
    "SELECT count_on()",
    "SELECT peek()",
  ])("refuses %j and leaves the database as it is", async (sql) => {
    const before = await stateOf();
    await expect(ask(sql || " ")).rejects.toMatchObject({ code: expect.stringMatching(/^(act_denied|tool_failed)$/) });
    expect(await stateOf()).toEqual(before);
  });

  it("reads as a role that may read and nothing else, even where the user of the address may do everything", async () => {
    expect(unwrap(await ask("SELECT current_user AS me, session_user AS other"))).toContain("| pg_read_all_data | postgres |");
    await expect(ask("SELECT peek()")).rejects.toMatchObject({
      code: "act_denied",
      message: expect.stringContaining("permission denied"),
    });
  });

  it.each([
    ["a superuser", "postgres", "is a superuser"],
    ["one that reads files of the server", "peeker", "has the role pg_read_server_files"],
    ["one that may become such a one", "nested", "has the role pg_read_server_files"],
  ])("L15 refuses the login of %s unless the user has named the database", async (_what, user, why) => {
    const databases = { shop: server.urlFor(user) };
    const input = { database: "shop", sql: "SELECT 1 AS one" };
    await expect(query(test, { databases }, input)).rejects.toMatchObject({
      code: "act_denied",
      message: expect.stringContaining(why),
    });
    expect(unwrap(await query(test, { databases, adminDatabases: ["shop"] }, input))).toContain("| 1 |");
  });

  it.each([
    "SELECT 1 -- a\r; DELETE FROM items",
    "SELECT 1 --\rFROM pg_read_file('/etc/passwd')",
    "SELECT unlock()",
    "SELECT * FROM items WHERE unlock() = 'off'",
    "SELECT wipe()",
  ])("L15 a login without rights of the server changes and reads nothing by %j", async (sql) => {
    const before = await stateOf();
    await expect(query(test, options, { database: "small", sql })).rejects.toMatchObject({
      code: expect.stringMatching(/^(act_denied|tool_failed)$/),
    });
    // A connection that was closed is gone a moment later.
    await expect.poll(stateOf, { timeout: 20_000 }).toEqual(before);
  });

  it("J4: ends a query that would never end, on the server too", async () => {
    const endless = { database: "shop", sql: "SELECT count(*) FROM generate_series(1, 1000000000000)" };
    await expect(query(test, { ...options, timeLimitMs: 500 }, endless)).rejects.toMatchObject({ code: "tool_timeout" });
    const own = await createTestWorkspace();
    const running = query(own, options, endless);
    own.stop(new Error("cancelled by the user"));
    await expect(running).rejects.toThrow("cancelled by the user");
    await own[Symbol.asyncDispose]();
  });

  it("J6: cuts rows and bytes at their caps, and ends what sends too much", async () => {
    const many = await query(
      test,
      { ...options, maxRows: 120 },
      { database: "shop", sql: "SELECT generate_series(1, 1000000000) AS x" },
    );
    expect(many).toMatch(/^\[The first 120 rows, there are more,/);
    expect(unwrap(many)).toMatch(/\| 120 \|$/);
    const long = await ask("SELECT repeat('x', 1500) AS t FROM generate_series(1, 1000000)");
    expect(long).toContain("the next would be too long together");
    await expect(ask("SELECT repeat('x', 40000000) AS t")).rejects.toThrow("more than 32 MB");
  });

  it("C8: shows no password in what it says, declares or fails with", async () => {
    const wrong = server.url.replace("//postgres:", "//nobody:");
    const failures = await Promise.all(
      [
        { shop: wrong },
        { shop: server.url.replace(/:\d+\//, ":1/") },
        { shop: `${server.url}-nowhere` },
        { shop: server.url.replace("127.0.0.1", "no-such-host.invalid") },
      ].map((databases) => query(test, { databases }, { database: "shop", sql: "SELECT 1" }).catch((thrown: unknown) => thrown)),
    );
    for (const failure of failures) {
      expect(failure).toMatchObject({ code: "tool_failed" });
      const { message, hint, stack } = failure as Error & { hint: string };
      expect(`${message} ${hint} ${stack}`).not.toContain(server.password);
    }
    const { description, input } = createQueryDb(options);
    expect(description + JSON.stringify(input)).not.toContain(server.password);
    expect(await ask(`SELECT '${server.password}x' FROM nowhere`).catch(String)).not.toContain(server.password);
  });
});
