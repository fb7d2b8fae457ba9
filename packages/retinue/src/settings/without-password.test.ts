import { describe, expect, test } from "vitest";
import { withoutPassword } from "./without-password.ts";

describe("an address that is shown", () => {
  test.each([
    ["postgres://me:secret@db.example:5432/retinue", "postgres://me:…@db.example:5432/retinue"],
    ["postgres://me:p@ss@host/x", "postgres://me:…@host/x"],
    ["postgres://:secret@host/x", "postgres://:…@host/x"],
    ['{"url":"postgresql://me:s3cret@host/x","b":"c@d"}', '{"url":"postgresql://me:…@host/x","b":"c@d"}'],
    ["postgres://me@host/x?user=a:b@c", "postgres://me@host/x?user=a:b@c"],
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"],
    ["a:b@c", "a:b@c"],
  ])("of %s is %s", (given, shown) => {
    expect(withoutPassword(given)).toBe(shown);
  });
});
