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
  ["SSH_KEY", "/home/someone/.ssh/id", []],
  ["SHORT_TOKEN", "abc", []],
  ["KEYBOARD", "a-long-enough-value", []],
  ["COMPAT", "a-long-enough-value", []],
  ["HOME_URL", "https://example.com/a@b", []],
])("%s=%s holds %j", (name, value, expected) => {
  expect(secretsOfValue(name, value)).toEqual(expected);
  expect(environmentSecrets({ [name]: value })).toEqual(expected);
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
    expect(secrets.toSorted()).toEqual(
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
