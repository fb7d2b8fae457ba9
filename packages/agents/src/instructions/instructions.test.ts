import { link, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findProjectFolders } from "../project-root.ts";
import type { AgentFolders } from "../testing/agent-folders.ts";
import { createAgentFolders } from "../testing/agent-folders.ts";
import { describeInstructions } from "./describe-instructions.ts";
import { findImports } from "./find-imports.ts";
import { loadFolderInstructions, loadInstructions } from "./load-instructions.ts";

let folders: AgentFolders;
beforeEach(async () => void (folders = await createAgentFolders()));
afterEach(() => folders.dispose());

const root = (): string => path.dirname(folders.projectDir);
const relative = (file: string): string => path.relative(root(), file);

const load = async (below = "") => {
  const { homeDir, userDir, projectDir } = folders;
  const project = await findProjectFolders(path.join(projectDir, below), homeDir);
  const { files, problems } = await loadInstructions({ folders: project.folders, homeDir, userDir });
  return {
    files: files.map(({ file }) => relative(file)),
    texts: files.map(({ text }) => text),
    problems: problems.map(({ file, message }) => `${relative(file)}: ${message}`),
  };
};

describe("instructions", () => {
  test("N17: a file of the project with a second name elsewhere is named as a problem, and not read", async () => {
    await mkdir(path.join(folders.projectDir, ".git"));
    await folders.write("home/key", "canary-key");
    await link(path.join(root(), "home/key"), path.join(folders.projectDir, "CLAUDE.md"));
    await folders.write("project/AGENTS.md", "See @notes.txt.");
    await link(path.join(root(), "home/key"), path.join(folders.projectDir, "notes.txt"));
    const { texts, problems } = await load();
    expect(texts.join("\n")).not.toContain("canary-key");
    expect(problems.join("\n")).toContain("CLAUDE.md: ");
    expect(problems.join("\n")).toContain("hard links");
  });

  test("are the user's first, then the project's from its root down to the workspace", async () => {
    await mkdir(path.join(folders.projectDir, ".git"));
    for (const file of [
      "project/packages/a/AGENTS.md",
      "project/packages/b/AGENTS.md",
      "project/CLAUDE.md",
      "project/CLAUDE.local.md",
      "project/AGENTS.md",
      "user/AGENTS.md",
      "home/.claude/CLAUDE.md",
      "home/.config/opencode/AGENTS.md",
    ])
      await folders.write(file, `Of ${file}.`);
    expect((await load("packages/a")).files).toEqual([
      "user/AGENTS.md",
      "home/.claude/CLAUDE.md",
      "home/.config/opencode/AGENTS.md",
      "project/AGENTS.md",
      "project/CLAUDE.md",
      "project/CLAUDE.local.md",
      "project/packages/a/AGENTS.md",
    ]);
  });

  test("above a folder that is in no repository are nobody's", async () => {
    await folders.write("project/AGENTS.md", "Above.");
    await folders.write("project/a/AGENTS.md", "Here.");
    expect((await load("a")).texts).toEqual(["Here."]);
  });

  test("of a home that is a repository are not those of what lies in it", async () => {
    await mkdir(path.join(folders.homeDir, ".git"));
    await folders.write("home/AGENTS.md", "Dotfiles.");
    await folders.write("home/work/AGENTS.md", "Work.");
    const project = await findProjectFolders(path.join(folders.homeDir, "work"), folders.homeDir);
    expect(project.root).toBe(path.join(folders.homeDir, "work"));
  });

  test("import others, which import others, and say what is missing", async () => {
    await folders.write(
      "project/CLAUDE.md",
      "See @AGENTS.md and @docs/style.md and @docs/missing.md.\n\n`@docs/no.md` mail@x.org @team",
    );
    await folders.write("project/AGENTS.md", "Agents.");
    await folders.write("project/docs/style.md", "Style. (@more.md)");
    await folders.write("project/docs/more.md", "More. @../CLAUDE.md");
    await folders.write("project/docs/no.md", "No.");
    const { files, problems } = await load();
    expect(files).toEqual(["project/AGENTS.md", "project/CLAUDE.md", "project/docs/style.md", "project/docs/more.md"]);
    expect(problems).toEqual(["project/CLAUDE.md: @missing.md: it does not exist"]);
  });

  test("I2 of a project import nothing that lies outside it", async () => {
    await folders.write("home/secret.md", "TOP SECRET");
    await folders.write("project/AGENTS.md", "@../home/secret.md @~/secret.md @link.md");
    await symlink(path.join(folders.homeDir, "secret.md"), path.join(folders.projectDir, "link.md"));
    const { texts, problems } = await load();
    expect(texts).toEqual(["@../home/secret.md @~/secret.md @link.md"]);
    expect(problems).toEqual([
      "project/AGENTS.md: @secret.md: it leads out of the project",
      "project/AGENTS.md: @link.md: it leads out of the project",
    ]);
  });

  test("that are the same are told once", async () => {
    await folders.write("project/AGENTS.md", "Same.\n");
    await symlink("AGENTS.md", path.join(folders.projectDir, "CLAUDE.md"));
    expect((await load()).texts).toEqual(["Same."]);
  });

  test("of a folder are read for whoever enters it", async () => {
    await folders.write("project/lib/CLAUDE.md", "Of lib.");
    const read = await loadFolderInstructions(path.join(folders.projectDir, "lib"), folders.projectDir);
    expect(read.files.map(({ text }) => text)).toEqual(["Of lib."]);
  });
});

describe("in a prompt", () => {
  const file = (name: string, text: string) => ({ file: `/w/${name}`, text, origin: "project" }) as const;

  test("instructions are named with their file", () => {
    expect(describeInstructions([], "/w")).toBe("");
    expect(describeInstructions([file("AGENTS.md", "Do."), file("a/CLAUDE.md", "Not.")], "/w")).toMatch(
      /^## Project Instructions\n[^]+\n\n\[instructions: AGENTS.md\]\nDo\.\n\n\[instructions: a\/CLAUDE.md\]\nNot\.$/,
    );
  });

  test("instructions that are too long are cut, the farthest first, and how to read on is said", () => {
    const text = describeInstructions(
      [file("AGENTS.md", "far\n".repeat(300)), file("a/AGENTS.md", "near\n".repeat(100))],
      "/w",
      1_000,
    );
    expect(text.length).toBeLessThan(1_500);
    expect(text).toContain("near\n".repeat(99));
    expect(text).toMatch(/\[\d+ more characters; read AGENTS.md for them\]/);
  });
});

test.each([
  ["@a.md", ["a.md"]],
  ["@./a", ["./a"]],
  ["@~/x/y.md,", ["~/x/y.md"]],
  ["(@docs/a.md)", ["docs/a.md"]],
  ["me@x.org @types @scope/name", ["scope/name"]],
  ["```\n@a.md\n```\n@b.md", ["b.md"]],
])("imports of %j are %j", (text, imports) => {
  expect(findImports(text)).toEqual(imports);
});
