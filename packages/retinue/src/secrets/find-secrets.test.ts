import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../settings/settings.ts";
import { environmentSecrets } from "./environment-secrets.ts";
import { findSecrets } from "./find-secrets.ts";
import { secretsOfValue } from "./secret-value.ts";

test.each([
  ["OPENAI_API_KEY", "sk-openai-1234", ["sk-openai-1234"]],
  ["GH_TOKEN", "ghp_12345678", ["ghp_12345678"]],
  ["_authToken", "abcdefgh1234", ["abcdefgh1234"]],
  ["DATABASE_URL", "postgres://me:hunter2-hunter2@db/x", ["hunter2-hunter2"]],
  ["ANYTHING", "github_pat_11ABCDEFG", ["github_pat_11ABCDEFG"]],
  ["Authorization", "Bearer abcdefgh1234", ["abcdefgh1234"]],
  ["PATH", "/usr/bin:/bin-and-more", []],
  ["SSH_KEY", path.join(import.meta.dirname, "find-secrets.test.ts"), []],
  // N7: a value that begins like a path is a path only where there is such a file.
  ["SSH_KEY", "/Zm9vYmFyY2FuYXJ5", ["/Zm9vYmFyY2FuYXJ5"]],
  ["API_KEY", "~/canary0123", ["~/canary0123"]],
  ["DB_PASSWORD", "./canary0123", ["./canary0123"]],
  // N7: short, but named.
  ["DB_PASSWORD", "hunter2", ["hunter2"]],
  ["DATABASE_URL", "postgres://me:k9$x!2@db/x", ["k9$x!2"]],
  ["DB_PASSWORD", "monkeys", []],
  ["SHORT_TOKEN", "abc", []],
  ["KEYBOARD", "a-long-enough-value", []],
  ["COMPAT", "a-long-enough-value", []],
  ["HOME_URL", "https://example.com/a@b", []],
  // L14: names with numbers and stages.
  ["API_KEY_2", "canary-0123", ["canary-0123"]],
  ["STRIPE_SECRET_KEY_1", "canary-0123", ["canary-0123"]],
  ["TOKEN3", "canary-0123", ["canary-0123"]],
  ["DB_PASSWORD_STAGING", "canary-0123", ["canary-0123"]],
  // L14: connection strings, DSNs and webhooks.
  ["SQL", "Server=db;User Id=sa;Password=canary-0123;Encrypt=true", ["canary-0123"]],
  ["PG", "host=db user=me password=canary-0123 dbname=x", ["canary-0123"]],
  ["STORAGE", "AccountName=a;AccountKey=Y2FuYXJ5Y2FuYXJ5MDEyMw==;x=y", ["Y2FuYXJ5Y2FuYXJ5MDEyMw=="]],
  ["MYSQL", "me:canary-0123@tcp(db:3306)/shop", ["canary-0123"]],
  ["BROKER", "me:canary-0123@mq.example:5672/", ["canary-0123"]],
  ["SENTRY_DSN", "https://0a1b2c3d4e5f60718293a4b5c6d7e8f9@o1.ingest.example/2", ["0a1b2c3d4e5f60718293a4b5c6d7e8f9"]],
  ["REDIS", "redis://:canary-0123@cache:6379/0", ["canary-0123"]],
  ["LINK", "https://files.example/a?sig=canary-0123&x=1", ["canary-0123"]],
  ["SLACK", "https://hooks.slack.com/services/T00/B00/a1B2c3D4e5F6g7H8i9J0", ["a1B2c3D4e5F6g7H8i9J0"]],
  ["DEPLOY_WEBHOOK_URL", "https://ci.example/hook/a1B2c3D4e5F6g7H8i9J0", ["a1B2c3D4e5F6g7H8i9J0"]],
  // L13: words are no secrets, whatever the name says.
  ["POSTGRES_PASSWORD", "postgres", []],
  ["DATABASE_URL", "postgres://postgres:postgres@db/x", []],
  ["ADMIN_PASSWORD", "changeme123", []],
  ["REDIS_PASSWORD", "Development", []],
  ["APP_SECRET", "your-secret", []],
  ["PIN_TOKEN", "12345678", []],
])("%s=%s holds %j", (name, value, expected) => {
  const secrets = expected.map((secret) => ({ name, value: secret }));
  expect(secretsOfValue(name, value)).toEqual(secrets);
  expect(environmentSecrets({ [name]: value })).toEqual(secrets);
});

test("the secrets of settings and of the usual files are found", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "retinue-secrets-"));
  const home = path.join(root, "home");
  const workspace = path.join(root, "project");
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  try {
    const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nYWJjZGVmZ2hpamtsbW5vcA\n-----END OPENSSH PRIVATE KEY-----\n";
    await write(path.join(home, ".aws/credentials"), "[default]\naws_secret_access_key = aws-canary-1\nregion = eu-west-1\n");
    await write(path.join(home, ".netrc"), "machine a.example login me password netrc-canary\n");
    await write(path.join(home, ".npmrc"), "//registry.example/:_authToken=npmrc-canary\n");
    await write(path.join(home, ".git-credentials"), "https://me:git-canary@host.example\n");
    await write(path.join(home, ".pgpass"), "db.example:5432:x:me:pgpass-canary\n");
    await write(path.join(home, ".docker/config.json"), '{ "auths": { "x": {\n  "auth": "docker-canary"\n} } }\n');
    await write(path.join(home, ".ssh/id_ed25519"), key);
    await write(path.join(home, ".ssh/known_hosts"), "host.example ssh-ed25519 not-a-secret-at-all\n");
    await write(path.join(workspace, ".env"), 'export API_KEY="dotenv-canary"\nNAME=just-a-long-name\n');
    await write(path.join(workspace, ".env.example"), "API_KEY=put-your-key-here\n");
    const secrets = await findSecrets({
      env: { HOME: home, A_TOKEN: "variable-canary", SEARCH: "search-canary", FOR_SERVER: "server-canary" },
      settings: {
        ...DEFAULT_SETTINGS,
        providers: { local: { type: "openai-compatible", headers: { "X-Custom": "header-canary" } } },
        databases: { main: "postgres://me:database-canary@127.0.0.1/x" },
        web: { search: { engine: "brave", apiKeyEnv: "SEARCH" } },
      },
      workspace,
      servers: {
        one: { env: { WORD: "${FOR_SERVER}", MY_TOKEN: "literal-canary", MODE: "nothing-secret" } },
        two: { headers: { Authorization: "Bearer remote-canary" } },
      },
    });
    expect(secrets).toContainEqual({ name: "API_KEY", value: "dotenv-canary" });
    expect(secrets.map(({ value }) => value).toSorted()).toEqual(
      [
        ...[
          "variable",
          "search",
          "server",
          "header",
          "database",
          "literal",
          "remote",
          "netrc",
          "npmrc",
          "git",
          "docker",
          "dotenv",
          "pgpass",
        ].map((name) => `${name}-canary`),
        "aws-canary-1",
        key,
      ].toSorted(),
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("L13 what the workspace and its files are called is no secret, whatever a variable says", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "retinue-words-"));
  try {
    const workspace = path.join(root, "shop-2024");
    await mkdir(path.join(workspace, "billing-api"), { recursive: true });
    await writeFile(path.join(workspace, ".env"), "DB_PASSWORD=shop-2024\nAPI_TOKEN=billing-api\nREAL_TOKEN=canary-0123\n");
    const secrets = await findSecrets({ env: {}, settings: DEFAULT_SETTINGS, workspace, servers: {} });
    expect(secrets).toEqual([{ name: "REAL_TOKEN", value: "canary-0123" }]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test.each([
  ["one word", "a".repeat(250_000)],
  ["names and no values", "a.".repeat(125_000)],
  ["schemes", "x://".repeat(62_500)],
  ["schemes and signs", "x://a@".repeat(40_000)],
  ["equals signs", "a=".repeat(125_000)],
  ["quotes", `KEY="${'a="'.repeat(80_000)}`],
  ["spaces after a word", `password${" ".repeat(250_000)}`],
  ["spaces and words", "password ".repeat(28_000)],
])("L18 a line of 250 kB of %s in a .env is read at once", { timeout: 20_000 }, async (_what, line) => {
  const workspace = await mkdtemp(path.join(tmpdir(), "retinue-long-"));
  try {
    await writeFile(path.join(workspace, ".env"), `${line}\nA_TOKEN=canary-0123\n`);
    const secrets = await findSecrets({ env: {}, settings: DEFAULT_SETTINGS, workspace, servers: {} });
    expect(secrets).toContainEqual({ name: "A_TOKEN", value: "canary-0123" });
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
});
