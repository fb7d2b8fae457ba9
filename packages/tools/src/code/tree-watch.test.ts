import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace } from "@retinue/confine/testing";
import { TreeWatch } from "./tree-watch.ts";

type WatchedTree = TestWorkspace & {
  /** Looks until all folders are watched. */
  readonly look: (...files: string[]) => Promise<void>;
  /** The same, and whether nothing has changed since; the system may tell late of what came before. */
  readonly lookUntilQuiet: (...files: string[]) => Promise<boolean>;
  readonly tree: TreeWatch;
};

const watchTree = async (files: Record<string, string>): Promise<WatchedTree> => {
  const test = await createTestWorkspace(files);
  const tree = new TreeWatch(test.workspace);
  const look = async (...listed: string[]): Promise<void> => {
    // The second time, the folders that the first one found are already watched.
    for (let round = 0; round < 2; round += 1) {
      tree.begin();
      await tree.end(listed);
    }
  };
  return {
    ...test,
    tree,
    look,
    lookUntilQuiet: async (...listed) => {
      await look(...listed);
      return tree.isUnchanged();
    },
    [Symbol.asyncDispose]: async () => {
      tree.close();
      await test[Symbol.asyncDispose]();
    },
  };
};

/** Where folders cannot be watched, something may always have changed. */
const QUIET = process.platform === "linux";

describe("TreeWatch", () => {
  it("says that all is as it was until something changes, and then at once", async () => {
    await using test = await watchTree({ "src/a.ts": "1", "src/deep/b.ts": "1" });
    expect(await test.tree.isUnchanged()).toBe(false);
    const acts = [
      () => appendFile(test.at("src/deep/b.ts"), "2"),
      () => writeFile(test.at("src/new.ts"), ""),
      () => rename(test.at("src/new.ts"), test.at("src/deep/c.ts")),
      () => rm(test.at("src/deep/c.ts")),
      () => mkdir(test.at("src/fresh")),
    ];
    for (const act of acts) {
      await test.look("src/a.ts", "src/deep/b.ts");
      expect(await test.tree.isUnchanged()).toBe(QUIET);
      await act();
      expect(await test.tree.isUnchanged()).toBe(false);
    }
  });

  it("sees what comes into folders that were empty, new, or have taken another's place", async () => {
    await using test = await watchTree({ "a.ts": "1", "old/x.ts": "1" });
    await mkdir(test.at("empty/inner"), { recursive: true });
    await expect.poll(() => test.lookUntilQuiet("a.ts", "old/x.ts")).toBe(QUIET);
    await writeFile(test.at("empty/inner/b.ts"), "1");
    expect(await test.tree.isUnchanged()).toBe(false);

    await mkdir(test.at("later/still"), { recursive: true });
    await expect.poll(() => test.lookUntilQuiet("a.ts", "old/x.ts", "empty/inner/b.ts")).toBe(QUIET);
    await writeFile(test.at("later/still/c.ts"), "1");
    expect(await test.tree.isUnchanged()).toBe(false);

    await rename(test.at("old"), test.at("gone"));
    await mkdir(test.at("old"));
    await expect.poll(() => test.lookUntilQuiet("a.ts", "gone/x.ts")).toBe(QUIET);
    await writeFile(test.at("old/y.ts"), "1");
    expect(await test.tree.isUnchanged()).toBe(false);
  });

  it("does not take changes for old that came while the files were looked at", async () => {
    await using test = await watchTree({ "a.ts": "1" });
    await test.look("a.ts");
    test.tree.begin();
    await writeFile(test.at("b.ts"), "1");
    await mkdir(test.at("folder"));
    expect(await test.tree.isUnchanged()).toBe(false);
    await test.tree.end(["a.ts"]);
    expect(await test.tree.isUnchanged()).toBe(false);
    await expect.poll(() => test.lookUntilQuiet("a.ts", "b.ts")).toBe(QUIET);
    await writeFile(test.at("folder/c.ts"), "1");
    expect(await test.tree.isUnchanged()).toBe(false);
  });

  it("tells which files were written, made and removed, once", async () => {
    await using test = await watchTree({ "src/a.ts": "1", "src/b.ts": "1", "src/deep/c.ts": "1" });
    const files = ["src/a.ts", "src/b.ts", "src/deep/c.ts"];
    await expect.poll(() => test.lookUntilQuiet(...files)).toBe(QUIET);
    await appendFile(test.at("src/a.ts"), "2");
    await rm(test.at("src/b.ts"));
    await writeFile(test.at("src/deep/.d"), "1");
    await rename(test.at("src/deep/.d"), test.at("src/deep/c.ts"));
    expect(await test.tree.isUnchanged()).toBe(false);
    const changed = test.tree.takeChanges();
    expect(changed && [...changed].toSorted()).toEqual(
      QUIET ? ["src/a.ts", "src/b.ts", "src/deep/.d", "src/deep/c.ts"] : undefined,
    );
    expect(await test.tree.isUnchanged()).toBe(QUIET);
    await appendFile(test.at("src/a.ts"), "3");
    expect(await test.tree.isUnchanged()).toBe(false);
    expect(test.tree.takeChanges()).toEqual(QUIET ? new Set(["src/a.ts"]) : undefined);
  });

  it("tells none of them where folders or what is ignored have changed, or too much has", async () => {
    await using test = await watchTree({ "a.ts": "1", "old/x.ts": "1" });
    const acts = [
      () => mkdir(test.at("fresh")),
      () => rename(test.at("fresh"), test.at("other")),
      () => rm(test.at("other"), { recursive: true }),
      () => writeFile(test.at("old/.gitignore"), "x.ts"),
      () => Promise.all(Array.from({ length: 600 }, (_, at) => writeFile(test.at(`old/${at}.ts`), "1"))),
    ];
    for (const act of acts) {
      await expect.poll(() => test.lookUntilQuiet("a.ts", "old/x.ts")).toBe(QUIET);
      await act();
      expect(await test.tree.isUnchanged()).toBe(false);
      expect(test.tree.takeChanges()).toBeUndefined();
    }
  });

  it("looks again at what was not ended well", async () => {
    await using test = await watchTree({ "a.ts": "1" });
    await test.look("a.ts");
    test.tree.invalidate();
    expect(await test.tree.isUnchanged()).toBe(false);
  });
});
