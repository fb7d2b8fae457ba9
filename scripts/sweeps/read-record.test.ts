import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCrashed, readRecord } from "./read-record.ts";
import { databaseIn } from "./trial-record.ts";
import { runVictim } from "./victim-process.ts";

let place = "";

beforeAll(async () => {
  place = mkdtempSync(path.join(tmpdir(), "retinue-record-"));
  await runVictim({ order: { folder: place, scenario: "five-turns" }, cache: path.join(place, "cache") });
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

const damaged = (sql: string): readonly string[] => {
  const file = path.join(place, "damaged.db");
  copyFileSync(databaseIn(place), file);
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
  return readRecord(file).faults;
};

test("a record that was written whole is read without a fault, also from a copy", () => {
  const record = readRecord(databaseIn(place));
  expect(record.faults).toEqual([]);
  expect(record.events.at(-1)?.type).toBe("run.settled");
  expect(readCrashed(databaseIn(place))).toEqual(record);
});

test.each([
  ["changed", "UPDATE events SET body = replace(body, 'put-1', 'put-9')"],
  ["taken out of the middle", "DELETE FROM events WHERE id = (SELECT id FROM events ORDER BY id LIMIT 1 OFFSET 5)"],
  ["cut off at the end", "DELETE FROM events WHERE id = (SELECT max(id) FROM events)"],
])("an event that was %s is a fault", (_, sql) => {
  expect(damaged(sql)).not.toEqual([]);
});

test("what does not exist has no events", () => {
  expect(readCrashed(path.join(place, "nothing.db"))).toEqual({ events: [], faults: [] });
});
