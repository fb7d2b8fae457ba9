import { describe, expect, test } from "vitest";
import { findUnportable, protectionOf } from "./protected-paths.ts";

const secrets = [
  ".env",
  ".env.local",
  ".env.production",
  ".envrc",
  "prod.env",
  "certs/server.pem",
  "server.key",
  "id_rsa",
  "id_ed25519",
  ".ssh/config",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".aws/credentials",
  ".config/gcloud/access_tokens.db",
  ".kube/config",
  ".docker/config.json",
  "credentials.json",
  "secrets.yml",
  ".git-credentials",
];
const held = [
  ".git/hooks/pre-commit",
  ".git/config",
  ".husky/pre-commit",
  ".vscode/tasks.json",
  ".vscode/settings.json",
  ".idea/workspace.xml",
  ".bashrc",
  ".zshenv",
  ".profile",
  "retinue.yaml",
  ".retinue/agents/main.md",
  ".retinue/tools/x.ts",
  ".claude/settings.json",
  ".opencode/agent/x.md",
  ".mcp.json",
  ".cursor/mcp.json",
];
const asked = [
  ".github/workflows/ci.yml",
  "AGENTS.md",
  "CLAUDE.md",
  "Jenkinsfile",
  ".gitlab-ci.yml",
  ".devcontainer/devcontainer.json",
  "lefthook.yml",
];
const free = [
  "src/a.ts",
  ".env.example",
  ".env.sample",
  ".env.template",
  "example.env",
  "environment.ts",
  "src/env.ts",
  "id_utils.py",
  "id_tokens/index.ts",
  "id_rsa.pub",
  ".gitignore",
  ".github/dependabot.yml",
  ".vscode/extensions.json",
  "docs/config.json",
  "keys.ts",
  "src/credentials/index.ts",
  "README.md",
  "git/hooks.md",
  "",
];

describe("a protected path", () => {
  test("I1, I2: is known by its name, at any depth and whether it exists or not", () => {
    for (const prefix of ["", "a/", "packages/x/y/"]) {
      for (const file of secrets)
        expect([file, protectionOf(prefix + file)]).toMatchObject([file, { read: "deny", write: "deny" }]);
      for (const file of held) expect([file, protectionOf(prefix + file)?.write]).toEqual([file, "deny"]);
      for (const file of asked)
        expect([file, protectionOf(prefix + file)]).toMatchObject([file, { read: "allow", write: "ask" }]);
      for (const file of free) expect([file, protectionOf(prefix + file)]).toEqual([file, undefined]);
      expect(protectionOf(`${prefix}package.json`)).toMatchObject({ read: "allow", write: "ask-unless-all" });
    }
  });

  test("I6: agent, tool and settings files are outside every write scope", () => {
    for (const file of ["retinue.yaml", ".retinue", ".retinue/settings.yaml", ".retinue/agents/x.md", ".claude/agents/x.md"])
      expect(protectionOf(file)?.write).toBe("deny");
  });

  test("A13: has many spellings", () => {
    for (const file of [
      ".GIT/hooks/x",
      ".Git",
      ".Mcp.json",
      "RETINUE.YAML",
      ".ENV",
      "AbC/.EnV.Local",
      "ID_RSA",
      "GIT~1/config",
      "Agents.MD",
    ])
      expect([file, protectionOf(file)]).not.toEqual([file, undefined]);
  });

  test("A14: is the same in every normalisation, also with letters that are not seen", () => {
    for (const file of [
      ".g\u200Cit/config",
      ".git\u200B/hooks/x",
      ".hu\u017Fky/x",
      "\uFF0Eenv",
      ".\uFF45nv",
      ".e\u00ADnv",
      ".\u212Aube/config",
    ])
      expect([file, protectionOf(file)]).not.toEqual([file, undefined]);
  });

  test("A15: is also what Windows would read as it", () => {
    for (const file of [
      ".env.",
      ".env ",
      ".env::$DATA",
      ".git::$INDEX_ALLOCATION/config",
      ".git./config",
      "a\\.git\\config",
      ".env:x",
    ])
      expect([file, protectionOf(file)]).not.toEqual([file, undefined]);
  });
});

test("A15: a name that is another file on another system is found", () => {
  for (const file of [
    "a.ts:stream",
    "NUL",
    "nul.txt",
    "x/con/y",
    "COM1",
    "LPT9.log",
    "\\\\?\\C:\\x",
    "C:rel",
    "a.",
    "a ",
    "a/b./c",
    "a\nb",
    "a\u001Bb",
  ])
    expect([file, findUnportable(file)]).toEqual([file, expect.any(String)]);
  for (const file of ["a.ts", "a b.ts", "console.ts", "company/x", ".a", "..a", "a/../b", "ä/ü.ts", "nullable.ts", "com10"])
    expect([file, findUnportable(file)]).toEqual([file, undefined]);
});
