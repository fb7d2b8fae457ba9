import { symlink } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentFolders } from "../testing/agent-folders.ts";
import { createAgentFolders } from "../testing/agent-folders.ts";
import { expandCommand } from "./expand-command.ts";
import { loadCommands } from "./load-commands.ts";

let folders: AgentFolders;

beforeEach(async () => {
  folders = await createAgentFolders();
});

afterEach(() => folders.dispose());

const load = async () => {
  const { homeDir, userDir, projectDir } = folders;
  const { commands, problems } = await loadCommands({ folders: [projectDir], homeDir, userDir });
  return {
    commands,
    names: [...commands.keys()].toSorted(),
    problems: problems.map(
      ({ file, line, severity, message }) => `${path.basename(file)}:${line} ${severity} ${message.replace(/ in \/\S+,/, ",")}`,
    ),
  };
};

describe("commands", () => {
  test("of user and project are found in the folders of every world", async () => {
    await folders.write("home/.claude/commands/mine.md", "Mine.");
    await folders.write("home/.config/opencode/command/open.md", "Open.");
    await folders.write("user/commands/own.md", "Own.");
    await folders.write("project/.claude/commands/git/commit.md", "Commit.");
    await folders.write("project/.opencode/commands/test.md", "Test.");
    await folders.write("project/.retinue/commands/ship.md", "Ship.");
    expect(await load()).toMatchObject({ names: ["git:commit", "mine", "open", "own", "ship", "test"], problems: [] });
  });

  test("are described by their front matter, and what is not honoured is said", async () => {
    await folders.write(
      "project/.claude/commands/fix.md",
      "---\ndescription: Fixes an issue\nargument-hint: [issue]\nagent: debugger\nmodel: opus\nallowed-tools: Bash(git:*)\n---\nFix #$1.\n",
    );
    const { commands, problems } = await load();
    expect(commands.get("fix")).toMatchObject({
      description: "Fixes an issue",
      argumentHint: "[issue]",
      agent: "debugger",
      template: "Fix #$1.",
      origin: "project",
    });
    expect(problems).toEqual([
      `fix.md:5 notice "model" has no effect here: the session's model carries it out`,
      `fix.md:6 notice "allowed-tools" has no effect here: a command gives no rights; whoever carries it out keeps those it has`,
    ]);
  });

  test("of a project take no place of the user's, and lead nowhere outside", async () => {
    await folders.write("user/commands/deploy.md", "Of the user.");
    await folders.write("project/.claude/commands/deploy.md", "Of the project.");
    await folders.write("home/secret.md", "TOP SECRET");
    await symlink(path.join(folders.homeDir, "secret.md"), path.join(folders.projectDir, ".claude/commands/link.md"));
    const { commands, problems } = await load();
    expect([...commands.values()].map(({ template }) => template)).toEqual(["Of the user."]);
    expect(problems).toEqual([
      `deploy.md:1 warning the user has a command "deploy", which is kept; this one is left out`,
      "link.md:1 error it leads out of the project",
    ]);
  });

  test("that are empty, left open or cannot be named are left out with the reason", async () => {
    await folders.write("project/.claude/commands/a b.md", "No.");
    await folders.write("project/.claude/commands/empty.md", "---\ndescription: d\n---\n");
    await folders.write("project/.claude/commands/open.md", "---\ndescription: d\n");
    const { names, problems } = await load();
    expect(names).toEqual([]);
    expect(problems.map((problem) => problem.replace(/:\d+ error .*/, ""))).toEqual(["a b.md", "empty.md", "open.md"]);
  });
});

describe("a command is expanded", () => {
  const noFile = async (): Promise<string> => {
    throw new Error("it is a secret");
  };
  const expand = (template: string, typed: string, dialect: "claude-code" | "opencode" = "claude-code") =>
    expandCommand({ template, dialect }, typed, noFile);

  test.each([
    ["Fix $ARGUMENTS now", "a b", "Fix a b now"],
    ["$2 then $1, not $10 nor $100", `one "two words" three`, "two words then one, not $10 nor $100"],
    ["Costs $5", "", "Costs "],
    ["Review.", "the cart", "Review.\n\nthe cart"],
    ["Review.", "", "Review."],
    ["$1", "$ARGUMENTS", "$ARGUMENTS"],
  ])("%j with %j is %j", async (template, typed, expanded) => {
    expect(await expand(template, typed)).toBe(expanded);
  });

  test("with the last place taking the rest in opencode", async () => {
    expect(await expand("$1: $2", "a b c", "opencode")).toBe("a: b c");
  });

  test("with command lines as orders to the shell tool, never run", async () => {
    expect(await expand("Status: !`git status` and `code`", "")).toBe(
      "Status: [run `git status` with the shell tool, and take its output here] and `code`",
    );
  });

  test("with files that are named, also by what was typed, and nothing in them is expanded", async () => {
    const seen: string[] = [];
    const text = await expandCommand({ template: "Look at @$1 and @.env", dialect: "claude-code" }, "src/a.ts", async (name) => {
      seen.push(name);
      if (name === ".env") throw new Error("it is a secret");
      return "$ARGUMENTS @b.ts !`rm x`";
    });
    expect(seen).toEqual(["src/a.ts", ".env"]);
    expect(text).toBe(
      "Look at @src/a.ts and @.env\n\n[file src/a.ts]\n$ARGUMENTS @b.ts !`rm x`\n\n[file .env is not given: it is a secret]",
    );
  });
});
