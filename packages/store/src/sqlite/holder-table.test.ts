import { expect, test, vi } from "vitest";
import { createTestFolder } from "../testing/test-folder.ts";
import { createHolderTable } from "./holder-table.ts";
import { openDatabase } from "./open-database.ts";
import { createStatements } from "./statements.ts";

const folder = createTestFolder();

test("each beat says anew that a holder lives, and one that left is gone", () => {
  const db = openDatabase({ path: folder.file(), synchronous: "NORMAL" });
  const holders = createHolderTable(createStatements(db), {});
  const heardAt = (): unknown[] =>
    db
      .prepare("SELECT beat_at FROM holders")
      .all()
      .map((row) => row["beat_at"]);
  const now = vi.spyOn(Date, "now");
  now.mockReturnValue(1_000);
  holders.beat();
  now.mockReturnValue(11_000);
  holders.beat();
  expect(heardAt()).toEqual([11_000]);
  holders.leave();
  expect(heardAt()).toEqual([]);
  db.close();
});
