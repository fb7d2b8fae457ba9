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

test("what is neither SQLite's nor the file system's comes back as it is", () => {
  const error = new Error("x");
  expect(toStoreError(error, "/store.db")).toBe(error);
  const ours = new RetinueError("lease_lost", "x");
  expect(toStoreError(ours, "/store.db")).toBe(ours);
});
