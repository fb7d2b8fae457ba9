/** The lane is always told, and one without a sandbox is a failure where one is required. */
import { expect, test } from "vitest";
import { toLane } from "./sandbox-lane.ts";

const NONE = { backend: "none", reason: "bubblewrap is not installed", isInstalled: false } as const;
const BWRAP = { backend: "bwrap", program: "/usr/bin/bwrap", version: "0.8", processCap: { type: "rlimit" } } as const;

test("a sandbox that works is enough, required or not", () => {
  for (const isRequired of [true, false])
    expect(toLane(BWRAP, isRequired)).toEqual({
      line: "Sandbox lane: bwrap 0.8; number of processes kept by rlimit.",
      isEnough: true,
    });
});

test("none is said with its reason, and fails where one is required", () => {
  expect(toLane(NONE, false)).toEqual({
    line: "Sandbox lane: none, tests assert the refusal (bubblewrap is not installed).",
    isEnough: true,
  });
  expect(toLane(NONE, true)).toEqual({
    line: "Sandbox lane: none, tests assert the refusal (bubblewrap is not installed). SANDBOX_REQUIRED=1 asks for one.",
    isEnough: false,
  });
});
