/** What tests of a store, and of what stands on one, are made of. */
export { HOSTILE_STRINGS } from "./hostile-strings.ts";
export { describeHolding } from "./holding-contract.ts";
export { describeEventLog } from "./log-contract.ts";
export { measureRecording } from "./measure-recording.ts";
export type { MeasureOptions, RecordingCost } from "./measure-recording.ts";
export { describeReadSide } from "./read-side-contract.ts";
export { recordSession } from "./recorded-session.ts";
export type { RecordedSessionOptions } from "./recorded-session.ts";
export { createSeededRandom } from "./seeded-random.ts";
export type { SeededRandom } from "./seeded-random.ts";
export { describeSpeaking } from "./speaking-contract.ts";
export type { SharedStore } from "./speaking-contract.ts";
export { createRunDrafts } from "./session-drafts.ts";
export type { RunDrafts, RunDraftsOptions } from "./session-drafts.ts";
export { exportOf } from "./export-of.ts";
export { rechain } from "./rechain.ts";
