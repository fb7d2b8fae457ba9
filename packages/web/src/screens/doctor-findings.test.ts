import { expect, test } from "vitest";
import { toFindings } from "./doctor-findings.ts";

test("a sandbox that works is told as good, by its name, and one that does not by the reason", () => {
  expect(toFindings({ sandbox: { backend: "bwrap", program: "/usr/bin/bwrap", version: "0.8" } })).toEqual([
    { label: "sandbox", value: "bwrap 0.8", isGood: true },
  ]);
  expect(toFindings({ sandbox: { backend: "none", reason: "bubblewrap is not installed", isInstalled: false } })).toEqual([
    { label: "sandbox", value: "none: bubblewrap is not installed", isGood: false },
  ]);
});
