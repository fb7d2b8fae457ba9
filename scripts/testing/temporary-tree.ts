/** A folder of files for one test, removed when the test is finished. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Writes the files, given by relative path; what is not text is written as JSON. */
export const createTemporaryTree = (files: Readonly<Record<string, string | object>>): string => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-tree-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  return root;
};
