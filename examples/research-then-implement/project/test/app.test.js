import assert from "node:assert/strict";
import test from "node:test";
import { handle } from "../src/app.js";

const basic = (name, password) => ({ authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}` });

test("a user with the right password reads the notes", () => {
  assert.equal(handle({ method: "GET", path: "/notes", headers: basic("ada", "lovelace") }).status, 200);
});

test("nobody else does", () => {
  assert.equal(handle({ method: "GET", path: "/notes", headers: basic("ada", "wrong") }).status, 401);
  assert.equal(handle({ method: "GET", path: "/notes" }).status, 401);
});
