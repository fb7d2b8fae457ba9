/** For tests of tools, here and elsewhere. */
export { createTestWorkspace, toText } from "./tool-context.ts";
export type { TestWorkspace } from "./tool-context.ts";
export { runWriteRace } from "./write-race.ts";
export type { RaceOptions, RaceResult } from "./write-race.ts";
