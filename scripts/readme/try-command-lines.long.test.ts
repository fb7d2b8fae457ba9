// @module-tag long
import path from "node:path";
import { expect, test } from "vitest";
import { tryCommandLines } from "./try-command-lines.ts";

const ROOT = path.join(import.meta.dirname, "../..");

test(
  "the command lines of the README do what they should in a checkout, with an older Node on PATH",
  { timeout: 900_000 },
  async () => {
    const lines: string[] = [];
    const retinue = path.join(ROOT, "packages/retinue/bin/retinue.mjs");
    const problems = await tryCommandLines({ root: ROOT, retinue, report: (text) => lines.push(text) });
    expect(problems, lines.join("\n")).toEqual([]);
  },
);
