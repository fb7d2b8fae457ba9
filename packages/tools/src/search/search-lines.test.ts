import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "@retinue/confine/testing";
import { searchLines } from "./search-lines.ts";

const FILES = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`folder${at % 10}/file${at}.txt`, `needle ${at}\nnoise\nneedle again\n`]),
);

const search = async (workspace: string, options: { readonly most: number; readonly reviewMs: number }) => {
  const tries: string[] = [];
  const { end, gathered } = await searchLines({
    args: ["--no-heading", "--with-filename", "--regexp=needle", "./"],
    cwd: workspace,
    separator: "\n",
    timeLimitMs: 20_000,
    signal: new AbortController().signal,
    ...options,
    gather: (what) => {
      tries.push(what);
      const records: string[] = [];
      return {
        records,
        onRecord: (record: string) => void records.push(record),
        found: () => records.length,
        isFull: () => records.length >= 5,
      };
    },
  });
  return { end, records: gathered.records, tries };
};

describe("a search for lines", () => {
  it("is made once where it is soon through, in the order of paths", async () => {
    await using test = await createTestWorkspace(FILES);
    const { end, records, tries } = await search(test.workspace, { most: 10_000, reviewMs: 60_000 });
    expect({ end, tries, found: records.length }).toEqual({ end: "done", tries: ["ordered"], found: 600 });
    expect(records[0]).toBe("./folder0/file0.txt:needle 0");
  });

  it("finds the same in any order", async () => {
    await using test = await createTestWorkspace(FILES);
    const inOrder = await search(test.workspace, { most: 10_000, reviewMs: 60_000 });
    const { end, records, tries } = await search(test.workspace, { most: 10_000, reviewMs: 0 });
    expect({ end, tries }).toEqual({ end: "done", tries: ["all"] });
    expect(records.toSorted()).toEqual(inOrder.records.toSorted());
  });

  it("gives what comes first where there is more than is wanted, also where all was searched in any order", async () => {
    await using test = await createTestWorkspace(FILES);
    const inOrder = await search(test.workspace, { most: 200, reviewMs: 60_000 });
    expect(inOrder).toMatchObject({ end: "enough", tries: ["ordered"] });
    expect(await search(test.workspace, { most: 200, reviewMs: 0 })).toEqual({
      end: "enough",
      tries: ["all", "first"],
      records: inOrder.records.slice(0, 5),
    });
  });
});
