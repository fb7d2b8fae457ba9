import assert from "node:assert/strict";
import test from "node:test";
import { formatCents, toCents } from "../dist/money.js";

test("a price becomes whole cents", () => {
  assert.equal(toCents(19.99), 1999);
});

test("cents are shown with two digits", () => {
  assert.equal(formatCents(1905), "19.05");
});
