import type { RunResult } from "@retinue/protocol";
import { expect, test } from "vitest";
import { resultExitCode } from "./exit-code.ts";

const result = (part: Partial<RunResult>): RunResult => ({
  status: "completed",
  summary: "",
  details: "",
  filesModified: [],
  filesCreated: [],
  testsRun: 0,
  testsPassed: 0,
  warnings: [],
  unverified: [],
  suggestions: [],
  findings: [],
  iterations: 1,
  toolCalls: 0,
  contextTokens: 0,
  durationMs: 0,
  usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
  costUsd: null,
  depth: 0,
  ...part,
});

test.each<[Partial<RunResult>, number]>([
  [{ status: "completed" }, 0],
  [{ status: "completed", testsRun: 2, testsPassed: 1 }, 5],
  [{ status: "completed", testsRun: 4, testsPassed: 3, latestTests: { run: 2, passed: 2 } }, 0],
  [{ status: "completed", unverified: ["a change of a.ts"] }, 5],
  [{ status: "failed", bailoutReason: "error", error: { code: "model_auth", message: "" } }, 1],
  [{ status: "failed", bailoutReason: "stuck", error: { code: "stuck", message: "" } }, 1],
  [{ status: "failed" }, 1],
  [{ status: "failed", error: { code: "model_unknown", message: "" } }, 2],
  [{ status: "partial", bailoutReason: "max_iterations", error: { code: "limit_reached", message: "" } }, 3],
  [{ status: "timeout", bailoutReason: "timeout", error: { code: "limit_reached", message: "" } }, 3],
  [{ status: "cancelled", bailoutReason: "cancelled", error: { code: "cancelled", message: "" } }, 130],
])("%j exits with %i", (part, code) => expect(resultExitCode(result(part))).toBe(code));
