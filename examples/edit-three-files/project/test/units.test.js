import assert from "node:assert/strict";
import test from "node:test";
import { toCentimetres } from "../src/length.js";
import { toCelsius } from "../src/temperature.js";
import { toKilograms } from "../src/weight.js";

test("lengths are told to two digits", () => {
  assert.equal(toCentimetres(1.5), 3.81);
  assert.equal(toCentimetres(1 / 3), 0.85);
});

test("weights are told to two digits", () => {
  assert.equal(toKilograms(10), 4.54);
});

test("temperatures are told to two digits", () => {
  assert.equal(toCelsius(100), 37.78);
  assert.equal(toCelsius(32), 0);
});
