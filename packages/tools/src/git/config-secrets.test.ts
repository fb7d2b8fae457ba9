import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { probeSandbox, readRepositorySecrets } from "@retinue/confine";
import { createTestRepository, toText } from "@retinue/confine/testing";
import { createShellTool } from "../shell.ts";

const { backend } = await probeSandbox();
const TOKEN = "ghp_0123456789abcdefghij";

describe(`tokens in .git/config (${backend})`, () => {
  it("are not shown to commands, which find the rest of the settings", async () => {
    await using test = await createTestRepository({ "a.txt": "one\n" });
    await test.git("remote", "add", "origin", `https://x:${TOKEN}@example.com/x.git`);
    await test.git("config", "http.https://example.com/.extraheader", `AUTHORIZATION: bearer ${TOKEN}2`);
    await writeFile(test.at("a.txt"), "two\n");
    // What the recorder takes out of everything that is said, where no sandbox keeps it from commands.
    expect(await readRepositorySecrets(test.workspace)).toEqual([TOKEN, `${TOKEN}2`]);
    if (backend === "none") return;
    const command = "cat .git/config; git config --list; git remote -v; grep -r ghp_ .git; git status --short";
    const said = toText(await createShellTool().execute({ command }, test.context));
    expect(said).not.toContain("ghp_");
    expect(said).toContain("https://x:redacted@example.com/x.git");
    expect(said).toContain(" M a.txt");
  });
});
