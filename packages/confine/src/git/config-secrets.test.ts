import { describe, expect, it } from "vitest";
import { findConfigSecrets, withoutConfigSecrets } from "./config-secrets.ts";

const CONFIG = `[core]
	bare = false
[remote "origin"]
	url = https://someone:s3cret-word@example.com/x.git
	pushurl = https://ghp_0123456789abcdefghij@github.com/x/y
	fetch = +refs/heads/*:refs/remotes/origin/*
[remote "ssh"]
	url = ssh://git@example.com/x.git
[remote "plain"]
	url = git@example.com:x/y.git
[http "https://github.com/"]
	extraheader = AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46Z2hz
[http]
	proxy = http://me:proxy-word@proxy:3128
[sendemail]
	smtpPass = "mail word"
`;

describe("credentials in a repository's settings", () => {
  it("are found in addresses, headers and by name, and names of users are none", () => {
    expect(findConfigSecrets(CONFIG).toSorted()).toEqual([
      "eC1hY2Nlc3MtdG9rZW46Z2hz",
      "ghp_0123456789abcdefghij",
      "mail word",
      "proxy-word",
      "s3cret-word",
    ]);
  });

  it("are taken out, and everything else stays", () => {
    const shown = withoutConfigSecrets(CONFIG);
    expect(findConfigSecrets(shown).every((each) => each === "redacted")).toBe(true);
    expect(shown.split("\n").length).toBe(CONFIG.split("\n").length);
    expect(shown).toContain("url = https://someone:redacted@example.com/x.git");
    expect(shown).toContain("url = ssh://git@example.com/x.git");
    expect(withoutConfigSecrets('[remote "a"]\n\turl = https://me:a@a.example/a\n')).toBe(
      '[remote "a"]\n\turl = https://me:redacted@a.example/a\n',
    );
    expect(withoutConfigSecrets("[core]\n\tbare = false\n")).toBe("[core]\n\tbare = false\n");
  });
});
