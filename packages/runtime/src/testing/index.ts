/** For tests of tools, agents and everything that the loop drives. */
export { createManualClock } from "../limits/manual-clock.ts";
export type { ManualClock } from "../limits/manual-clock.ts";
export { runTest, toLines, toRecordedLines } from "./test-run.ts";
export type { TestRun, TestRunOptions } from "./test-run.ts";
