import { RetinueError } from "@retinue/protocol";
import { expect, test } from "vitest";
import { toStoreError } from "./sqlite-errors.ts";

const systemError = (code: string): Error => Object.assign(new Error(`${code}: fsync`), { code, syscall: "fsync" });

test.each([
  ["ENOSPC", "store_full"],
  ["EDQUOT", "store_full"],
  ["EIO", "store_failed"],
])("a file system that says %s while a store is made is told as %s", (code, told) => {
  const error = toStoreError(systemError(code), "/store.db");
  expect(error).toBeInstanceOf(RetinueError);
  expect(error).toMatchObject({ code: told, message: expect.stringContaining("/store.db") });
});

test.each([
  [10, "store_failed"],
  [13, "store_full"],
  // The file that processes share beside the store could not be made: there is no room left at all.
  [4874, "store_full"],
])("SQLite's error %i is told as %s", (errcode, told) => {
  expect(toStoreError(Object.assign(new Error("x"), { errcode }), "/store.db")).toMatchObject({ code: told });
});

test("what is neither SQLite's nor the file system's comes back as it is", () => {
  const error = new Error("x");
  expect(toStoreError(error, "/store.db")).toBe(error);
  const ours = new RetinueError("lease_lost", "x");
  expect(toStoreError(ours, "/store.db")).toBe(ours);
});
