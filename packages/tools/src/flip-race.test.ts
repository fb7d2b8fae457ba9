// @module-tag long
/** Tools against a second process that swaps links and folders between the check of a name and its use: no key is read, nothing is written outside. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { AnyTool } from "@retinue/runtime";
import { describe, expect, it } from "vitest";
import { CANARY, createTestWorkspace, startFlipRace, toText } from "@retinue/confine/testing";
import { createEditTool } from "./edit.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import { createWriteTool } from "./write.ts";

/** A tenth of the tries for every change, and all of them among the long tests. */
const FORMS = [
  { share: 10, options: {} },
  { share: 1, options: { tags: ["long"] } },
];

const cases: readonly {
  readonly what: string;
  readonly tool: AnyTool;
  readonly inputs: readonly object[];
  readonly tries: number;
}[] = [
  {
    what: "read",
    tool: createReadTool(),
    inputs: [{ path: "flip.txt" }, { path: "flip/config.json" }, { path: "real/config.json" }],
    tries: 3000,
  },
  {
    what: "grep in a file",
    tool: createGrepTool(),
    inputs: [
      { pattern: "word", path: "flip.txt" },
      { pattern: "word", path: "flip/config.json" },
    ],
    tries: 300,
  },
  {
    what: "grep in a folder",
    tool: createGrepTool(),
    inputs: [{ pattern: "word", path: "flip" }, { pattern: "word" }, { pattern: "word", context: 1 }],
    tries: 450,
  },
  {
    what: "edit",
    tool: createEditTool(),
    inputs: [
      { path: "flip.txt", edits: [{ old: "no such word", new: "x" }] },
      { path: "real/config.json", edits: [{ old: "a plain wird", new: "x" }] },
    ],
    tries: 1500,
  },
];

describe.each(FORMS)("while links and folders are swapped (a share of $share)", { timeout: 300_000 }, ({ share, options }) => {
  for (const { what, tool, inputs, tries: all } of cases) {
    const tries = all / share;
    it(`${what} gives no line of a key in ${tries} tries`, options, async () => {
      await using test = await createTestWorkspace();
      const race = await startFlipRace(test.workspace);
      let given = 0;
      let leaked = 0;
      try {
        for (let at = 0; at < tries; at += 1) {
          const said = await tool
            .execute(inputs[at % inputs.length], test.context)
            .then(toText, (thrown: unknown) => String(thrown));
          if (said.includes("plain word")) given += 1;
          if (said.includes(CANARY)) leaked += 1;
        }
      } finally {
        await race.stop();
      }
      expect(leaked).toBe(0);
      expect(given).toBeGreaterThan(0);
    });
  }

  it(`ls and glob name nothing that lies outside in ${400 / share} tries`, options, async () => {
    await using test = await createTestWorkspace();
    const race = await startFlipRace(test.workspace);
    const outside = path.join(path.dirname(test.workspace), "outside");
    await createWriteTool().execute({ path: "outside-only", content: "" }, { ...test.context, workspace: outside });
    let leaked = 0;
    try {
      for (let at = 0; at < 400 / share; at += 1) {
        const tool: AnyTool = at % 2 === 0 ? createLsTool() : createGlobTool();
        const input = { ...(at % 4 < 2 ? { path: "flip" } : {}), ...(at % 2 === 0 ? {} : { pattern: "**" }) };
        const said = await tool.execute(input, test.context).then(toText, (thrown: unknown) => String(thrown));
        if (said.includes("outside-only")) leaked += 1;
      }
    } finally {
      await race.stop();
    }
    expect(leaked).toBe(0);
  });

  it(`write and edit change nothing outside and no secret in ${3000 / share} tries`, options, async () => {
    await using test = await createTestWorkspace();
    const race = await startFlipRace(test.workspace);
    const write: AnyTool = createWriteTool();
    const edit: AnyTool = createEditTool();
    let written = 0;
    try {
      for (let at = 0; at < 3000 / share; at += 1) {
        const named = at % 3 === 0 ? "flip/config.json" : "real/config.json";
        const running =
          at % 2 === 0
            ? write.execute({ path: named, content: "a plain word\n" + String(at) }, test.context)
            : edit.execute({ path: named, edits: [{ old: "word", new: "word", all: true }] }, test.context);
        await running.then(
          () => (written += 1),
          () => undefined,
        );
      }
    } finally {
      await race.stop();
    }
    expect(written).toBeGreaterThan(0);
    const outside = path.join(path.dirname(test.workspace), "outside");
    for (const folder of [outside, test.at(".docker")]) {
      expect(await readdir(folder)).toEqual(["config.json"]);
      expect(await readFile(path.join(folder, "config.json"), "utf8")).toBe(`${CANARY} word\n`);
    }
    expect(await readFile(test.at(".env"), "utf8")).toBe(`${CANARY} word\n`);
  });
});
