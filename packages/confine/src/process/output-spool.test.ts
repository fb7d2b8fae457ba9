import { fstatSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { OutputSpool } from "./output-spool.ts";

const spooled = (text: string, chunkBytes: number): ReturnType<OutputSpool["read"]> => {
  const spool = new OutputSpool({ memoryBytes: 16, headBytes: 40, tailBytes: 30 });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) spool.write(bytes.subarray(at, at + chunkBytes));
  try {
    return spool.read();
  } finally {
    spool.close();
  }
};

afterEach(() => vi.unstubAllEnvs());

/** Our open files in a folder, by their number. */
const openFilesIn = (folder: string): ReadonlyMap<number, string> =>
  new Map(
    readdirSync("/proc/self/fd").flatMap((number) => {
      try {
        const name = readlinkSync(`/proc/self/fd/${number}`);
        return name.startsWith(`${folder}/`) ? [[Number(number), path.relative(folder, name)] as const] : [];
      } catch {
        return [];
      }
    }),
  );

describe("an output spool", () => {
  it("A21: keeps its file private, under a name that nobody could plant a link at, and gone at once", async () => {
    await using test = await createTestWorkspace();
    vi.stubEnv("TMPDIR", test.workspace);
    const spools = [new OutputSpool({ memoryBytes: 1 }), new OutputSpool({ memoryBytes: 1 })];
    for (const spool of spools) spool.write(Buffer.from("secret output"));
    // Nobody else finds anything, neither the file nor its folder.
    expect(readdirSync(test.workspace)).toEqual([]);
    if (process.platform === "linux") {
      const files = [...openFilesIn(test.workspace)];
      expect(files).toHaveLength(2);
      expect(new Set(files.map(([, name]) => name)).size).toBe(2);
      for (const [number, name] of files) {
        expect(name).toMatch(/^retinue-spool-[\d-]+-[A-Za-z0-9]{6}\/output \(deleted\)$/);
        expect(fstatSync(number)).toMatchObject({ nlink: 0, mode: 0o100600 });
      }
    }
    for (const spool of spools) {
      expect(spool.read().head).toBe("secret output");
      spool.close();
    }
  });

  it("gives back whole what fits, whatever the length and the chunks", () => {
    for (let length = 0; length <= 70; length += 1)
      for (const chunk of [1, 7, 100]) {
        const text = Array.from({ length }, (_, index) => index % 10).join("");
        expect(spooled(text, chunk)).toEqual({ head: text, tail: "", totalBytes: length, omittedBytes: 0 });
      }
  });

  it("keeps the first and the last bytes of what does not fit", () => {
    for (let length = 71; length <= 200; length += 1)
      for (const chunk of [1, 7, 100, 300]) {
        const text = Array.from({ length }, (_, index) => String.fromCodePoint(33 + (index % 90))).join("");
        expect(spooled(text, chunk)).toEqual({
          head: text.slice(0, 40),
          tail: text.slice(-30),
          totalBytes: length,
          omittedBytes: length - 70,
        });
      }
  });

  it("cuts between characters", () => {
    const { head, tail } = spooled("€".repeat(100), 11);
    expect(head).toBe("€".repeat(13));
    expect(tail).toBe("€".repeat(10));
    expect(spooled(`x${"€".repeat(99)}`, 11).tail).not.toContain("\uFFFD");
  });
});
