import type { Message } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import { createCallIds } from "./call-ids.ts";

const HISTORY: Message[] = [
  { role: "user", content: [] },
  {
    role: "assistant",
    content: [
      { type: "tool-call", callId: "call_a", tool: "t", arguments: "{}" },
      { type: "tool-call", callId: "call_3", tool: "t", arguments: "{}" },
    ],
  },
];

describe("call ids", () => {
  it("keep the provider's own while it is new", () => {
    const toId = createCallIds(HISTORY);
    expect([toId("call_b"), toId("toolu_01-X")]).toEqual(["call_b", "toolu_01-X"]);
  });

  it("are made up where there is none, it is malformed, or it was used", () => {
    const toId = createCallIds(HISTORY);
    const ids = [toId(""), toId("call_a"), toId("has space"), toId("x".repeat(65)), toId("dup"), toId("dup"), toId("call_4")];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[\w-]{1,64}$/);
      expect(["call_a", "call_3"]).not.toContain(id);
    }
    expect(ids[4]).toBe("dup");
  });
});
