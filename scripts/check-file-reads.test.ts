import { expect, test } from "vitest";
import { readsFiles } from "./check-file-reads.ts";

test.each([
  ['import { readFile } from "node:fs/promises";', true],
  ['import { stat, open as openFile } from "fs/promises";', true],
  ['import {\n  lstat,\n  readFileSync,\n} from "node:fs";', true],
  ['import * as fs from "node:fs";', true],
  ['import fs from "node:fs/promises";', true],
  ['import fs, { stat } from "node:fs";', true],
  ['import { promises } from "node:fs";', true],
  ['const { readFile } = await import("node:fs/promises");', true],
  ['export { readFile } from "node:fs/promises";', true],
  ['const fs = process.getBuiltinModule("fs");', true],
  ['import type { Stats } from "node:fs";', false],
  ['import { lstat, readdir } from "node:fs/promises";', false],
  ['import { readPlainFile } from "@retinue/confine";', false],
])("%s: %s", (source, expected) => {
  expect(readsFiles(source)).toBe(expected);
});
