import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { runRipgrep } from "./ripgrep.ts";

const BIG = "line of text\n".repeat(4_000_000);

describe("a run of ripgrep", () => {
  it("is ended when its time is up, and says so", async () => {
    await using test = await createTestWorkspace();
    const end = await runRipgrep({
      args: ["--", "text", "-"],
      cwd: test.workspace,
      input: BIG,
      separator: "\n",
      timeLimitMs: 1,
      signal: test.context.signal,
      onRecord: () => true,
    });
    expect(end).toBe("time");
  });

  it("is ended when enough was found, and hands on no record more", async () => {
    await using test = await createTestWorkspace();
    const records: string[] = [];
    const end = await runRipgrep({
      args: ["--", "text", "-"],
      cwd: test.workspace,
      input: BIG,
      separator: "\n",
      timeLimitMs: 60_000,
      signal: test.context.signal,
      onRecord: (record) => records.push(record) < 3,
    });
    expect(end).toBe("enough");
    expect(records).toEqual(["line of text", "line of text", "line of text"]);
  });

  it("is ended at its review when that does not want it to go on, and is asked once otherwise", async () => {
    await using test = await createTestWorkspace();
    // It never ends by itself, and has nothing to do.
    execFileSync("mkfifo", [test.at("fifo")]);
    const run = {
      args: ["--", "text", "fifo"],
      cwd: test.workspace,
      separator: "\n",
      signal: test.context.signal,
      onRecord: () => true,
    } as const;
    const stops = { afterMs: 1, goesOn: () => false };
    expect(await runRipgrep({ ...run, timeLimitMs: 60_000, review: stops })).toBe("reviewed");
    let asked = 0;
    const goesOn = { afterMs: 1, goesOn: () => (asked += 1) > 0 };
    expect(await runRipgrep({ ...run, timeLimitMs: 300, review: goesOn })).toBe("time");
    expect(asked).toBe(1);
  });

  it("throws when it is no longer wanted", async () => {
    await using test = await createTestWorkspace();
    const run = runRipgrep({
      args: ["--", "text", "-"],
      cwd: test.workspace,
      input: BIG,
      separator: "\n",
      timeLimitMs: 60_000,
      signal: test.context.signal,
      onRecord: () => {
        test.stop(new Error("stopped"));
        return true;
      },
    });
    await expect(run).rejects.toThrow("stopped");
  });

  it("cuts a record that is too long and keeps the ones around it whole", async () => {
    await using test = await createTestWorkspace();
    const records: string[] = [];
    await runRipgrep({
      args: ["--", ".", "-"],
      cwd: test.workspace,
      input: `before\n${"x".repeat(1_000_000)}\nafter\n`,
      separator: "\n",
      timeLimitMs: 60_000,
      signal: test.context.signal,
      onRecord: (record) => records.push(record) > 0,
    });
    expect(records.map((record) => record.length)).toEqual([6, 64 * 1024, 5]);
  });
});
