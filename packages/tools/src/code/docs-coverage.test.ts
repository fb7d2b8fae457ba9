import path from "node:path";
import { expect, it } from "vitest";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { CodeIndexes } from "./code-index.ts";
import { createDocsCoverageTool } from "./docs-coverage.ts";

it("docs_coverage counts what is exported without documentation, by file, and leaves tests and members aside", async () => {
  await using test = await createTestWorkspace({
    "src/a.ts":
      "/** Yes. */\nexport const one = 1;\nexport const two = 2;\nexport class Three {\n  constructor() {}\n  four() {}\n  five = 1;\n}\nconst hidden = 1;\n",
    "src/b.py": 'def six():\n    """Yes."""\n\ndef _private():\n    pass\n',
    "src/c.ts": "export function seven() {}\n",
    "src/a.test.ts": "export function eight() {}\n",
  });
  const indexes = new CodeIndexes({ cacheFolder: path.join(path.dirname(test.workspace), "cache"), threads: 1 });
  try {
    const tool = createDocsCoverageTool({ indexes });
    expect(toText(await tool.execute({}, test.context))).toBe(
      [
        "[2 of 6 exported symbols documented (33 %) in 3 files]",
        "src/a.ts: 3 of 4 without: two (constant, line 3), Three (class, line 4), Three.four (method, line 6)",
        "src/c.ts: 1 of 1 without: seven (function, line 1)",
      ].join("\n"),
    );
    expect(toText(await tool.execute({ path: "src/b.py" }, test.context))).toBe(
      "[1 of 1 exported symbol documented (100 %) in 1 file]",
    );
    expect(toText(await tool.execute({ path: "none" }, test.context))).toBe("Nothing is exported here that could be documented.");
    await expect(tool.execute({ path: "/etc" }, test.context)).rejects.toMatchObject({ code: "path_outside_workspace" });
    expect(tool.touches({ path: "src" })).toEqual({ paths: ["src"] });
  } finally {
    await indexes.close();
  }
});
