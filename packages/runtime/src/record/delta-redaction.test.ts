/** Each kind of a streamed answer is cleaned for itself, and an answer that is void takes what was held back with it. */
import { expect, test } from "vitest";
import { createDeltaRedaction } from "./delta-redaction.ts";
import type { Redactor } from "./redactor.ts";

/** Holds back the last two characters. */
const redactor: Redactor = {
  text: (text) => text,
  stream: () => {
    let held = "";
    return {
      push: (chunk) => {
        const text = held + chunk;
        held = text.slice(-2);
        return text.slice(0, -2);
      },
      end: () => held,
    };
  },
};

test("text and reasoning that come in turns are streams of their own", () => {
  const deltas = createDeltaRedaction(redactor);
  expect([deltas.push("reasoning", "think"), deltas.push("text", "speak"), deltas.push("reasoning", "ing")]).toEqual([
    "thi",
    "spe",
    "nki",
  ]);
  expect(deltas.end()).toEqual([
    { kind: "reasoning", text: "ng" },
    { kind: "text", text: "ak" },
  ]);
});

test("nothing of a void answer comes out of the next one", () => {
  const deltas = createDeltaRedaction(redactor);
  deltas.push("text", "void");
  deltas.reset();
  expect(deltas.push("text", "again")).toBe("aga");
  expect(deltas.end()).toEqual([{ kind: "text", text: "in" }]);
});
