import { link, mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "@retinue/confine/testing";
import { createPdf } from "../../web/testing/pdf-file.ts";
import type { DocumentIndex } from "./document-index.ts";
import { openDocumentIndex } from "./document-index.ts";

const GUIDE = `# Guide

Intro to the garden.

## Watering

Water the tomatoes in the morning.

\`\`\`sh
# not a heading
pour --slowly
\`\`\`

### At night

Never water basil at night.

## Harvest

Pick pumpkins in October.
`;

const PAGE = `<!doctype html><html><head><title>Soil</title></head><body><h1>Soil</h1>
<h2>Clay</h2><p>${"Clay holds water and needs compost to breathe. ".repeat(10)}</p></body></html>`;

type Test = Awaited<ReturnType<typeof createTestWorkspace>> & { readonly index: DocumentIndex; readonly file: string };

const withIndex = async (
  files: Readonly<Record<string, string | Buffer>>,
  work: (test: Test) => Promise<void>,
): Promise<void> => {
  await using workspace = await createTestWorkspace(files);
  const file = workspace.at("../index/documents.sqlite");
  using index = openDocumentIndex(file);
  await work({ ...workspace, index, file });
};

const find = (index: DocumentIndex, query: string, count = 10): string[] =>
  (index.search({ query, count }) ?? []).map(({ path: file, line, page, heading }) =>
    [path.basename(file), line, page === undefined ? undefined : `p${page}`, heading || undefined]
      .filter((part) => part !== undefined)
      .join("|"),
  );

describe("document index", () => {
  it("finds Markdown by section and line, HTML by heading, PDF by page, text and source by line", async () => {
    const files = {
      "guide.md": GUIDE,
      "soil.html": PAGE,
      "report.pdf": createPdf(["Nothing here", "The wheelbarrow is broken"], { title: "Tools" }),
      "notes.txt": `${"filler\n".repeat(400)}The shed needs paint.\n${"filler\n".repeat(400)}`,
      "src/plant.ts": "export const plant = () => 1;\n\nexport const growFerns = () => 2;\n",
    };
    await withIndex(files, async ({ index, workspace }) => {
      const report = await index.add([workspace]);
      expect(report.added.map((file) => path.relative(workspace, file))).toEqual([
        "guide.md",
        "notes.txt",
        "report.pdf",
        "soil.html",
        "src/plant.ts",
      ]);
      expect(report).toMatchObject({ updated: [], unchanged: [], removed: [], skipped: [] });
      expect(find(index, "tomatoes")).toEqual(["guide.md|7|Guide › Watering"]);
      expect(find(index, "basil")).toEqual(["guide.md|16|Guide › Watering › At night"]);
      expect(find(index, "pour slowly")).toEqual(["guide.md|11|Guide › Watering"]);
      expect(find(index, "compost")).toEqual(["soil.html|Clay"]);
      expect(find(index, "wheelbarrow")).toEqual(["report.pdf|p2"]);
      expect(find(index, "paint")).toEqual(["notes.txt|401"]);
      expect(find(index, "growFerns")).toEqual(["plant.ts|3"]);
      expect(index.list().map(({ title, kind }) => [title, kind])).toEqual([
        ["Guide", "markdown"],
        ["notes.txt", "text"],
        ["Tools", "pdf"],
        ["Soil", "html"],
        ["plant.ts", "source"],
      ]);
    });
  });

  it("ranks what holds all the words before what holds some", async () => {
    const files = {
      "a.md": "red red red red red red",
      "b.md": "a red boat\n\nand much more text about other things that are neither here nor there",
      "c.md": "boat boat boat",
    };
    await withIndex(files, async ({ index, workspace }) => {
      await index.add([workspace]);
      expect(find(index, "red boat")[0]).toBe("b.md|1");
      expect(find(index, "red boat")).toHaveLength(3);
      expect(find(index, '"boat red"')).toEqual([]);
      expect(find(index, '"red boat"')).toEqual(["b.md|1"]);
    });
  });

  it("finds words by their stem, without accents, and writing without spaces", async () => {
    const files = { "a.md": "Testing cafés in Zürich", "b.md": "東京の天気は晴れです" };
    await withIndex(files, async ({ index, workspace }) => {
      await index.add([workspace]);
      expect(find(index, "tested cafe zurich")).toEqual(["a.md|1"]);
      expect(find(index, "天気")).toEqual(["b.md|1"]);
      expect(find(index, "気天")).toEqual([]);
    });
  });

  it("reads again only what has changed, and forgets what is gone", async () => {
    await withIndex({ "a.md": "apple", "b.md": "banana", "c.md": "cherry", "d.md": "date" }, async ({ index, workspace, at }) => {
      await index.add([workspace]);
      await writeFile(at("a.md"), "apricot");
      await utimes(at("b.md"), new Date(1), new Date(1));
      await rm(at("c.md"));
      await rename(at("d.md"), at("e.md"));
      const report = await index.add([workspace]);
      const names = (files: readonly string[]): string[] => files.map((file) => path.basename(file));
      expect({
        added: names(report.added),
        updated: names(report.updated),
        unchanged: names(report.unchanged),
        removed: names(report.removed),
      }).toEqual({ added: ["e.md"], updated: ["a.md"], unchanged: ["b.md"], removed: ["c.md", "d.md"] });
      expect(find(index, "apple cherry apricot date banana").toSorted()).toEqual(["a.md|1", "b.md|1", "e.md|1"]);
      expect((await index.add([workspace])).unchanged).toHaveLength(3);
    });
  });

  it("removes files, and folders with what is below them and not what merely begins alike", async () => {
    const files = {
      "docs/a.md": "apple",
      "docs/deep/b.md": "apple",
      "docs-other/c.md": "apple",
      "docs%/d.md": "apple",
      "doc_/e.md": "apple",
    };
    await withIndex(files, async ({ index, workspace, at }) => {
      await index.add([workspace]);
      expect(index.remove([at("docs")]).map((file) => path.relative(workspace, file))).toEqual(["docs/a.md", "docs/deep/b.md"]);
      expect(index.remove([at("docs")])).toEqual([]);
      expect(index.list()).toHaveLength(3);
      await rm(at("docs%"), { recursive: true });
      expect(index.remove([at("docs%/d.md")])).toHaveLength(1);
      expect(find(index, "apple").toSorted()).toEqual(["c.md|1", "e.md|1"]);
      expect(index.search({ query: "apple", count: 5, under: at("doc_") })?.map((hit) => path.basename(hit.path))).toEqual([
        "e.md",
      ]);
    });
  });

  it("leaves out of folders what is hidden, ignored or of another kind, and says why a named file is skipped", async () => {
    const files = {
      ".gitignore": "build/\n",
      ".env": "KEY=canary",
      ".hidden/a.md": "canary",
      "build/b.md": "canary",
      "key.pem": "canary",
      "photo.png": "canary",
      "program.txt": Buffer.from([0x63, 0, 1, 2]),
      "broken.pdf": "%PDF-1.7 nothing",
      "good.md": "fine",
    };
    await withIndex(files, async ({ index, workspace, at }) => {
      const report = await index.add([workspace]);
      expect(report.added.map((file) => path.basename(file))).toEqual(["good.md"]);
      expect(report.skipped.map(({ path: file, why }) => [path.basename(file), why])).toEqual([
        ["broken.pdf", expect.stringContaining("The PDF cannot be read: ")],
        ["program.txt", "The file is binary."],
      ]);
      expect(find(index, "canary")).toEqual([]);
      expect((await index.add([at("photo.png")])).skipped[0]?.why).toBe("The file is of a kind that is not searched.");
      expect((await index.add([at(".hidden/a.md")])).added).toHaveLength(1);
      await expect(index.add([at("nowhere")])).rejects.toThrow("does not exist");
    });
  });

  it("enters no link that leads out of the folder that was added", async () => {
    await withIndex({ "docs/a.md": "apple" }, async ({ index, at }) => {
      await mkdir(at("../secret"));
      await writeFile(at("../secret/s.md"), "canary");
      await symlink(at("../secret"), at("docs/link"));
      await symlink(at("../secret/s.md"), at("docs/file.md"));
      await index.add([at("docs")]);
      expect(find(index, "canary")).toEqual([]);
      expect(find(index, "apple")).toEqual(["a.md|1"]);
    });
  });

  it("N17: does not take in a file that has a second name elsewhere", async () => {
    await withIndex({ "docs/a.md": "apple" }, async ({ index, at }) => {
      await writeFile(at("../key.md"), "canary");
      await link(at("../key.md"), at("docs/notes.md"));
      expect(JSON.stringify(await index.add([at("docs")]))).toContain("hard links");
      expect(find(index, "canary")).toEqual([]);
      expect(find(index, "apple")).toEqual(["a.md|1"]);
    });
  });

  it("J6: takes a line of a megabyte and a document of many lines in pieces", async () => {
    const files = {
      "min.json": `${"x ".repeat(500_000)}needle ${"y ".repeat(100)}`,
      "many.txt": `${"line\n".repeat(50_000)}needle`,
    };
    await withIndex(files, async ({ index, workspace }) => {
      await index.add([workspace]);
      expect(find(index, "needle").toSorted()).toEqual(["many.txt|50001", "min.json|1"]);
      for (const { excerpt } of index.search({ query: "needle", count: 5 }) ?? []) expect(excerpt.length).toBeLessThan(600);
    });
  });

  it.each([
    '"',
    '""',
    'foo"bar',
    "foo-bar",
    "C++",
    "a AND",
    "AND",
    "NOT x",
    "NEAR(a b, 3)",
    "NEAR(",
    "title:apple",
    "body : apple",
    "{title heading}: apple",
    "-title: apple",
    "^apple",
    "apple*",
    "(",
    ")",
    "apple)(",
    "a + b",
    "'; DROP TABLE documents; --",
    "%",
    "_",
    "\0apple",
    "app\0le",
    "\ud800apple",
    "\udc00",
    "9223372036854775808",
    "x".repeat(1_000_000),
    "a ".repeat(100_000),
    "🍎",
    "apple\u202e",
    ":match",
    "?1",
  ])("K2: takes %j as words, never as syntax", async (query) => {
    await withIndex({ "a.md": "An apple for C and foo bar" }, async ({ index, workspace }) => {
      await index.add([workspace]);
      const hits = index.search({ query, count: 5 });
      const holdsWords = /[\p{L}\p{N}]/u.test(query);
      expect(hits === undefined).toBe(!holdsWords);
      if (/apple/.test(query)) expect(hits).toHaveLength(1);
      expect(index.list()).toHaveLength(1);
    });
  });

  it("K2: stores texts and titles with NUL and broken characters", async () => {
    await withIndex(
      { "a.md": Buffer.from(`# T\ud800itle \n\n${"x".repeat(9000)} before\0after`) },
      async ({ index, workspace }) => {
        await index.add([workspace]);
        expect(find(index, "before")).toHaveLength(1);
        expect(find(index, "after")).toHaveLength(1);
      },
    );
  });

  it("K5: leaves a file alone that is no index, or that of another version", async () => {
    await using test = await createTestWorkspace({
      "text.txt": "no database, but long enough to be looked at as one".repeat(40),
    });
    expect(() => openDocumentIndex(test.at("text.txt"))).toThrow("is no index of documents");
    const other = new DatabaseSync(test.at("other.sqlite"));
    other.exec("CREATE TABLE mine (a)");
    other.close();
    expect(() => openDocumentIndex(test.at("other.sqlite"))).toThrow("is no index of documents");
    openDocumentIndex(test.at("newer.sqlite")).close();
    const newer = new DatabaseSync(test.at("newer.sqlite"));
    newer.exec("PRAGMA user_version = 99");
    newer.close();
    expect(() => openDocumentIndex(test.at("newer.sqlite"))).toThrow("made by another version of Retinue");
    expect(() => openDocumentIndex(test.workspace)).toThrow("cannot be opened");
    const untouched = new DatabaseSync(test.at("other.sqlite"));
    expect(untouched.prepare("SELECT name FROM sqlite_schema").all()).toEqual([expect.objectContaining({ name: "mine" })]);
    untouched.close();
  });

  it("is read by one process while another writes", async () => {
    await withIndex({ "a.md": "apple" }, async ({ index, workspace, file }) => {
      await index.add([workspace]);
      using reader = openDocumentIndex(file, { readOnly: true });
      expect(find(reader, "apple")).toHaveLength(1);
      index.remove([workspace]);
      expect(find(reader, "apple")).toEqual([]);
      await expect(reader.add([workspace])).rejects.toThrow("readonly");
    });
  });

  it("stops when told to and keeps what it had", async () => {
    const stopping = new AbortController();
    await withIndex({ "a.md": "apple", "b.md": "apple" }, async ({ index, workspace }) => {
      const onFile = (file: string): void => {
        if (file.endsWith("b.md")) stopping.abort(new Error("enough"));
      };
      await expect(index.add([workspace], { signal: stopping.signal, onFile })).rejects.toThrow("enough");
      expect(find(index, "apple")).toEqual(["a.md|1"]);
    });
  });
});

describe("credentials", () => {
  it("that lie among documents, or in a folder of keys that was added, are not indexed, and those that were are taken out", async () => {
    const key = "canary-key-51";
    const files = {
      "guide.md": GUIDE,
      "credentials.json": `{"key":"${key}"}`,
      "deep/service-account-1.json": `{"key":"${key}"}`,
      "secrets.yaml": `key: ${key}`,
      ".aws/notes.md": key,
      ".docker/config.json": `{"key":"${key}"}`,
    };
    await withIndex(files, async ({ index, workspace, at }) => {
      await rename(at("credentials.json"), at("plain.json"));
      await index.add([workspace]);
      expect(find(index, key)).toEqual(["plain.json|1"]);
      await rename(at("plain.json"), at("credentials.json"));
      const report = await index.add([workspace, at(".aws"), at(".docker"), at("secrets.yaml")]);
      expect(find(index, key)).toEqual([]);
      expect(new Set(report.skipped.map(({ path: file }) => path.relative(workspace, file)))).toEqual(
        new Set(Object.keys(files).filter((file) => file !== "guide.md")),
      );
      expect(report.skipped[0]?.why).toContain("a secret");
    });
  });
});
