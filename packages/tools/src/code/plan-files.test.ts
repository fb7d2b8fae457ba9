import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { CodeIndexes } from "./code-index.ts";
import { createPlanFilesTool } from "./plan-files.ts";

const FILES = {
  "src/auth/login.ts": "export const checkPassword = (password: string) => hash(password);\n",
  "src/auth/session.ts":
    'import { checkPassword } from "./login.ts";\nexport const openSession = (p: string) => checkPassword(p);\n',
  "src/auth/login.test.ts": 'import { checkPassword } from "./login.ts";\ncheckPassword("x");\n',
  "src/billing/invoice.ts": "export class Invoice {\n  total() { return 1; }\n}\n",
  "src/billing/tax.ts": "export const taxRate = 0.2; // applied to each invoice\n",
  "docs/billing.md": "How an invoice is made.\n",
  "package-lock.json": `{ "password": "${"invoice password ".repeat(50)}" }\n`,
  "unrelated.ts": "export const nothing = 1;\n",
};

let test: TestWorkspace;
let indexes: CodeIndexes;

beforeAll(async () => {
  test = await createTestWorkspace(FILES);
  indexes = new CodeIndexes({ cacheFolder: path.join(path.dirname(test.workspace), "cache"), threads: 1 });
});

afterAll(async () => {
  await indexes.close();
  await test[Symbol.asyncDispose]();
});

const plan = async (task: string): Promise<readonly string[]> => {
  const tool = createPlanFilesTool({ indexes });
  return toText(await tool.execute({ task }, test.context)).split("\n");
};

const files = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => /^\d+\. /.test(line)).map((line) => line.replace(/^\d+\. /, "").split(":")[0] ?? "");

describe("plan_files", () => {
  it("puts the file that defines a named symbol first, then those that use it", async () => {
    const lines = await plan("`checkPassword` must refuse an empty string");
    expect(files(lines).slice(0, 3)).toEqual(["src/auth/login.ts", "src/auth/session.ts", "src/auth/login.test.ts"]);
    expect(lines[1]).toContain("defines checkPassword");
    expect(lines[2]).toContain("uses checkPassword on 2 lines");
    expect(files(lines)).not.toContain("unrelated.ts");
  });

  it("ranks by words in path, symbols and contents, with the reasons, generated files last", async () => {
    const lines = await plan("Invoices show the wrong total");
    expect(lines[0]).toBe("[4 files of 4 candidates; looked for invoice, total]");
    expect(lines[1]).toBe("1. src/billing/invoice.ts: defines total, Invoice; path has invoice; mentions total (1), invoice (1)");
    expect(files(lines).at(-1)).toBe("package-lock.json");
  });

  it("takes a path that the task names at its word", async () => {
    expect(files(await plan("rename things in billing/tax.ts"))[0]).toBe("src/billing/tax.ts");
  });

  it("says when nothing fits, and when there is nothing to look for", async () => {
    expect(await plan("quantum chromodynamics")).toEqual([
      "No file has anything to do with it (looked for quantum, chromodynamic).",
    ]);
    expect(await plan("please do it")).toEqual([expect.stringContaining("no word that could name something")]);
  });
});
