import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { recordSession } from "../testing/recorded-session.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

describe("a store that was pruned", () => {
  it("is smaller, and what is left is as it was", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    for (let at = 0; at < 12; at += 1)
      await recordSession(log, { sessionId: `ses_${at}`, output: `needle ${at} `.repeat(20_000) });
    await log.readSide.search("needle");
    // Closing brings everything into the file.
    await log.close();
    const before = statSync(path).size;
    const again = createSqliteLog({ path });
    const left = await again.read("ses_11");
    expect(await again.readSide.retain({ keep: 1 })).toHaveLength(11);
    expect(statSync(path).size).toBeLessThan(before / 4);
    expect(await again.read("ses_11")).toEqual(left);
    const next = createRunDrafts({ sessionId: "ses_11", runId: "run_next" });
    await again.append([next.requested()]);
    expect((await again.readSide.search("needle")).items.map(({ sessionId }) => sessionId)).toEqual(["ses_11"]);
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
    expect(statSync(path).size).toBeLessThan(before / 4);
  });

  it("is left as large as it is where little was taken away", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log, { sessionId: "ses_1" });
    for (let at = 2; at < 5; at += 1) await recordSession(log, { sessionId: `ses_${at}`, output: "x ".repeat(300_000) });
    await log.close();
    const before = statSync(path).size;
    const again = createSqliteLog({ path });
    expect(await again.readSide.retain({ keep: 3 })).toEqual(["ses_1"]);
    expect(statSync(path).size).toBe(before);
    await again.close();
  });
});
