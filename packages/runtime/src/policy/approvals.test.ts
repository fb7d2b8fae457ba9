import type { ProposedAct } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { hashAct, isAlikeAllowed, isAskedAbout, likenessOf } from "./approvals.ts";

const ACT: ProposedAct = {
  callId: "call_1",
  tool: "shell",
  effect: "execute",
  input: { command: "make" },
  paths: [],
  hosts: [],
};

const UNSANDBOXED: ProposedAct = { ...ACT, unsandboxed: "It would run without a sandbox (no space left on device)." };

describe("a question that was asked while the sandbox did not work", () => {
  test("covers the same act once it does, and while it fails for another reason", () => {
    expect(isAskedAbout({ act: UNSANDBOXED, hash: hashAct(UNSANDBOXED) }, ACT)).toBe(true);
    expect(isAskedAbout({ act: UNSANDBOXED, hash: hashAct(UNSANDBOXED) }, { ...ACT, unsandboxed: "too many open files" })).toBe(
      true,
    );
    expect(isAlikeAllowed(new Set([likenessOf(UNSANDBOXED)]), ACT)).toBe(true);
  });

  test("covers no other act", () => {
    expect(isAskedAbout({ act: UNSANDBOXED, hash: hashAct(UNSANDBOXED) }, { ...ACT, input: { command: "make all" } })).toBe(
      false,
    );
    expect(isAlikeAllowed(new Set([likenessOf(UNSANDBOXED)]), { ...ACT, input: { command: "make all" } })).toBe(false);
  });
});

test("a question that was asked while the sandbox worked does not cover the act without one", () => {
  expect(isAskedAbout({ act: ACT, hash: hashAct(ACT) }, UNSANDBOXED)).toBe(false);
  expect(isAlikeAllowed(new Set([likenessOf(ACT)]), UNSANDBOXED)).toBe(false);
});
