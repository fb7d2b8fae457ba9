/** A folder for the files of one test file, gone when its tests are done. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export type TestFolder = { readonly path: string; /** A path that nothing stands at yet. */ readonly file: () => string };

export const createTestFolder = (): TestFolder => {
  const path = mkdtempSync(join(tmpdir(), "retinue-store-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  let count = 0;
  return { path, file: () => join(path, `${(count += 1)}.db`) };
};
