// @module-tag long
import { appendFile, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import type { CodeIndexOptions } from "./code-index.ts";
import { CodeIndexes, toCodeIndexes } from "./code-index.ts";
import type { CodeSearchInput } from "./code-search.ts";
import { createCodeSearchTool } from "./code-search.ts";
import { measureCodeSearch } from "./measure-code-search.ts";

type TestCode = TestWorkspace & {
  readonly cacheFolder: string;
  readonly search: (input: CodeSearchInput) => Promise<string>;
  /** Ends the thread of the index; the next search starts another. */
  readonly restart: () => Promise<void>;
};

const FILES = {
  "src/store.ts":
    "/** Keeps. */\nexport class Store {\n  read(key: string) { return key; }\n  close() {}\n}\nexport const openStore = () => new Store();\n",
  "src/use.ts": 'import { openStore } from "./store.ts";\n\nconst store = openStore();\nstore.read("openStore");\n',
  "src/store.test.ts": 'import { openStore } from "./store.ts";\nopenStore().close();\n',
  "lib/tool.py": "def open_store():\n    return openStore()\n",
};

const createCode = async (files: Readonly<Record<string, string>> = FILES, options: CodeIndexOptions = {}): Promise<TestCode> => {
  const test = await createTestWorkspace(files);
  const cacheFolder = path.join(path.dirname(test.workspace), "cache");
  const create = () => new CodeIndexes({ cacheFolder, threads: 1, ...options });
  let indexes = create();
  return {
    ...test,
    cacheFolder,
    search: async (input) => toText(await createCodeSearchTool({ indexes }).execute(input, test.context)),
    restart: async () => {
      await indexes.close();
      indexes = create();
    },
    [Symbol.asyncDispose]: async () => {
      await indexes.close();
      await test[Symbol.asyncDispose]();
    },
  };
};

describe("code_search", () => {
  it("gives definitions with kind, container and signature, and references by file, tests last", async () => {
    await using code = await createCode();
    expect(await code.search({ query: "openStore" })).toBe(
      [
        '[1 definition of "openStore"; 5 lines in 3 files use "openStore"]',
        "src/store.ts:6 function openStore (exported)",
        "  export const openStore = () =>",
        "",
        "References:",
        "lib/tool.py:",
        "  2: return openStore()",
        "src/use.ts:",
        '  1: import { openStore } from "./store.ts";',
        "  3: const store = openStore();",
        "src/store.test.ts:",
        '  1: import { openStore } from "./store.ts";',
        "  2: openStore().close();",
      ].join("\n"),
    );
    expect(await code.search({ query: "Store.read", kind: "definitions" })).toContain(
      "src/store.ts:3 method Store.read (exported)",
    );
    expect(await code.search({ query: "Other.read", kind: "definitions" })).toContain(
      'No symbol "Other.read" was found in 4 files.',
    );
  });

  it("finds names by a part of them, and in another case", async () => {
    await using code = await createCode();
    const shown = await code.search({ query: "store", kind: "definitions" });
    expect(shown).toContain('[1 definition of "store"]');
    expect(shown).toContain("src/use.ts:3 constant store");
    const parts = await code.search({ query: "open", kind: "definitions" });
    expect(parts).toContain('2 definitions of names that contain "open"');
    expect(parts).toContain("lib/tool.py:1 function open_store (exported)");
    expect(await code.search({ query: "OPENSTORE" })).toContain(
      '1 definition of "OPENSTORE", in another case; 5 lines in 3 files use "openStore"',
    );
    expect(await code.search({ query: "open sto", kind: "definitions" })).toContain("function openStore");
  });

  it("keeps to a path, a language and a limit", async () => {
    await using code = await createCode();
    expect(await code.search({ query: "openStore", kind: "references", path: "lib" })).toContain("[1 line in 1 file use");
    expect(await code.search({ query: "openStore", kind: "references", path: "src/use.ts" })).toContain("[2 lines in 1 file use");
    expect(await code.search({ query: "openStore", kind: "references", language: "python" })).toContain("lib/tool.py:");
    expect(await code.search({ query: "openStore", kind: "references", limit: 1 })).toContain("[4 more lines]");
    expect(await code.search({ query: "openStore", path: "sr" })).toContain("No symbol");
    await expect(code.search({ query: "x", path: "../cache" })).rejects.toMatchObject({ code: "path_outside_workspace" });
  });

  it("leaves out what .gitignore excludes, and says when there is no code", async () => {
    await using code = await createCode({ "dist/a.js": "function hidden() {}", ".gitignore": "dist\n", "README.md": "hidden" });
    await expect(code.search({ query: "hidden" })).rejects.toMatchObject({ message: expect.stringContaining("no code here") });
  });

  it("takes characters of queries as they are", async () => {
    await using code = await createCode({ "a.rb": "def ok?; @v_1; end\n", "b.js": "const $el = 1; use($el, el, _el);\n" });
    expect(await code.search({ query: "ok?" })).toContain("a.rb:1 function ok?");
    expect(await code.search({ query: "$el", kind: "references" })).toContain("[1 line in 1 file");
    expect(await code.search({ query: "@v_1", kind: "references" })).toContain("[1 line in 1 file");
    for (const query of ['"', "%", "_", "' or 1=1 --", "a OR b", "NEAR(", "*", "\u0000x", "🙂"])
      expect(await code.search({ query })).toMatch(/\S/);
  });
});

describe("the index", () => {
  it("holds after every one of many random acts just what lies on the disk", { tags: ["long"] }, async () => {
    await using code = await createCode({ "a/one.ts": "export const mark = 0;\n", "b/two.ts": "export const mark = 0;\n" });
    let seed = 20_261_116;
    const pick = <Kind>(from: readonly Kind[]): Kind | undefined => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return from[(seed >>> 8) % from.length];
    };
    const list = async (): Promise<string[]> =>
      (await readdir(code.workspace, { recursive: true })).map(String).filter((file) => file.endsWith(".ts"));
    let ignored = "";
    for (let act = 1; act <= 60; act += 1) {
      const files = await list();
      const file = pick(files) ?? "a/one.ts";
      const folder = pick(["a", "b", "b/deep", "c"]) ?? "a";
      const other = `${folder}/${pick(["one", "two", "three"])}.ts`;
      const text = `export const mark = ${act};\n`;
      const kind = pick(["write", "write", "replace", "append", "rename", "remove", "move folder", "ignore"]);
      await mkdir(path.dirname(code.at(other)), { recursive: true });
      if (kind === "write") await writeFile(code.at(other), text);
      else if (kind === "replace") {
        await writeFile(code.at(`${folder}/.new`), text);
        await rename(code.at(`${folder}/.new`), code.at(other));
      } else if (kind === "append" && files.includes(file)) await appendFile(code.at(file), `// ${act}\n`);
      else if (kind === "rename" && files.includes(file)) await rename(code.at(file), code.at(other));
      else if (kind === "remove") await rm(code.at(file), { force: true });
      else if (kind === "move folder") {
        await rm(code.at("d"), { recursive: true, force: true });
        await rename(code.at(folder), code.at("d"));
      } else if (kind === "ignore") {
        ignored = pick(["", "b", "d"]) ?? "";
        await writeFile(code.at(".gitignore"), ignored === "" ? "" : `/${ignored}/\n`);
      }
      const expected: string[] = [];
      for (const each of await list()) {
        const [, value] = /mark = (\d+)/.exec(await readFile(code.at(each), "utf8")) ?? [];
        if (ignored === "" || !each.startsWith(`${ignored}/`)) expected.push(`${each} ${value}`);
      }
      const said = expected.length === 0 ? "" : await code.search({ query: "mark", kind: "definitions", limit: 50 });
      const found = [...said.matchAll(/^(\S+):1 constant mark.*\n {2}export const mark = (\d+)/gm)].map(
        ([, at, value]) => `${at} ${value}`,
      );
      expect({ act, kind, found: found.toSorted() }).toEqual({ act, kind, found: expected.toSorted() });
    }
  });

  it("follows every change: new, changed, deleted and renamed files", async () => {
    await using code = await createCode();
    await code.search({ query: "openStore" });
    await writeFile(code.at("src/new.ts"), "export const fresh = openStore();\n");
    expect(await code.search({ query: "fresh" })).toContain("src/new.ts:1 constant fresh");
    await appendFile(code.at("src/new.ts"), "export const later = 2;\n");
    expect(await code.search({ query: "later" })).toContain("src/new.ts:2");
    await rename(code.at("src/new.ts"), code.at("src/moved.ts"));
    expect(await code.search({ query: "fresh", kind: "definitions" })).toContain("src/moved.ts:1");
    await rm(code.at("src/moved.ts"));
    expect(await code.search({ query: "fresh" })).toContain("No symbol");
    await mkdir(code.at("deep/er"), { recursive: true });
    await code.search({ query: "openStore" });
    await writeFile(code.at("deep/er/x.go"), "package x\nfunc Deep() {}\n");
    expect(await code.search({ query: "Deep" })).toContain("deep/er/x.go:2");
  });

  it("sees a change that left size and time as they were, when it may have come right after", async () => {
    await using code = await createCode({ "a.ts": "export const one = 1;\n" });
    // Not before the moment when it is read, so that the time says nothing about what comes after.
    const time = Math.ceil(Date.now() / 1000) + 60;
    await utimes(code.at("a.ts"), time, time);
    await code.search({ query: "one" });
    await writeFile(code.at("a.ts"), "export const two = 1;\n");
    await utimes(code.at("a.ts"), time, time);
    expect(await code.search({ query: "two" })).toContain("a.ts:1 constant two");
  });

  it("is kept between processes and read anew only where files changed", { tags: ["long"] }, async () => {
    await using code = await createCode();
    const old = new Date(Date.now() - 60_000);
    for (const file of Object.keys(FILES)) await utimes(code.at(file), old, old);
    await code.search({ query: "openStore" });
    expect(code.shown.at(-1)).toBe("reading the code: 4 of 4 files");
    await code.restart();
    code.shown.length = 0;
    expect(await code.search({ query: "openStore" })).toContain("1 definition");
    expect(code.shown).toEqual([]);
    await code.restart();
    await appendFile(code.at("src/use.ts"), "export const more = 1;\n");
    expect(await code.search({ query: "more" })).toContain("src/use.ts:5");
    expect(code.shown).toEqual(["reading the code: 1 of 1 files"]);
  });

  it("is made anew when its file is damaged or of another version", { tags: ["long"] }, async () => {
    await using code = await createCode();
    await code.search({ query: "openStore" });
    await code.restart();
    const [name = ""] = (await readdir(code.cacheFolder)).filter((each) => each.endsWith(".sqlite"));
    for (const suffix of ["-wal", "-shm"]) await rm(path.join(code.cacheFolder, name + suffix), { force: true });
    await writeFile(path.join(code.cacheFolder, name), "this is no database ".repeat(1000));
    expect(await code.search({ query: "openStore" })).toContain("1 definition");
  });

  it("serves several questions at once, and two processes at once", { tags: ["long"] }, async () => {
    await using code = await createCode();
    const other = new CodeIndexes({ cacheFolder: code.cacheFolder, threads: 1 });
    try {
      const tool = createCodeSearchTool({ indexes: other });
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, () => code.search({ query: "openStore" })),
        ...Array.from({ length: 5 }, async () => toText(await tool.execute({ query: "openStore" }, code.context))),
      ]);
      expect(new Set(answers).size).toBe(1);
    } finally {
      await other.close();
    }
  });

  it("leaves out files that are too large, generated or no text, and says how many", async () => {
    await using code = await createCode(
      {
        "large.ts": `export const large = "${"x".repeat(300_000)}";\n`,
        "bundle.min.js": `function bundled() {}${";a=1".repeat(20_000)}`,
        "binary.c": "int binary\u0000;",
        "fine.ts": "export const fine = 1;\n",
      },
      { maxFileBytes: 200_000 },
    );
    expect(await code.search({ query: "fine" })).toContain("[3 files left out: too large, generated or not parsable]");
    expect(await code.search({ query: "bundled" })).toContain("No symbol");
  });

  it("has at most as many files as it may, and says so", async () => {
    await using code = await createCode({ "a.ts": "export const a1 = 1;", "b.ts": "export const b1 = 1;" }, { maxFiles: 1 });
    expect(await code.search({ query: "a1" })).toContain("there are more source files than are indexed");
  });

  it("answers from what there is when it takes too long, and says so", async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}.ts`, `export const name${at} = 1;\n`]));
    await using code = await createCode(files, { maxWaitMs: 0 });
    const first = await code.search({ query: "name39" }).catch((thrown: Error) => thrown.message);
    expect(first).toMatch(/still being made|no code here/);
    await expect.poll(() => code.search({ query: "name39" }).catch(() => ""), { timeout: 20_000 }).toContain("f39.ts:1");
  });

  it("J4: takes a query as text, however catastrophic it were as a pattern, and reads lines that would be", async () => {
    await using code = await createCode({
      "a.ts": `export const ${"a".repeat(5000)} = 1;\nexport const text = "${"a".repeat(40_000)}!";\n`,
    });
    for (const query of ["(a+)+$", "^(a|aa)+$", `${"a*".repeat(200)}b`, `${"%a".repeat(200)}%b`, `(${"a|".repeat(2000)}b)*`])
      expect(await code.search({ query })).toContain("No symbol");
    expect(await code.search({ query: "text", kind: "definitions" })).toContain("a.ts:2");
  });

  it("J3: code nested without end does not stop the others from being found", async () => {
    await using code = await createCode({
      "deep.js": "(".repeat(200_000),
      "deep.py": `x = ${"[".repeat(100_000)}`,
      "wide.ts": `export const wide = [${"f(".repeat(50_000)}`,
      "fine.ts": "export const fine = 1;\n",
    });
    expect(await code.search({ query: "fine" })).toContain("fine.ts:1 constant fine");
  });

  it("A22: nothing outside is read through a link of the workspace", async () => {
    await using code = await createCode({ "a.ts": "export const inside = 1;\n" });
    const outside = path.join(path.dirname(code.workspace), "outside");
    await mkdir(outside);
    await writeFile(path.join(outside, "secret.ts"), "export const secretName = 1;\n");
    await symlink(outside, code.at("folder"));
    await symlink(path.join(outside, "secret.ts"), code.at("file.ts"));
    expect(await code.search({ query: "secretName" })).toContain("No symbol");
    // A file that is already known becomes a link.
    await rm(code.at("a.ts"));
    await symlink(path.join(outside, "secret.ts"), code.at("a.ts"));
    expect(await code.search({ query: "secretName" }).catch((thrown: Error) => thrown.message)).not.toContain("a.ts");
  });

  it("I2: files that policy hides are not in it", async () => {
    await using code = await createCode({
      ".env.ts": "export const apiKey = 1;\n",
      ".ssh/x.py": "apiKey = 1\n",
      ".github/x.js": "use(apiKey);\n",
    });
    expect(await code.search({ query: "apiKey" })).toBe(
      '[0 definitions of "apiKey"; 1 line in 1 file use "apiKey"]\n\nReferences:\n.github/x.js:\n  1: use(apiKey);',
    );
  });

  it("ends a question when the run is cancelled", async () => {
    await using code = await createCode();
    const asked = code.search({ query: "openStore" });
    code.stop();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    await expect(code.search({ query: "openStore" })).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is measured by a bench that finds what it looks for", { tags: ["long"] }, async () => {
    const measures = await measureCodeSearch({ files: 120, repeats: 1, threads: 1 });
    expect(measures).toMatchObject({ files: 120 });
    expect(Object.keys(measures.answerMs)).toHaveLength(4);
  });
});

it("tools with the same options share one index, and others do not", () => {
  const indexes = new CodeIndexes({ cacheFolder: "/nowhere" });
  expect(toCodeIndexes({ cacheFolder: "/a", threads: 1 })).toBe(toCodeIndexes({ threads: 1, cacheFolder: "/a" }));
  expect(toCodeIndexes({ cacheFolder: "/a" })).not.toBe(toCodeIndexes({ cacheFolder: "/b" }));
  expect(toCodeIndexes({ indexes })).toBe(indexes);
});
