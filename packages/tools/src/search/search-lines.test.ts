import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { searchLines } from "./search-lines.ts";

const FILES = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`folder${at % 10}/file${at}.txt`, `needle ${at}\nnoise\nneedle again\n`]),
);

type Tried = { readonly records: string[]; readonly found: () => number; readonly onRecord: (record: string) => boolean };

const search = async (workspace: string, { most, reviewMs }: { most: number; reviewMs: number }) => {
  const tries: Tried[] = [];
  const { end, gathered } = await searchLines({
    args: ["--no-heading", "--with-filename", "--regexp=needle", "./"],
    cwd: workspace,
    separator: "\n",
    timeLimitMs: 20_000,
    signal: new AbortController().signal,
    most,
    reviewMs,
    gather: () => {
      const records: string[] = [];
      const tried = { records, found: () => records.length, onRecord: (record: string) => records.push(record) > 0 };
      tries.push(tried);
      return tried;
    },
  });
  return { end, records: gathered.records, tries: tries.length };
};

describe("a search for lines", () => {
  it("is made once where it is soon through, in the order of paths", async () => {
    await using test = await createTestWorkspace(FILES);
    const { end, records, tries } = await search(test.workspace, { most: 10_000, reviewMs: 60_000 });
    expect({ end, tries, found: records.length }).toEqual({ end: "done", tries: 1, found: 600 });
    expect(records[0]).toContain("folder0/file0.txt");
  });

  it("finds the same when it takes long and is made in any order", async () => {
    await using test = await createTestWorkspace(FILES);
    const inOrder = await search(test.workspace, { most: 10_000, reviewMs: 60_000 });
    const { end, records, tries } = await search(test.workspace, { most: 10_000, reviewMs: 0 });
    expect({ end, tries }).toEqual({ end: "done", tries: 2 });
    expect(records.toSorted()).toEqual(inOrder.records.toSorted());
  });

  it("gives what comes first where there is more than is wanted, however long it takes", async () => {
    await using test = await createTestWorkspace(FILES);
    const inOrder = await search(test.workspace, { most: 50, reviewMs: 60_000 });
    expect(inOrder).toMatchObject({ end: "enough", tries: 1 });
    expect(inOrder.records).toHaveLength(50);
    expect(await search(test.workspace, { most: 50, reviewMs: 0 })).toEqual({ ...inOrder, tries: 3 });
  });
});
