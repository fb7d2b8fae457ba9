/** For tests of what acts through the walls. */
export { runConfinedShell, WHOLE } from "./confined-shell.ts";
export type { ShellRun } from "./confined-shell.ts";
export { createTestInternet } from "./test-internet.ts";
export type { TestInternet } from "./test-internet.ts";
export { createSelfSigned } from "./self-signed.ts";
export type { Certificate } from "./self-signed.ts";
export { createTestRepository } from "./test-repository.ts";
export type { TestRepository } from "./test-repository.ts";
export { createTestRun, createTestWorkspace, toText } from "./tool-context.ts";
export type { TestWorkspace } from "./tool-context.ts";
export { runWriteRace } from "./write-race.ts";
export type { RaceOptions, RaceResult } from "./write-race.ts";
