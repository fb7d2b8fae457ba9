import { describe, expect, it } from "vitest";
import { judgeSql } from "./judge-sql.ts";
import type { SqlDialect } from "./scan-sql.ts";
import { scanSql } from "./scan-sql.ts";

const show = (sql: string, dialect: SqlDialect): string | undefined =>
  scanSql(sql, dialect)
    ?.map((token) => (token.type === "text" ? "'…'" : token.type === "name" ? `<${token.text}>` : token.text))
    .join(" ");

describe("scanSql", () => {
  it.each<[SqlDialect, string, string | undefined]>([
    [
      "postgres",
      "SELECT 'a;b', E'it\\'s;', $$;$$, $x$ $$ ; $x$, \"a\"\"b\" -- ;\n/* ; /* ; */ */ ;",
      "select '…' , '…' , '…' , '…' , <a\"b> ;",
    ],
    ["sqlite", "SELECT 'it''s;', [a;b], `c;d`, \"e\" /* ; */ ;", "select '…' , <a;b> , <c;d> , <e> ;"],
    ["postgres", "SELECT 1 -- a\r; DROP TABLE x", "select ; drop table x"],
    ["sqlite", "SELECT 1 -- a\r; DROP TABLE x", "select"],
    ["sqlite", "SELECT 1 /* never ended ;", "select"],
    ["postgres", "SELECT 1 /* never /* ended */ ;", undefined],
    ["postgres", "SELECT 'never ended", undefined],
    ["postgres", "SELECT $x$ never ended", undefined],
    ["sqlite", 'SELECT "never ended', undefined],
    ["postgres", "SELECT a.b(1.5e3, $1)", "select a . b ( , $ )"],
    ["sqlite", "SELECT 'backslash\\'; DROP TABLE x", "select '…' ; drop table x"],
  ])("%s: takes %j apart", (dialect, sql, shown) => {
    expect(show(sql, dialect)).toBe(shown);
  });
});

describe("judgeSql", () => {
  it.each<[SqlDialect, string]>([
    ["postgres", "SELECT nextval"],
    ["postgres", "SELECT * FROM t TABLESAMPLE SYSTEM (10)"],
    ["postgres", "SELECT 'dblink(x)', \"set_config\" FROM t"],
    ["postgres", "(SELECT 1) UNION (SELECT 2)"],
    ["sqlite", "SELECT replace(a, 'x', 'y'), load_extension FROM t;"],
    ["sqlite", "  /* a */ -- b\n select 1 ; ; "],
  ])("%s: lets %j pass", (dialect, sql) => {
    expect(judgeSql(sql, dialect)).toBe("rows");
  });

  it.each<[string]>([
    ["SELECT dblink('host=evil', 'select 1')"],
    ["SELECT pg_catalog.set_config('transaction_read_only', 'off', false)"],
    ["SELECT \"dblink\" /* x */ ('host=evil')"],
    ["SELECT DBLINK_EXEC('x')"],
    ["SELECT U&\"dbl\\0069nk\"('x')"],
    ["SELECT u&\"x\" UESCAPE '!' (1)"],
    ["SELECT lo_export(1, '/tmp/x')"],
    ["SELECT pg_terminate_backend(1)"],
    ["SELECT pg_sleep(1)"],
    ["SELECT * FROM pg_ls_dir('/')"],
    ["SELECT query_to_xml('select set_config(1)', true, true, '')"],
  ])("postgres: refuses %j", (sql) => {
    expect(() => judgeSql(sql, "postgres")).toThrow(expect.objectContaining({ code: "act_denied" }));
  });
});
