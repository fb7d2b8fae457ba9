import { symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { createOverviewTool } from "./overview.ts";
import { firstParagraph } from "./readme.ts";
import { readTomlStrings } from "./toml-strings.ts";

const overview = createOverviewTool();

const WHOLE = `workspace: 12 files
A shop that sells things.

Languages:
  TOML: 2 files, 10 lines
  Markdown: 1 file, 8 lines
  Make: 1 file, 3 lines
  TypeScript: 2 files, 3 lines
  Go: 1 file, 2 lines
  JSON: 1 file, 1 line
  Python: 1 file, 1 line
  other: 3 files, 4 lines

Folders:
cmd/ (1 file, 2 lines)
  server/ (1 file, 2 lines)
src/ (3 files, 4 lines)
  deep/ (1 file, 1 line)
tools/ (2 files, 10 lines)

Entry points:
  Makefile: targets build
  go.mod: module example.com/shop
  package.json: shop; bin shop → bin/shop.js; main src/index.ts; scripts test (vitest run)
  tools/Cargo.toml: fast; bin one, two
  tools/pyproject.toml: tools; scripts run → tools.cli:main
  files: src/index.ts, cmd/server/main.go

Tests: 1 file, 1 line
  src: 1 file

Largest files:
  README.md: 8 lines
  tools/Cargo.toml: 6 lines
  tools/pyproject.toml: 4 lines
  Makefile: 3 lines
  go.mod: 3 lines
  cmd/server/main.go: 2 lines
  src/index.ts: 2 lines
  .gitignore: 1 line`;

describe("overview", () => {
  it("shows description, languages, folders, entry points, tests and largest files", async () => {
    await using test = await createTestWorkspace({
      "README.md": "# Shop\n\n[![badge](x)](y)\n\nA shop that sells\nthings.\n\nMore.\n",
      "package.json": JSON.stringify({
        name: "shop",
        bin: { shop: "bin/shop.js" },
        main: "src/index.ts",
        scripts: { test: "vitest run" },
      }),
      "src/index.ts": "export const a = 1;\nexport const b = 2;\n",
      "src/deep/er/x.py": "x = 1\n",
      "src/index.test.ts": "a\n",
      "tools/pyproject.toml": '[project]\nname = "tools"\n[project.scripts]\nrun = "tools.cli:main"\n',
      "tools/Cargo.toml": '[package]\nname = "fast"\n[[bin]]\nname = "one"\n[[bin]]\nname = "two"\n',
      "go.mod": "module example.com/shop\n\ngo 1.24\n",
      "cmd/server/main.go": "package main\nfunc main() {}\n",
      Makefile: "build: deps\n\techo\nVAR := 1\n",
      ".gitignore": "dist\n",
      "dist/out.js": "x\n".repeat(1000),
      "logo.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]),
    });
    expect(toText(await overview.execute({}, test.context))).toBe(WHOLE);
  });

  it("looks at a folder alone, and only as deep as asked", async () => {
    await using test = await createTestWorkspace({ "a/b/c/d.ts": "1\n", "z.ts": "1\n" });
    const shown = toText(await overview.execute({ path: "a", depth: 1 }, test.context));
    expect(shown).toContain("a: 1 file");
    expect(shown).toContain("b/ (1 file, 1 line)");
    expect(shown).not.toMatch(/^ +c\//m);
    expect(shown).not.toContain("z.ts");
  });

  it("keeps the layout short where there are many folders", async () => {
    const files = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`f${at}/x.ts`, "1\n"]));
    await using test = await createTestWorkspace({ ...files, "big/a.ts": "1\n", "big/b.ts": "1\n" });
    const shown = toText(await overview.execute({}, test.context));
    expect(shown).toContain("big/ (2 files, 2 lines)\n… 150 smaller folders");
  });

  it("says when a folder is empty, a file or not there", async () => {
    await using test = await createTestWorkspace({ "a.txt": "" });
    await expect(overview.execute({ path: "a.txt" }, test.context)).rejects.toMatchObject({ message: "a.txt is no folder." });
    await expect(overview.execute({ path: "none" }, test.context)).rejects.toMatchObject({ message: "none does not exist." });
  });

  it("A22: a README or manifest that is a link to the outside is not shown", async () => {
    await using test = await createTestWorkspace({ "a.ts": "1\n" });
    await using other = await createTestWorkspace({ "README.md": "The secret words of others.\n" });
    await symlink(other.at("README.md"), test.at("README.md"));
    expect(toText(await overview.execute({}, test.context))).not.toContain("secret");
  });
});

describe("firstParagraph", () => {
  it("skips headings, badges, markup and comments", () => {
    expect(
      firstParagraph("<!-- a comment\n\nhere -->\n<p align=center>x y</p>\n\nTitle\n=====\n\n> quote me\n\nReal words  here.\n"),
    ).toBe("Real words here.");
    expect(firstParagraph("# Only a title\n\n- a list\n")).toBeUndefined();
  });
});

it("readTomlStrings gives the strings of sections and lists", () => {
  expect(readTomlStrings("[a]\nb = \"c\" # d\nn = 1\n[[l]]\n'q' = 'x'\nk = 'v'\n[ s.t ]\nu-v = \"w\"\n")).toEqual([
    { key: "a.b", value: "c" },
    { key: "l[].k", value: "v" },
    { key: "s.t.u-v", value: "w" },
  ]);
});
