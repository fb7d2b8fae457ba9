/** What tests of a store, and of what stands on one, are made of. */
export { describeEventLog } from "./log-contract.ts";
export { HOSTILE_STRINGS } from "./hostile-strings.ts";
export { createRunDrafts } from "./session-drafts.ts";
export type { RunDrafts, RunDraftsOptions } from "./session-drafts.ts";
export { describeReadSide } from "./read-side-contract.ts";
export { recordSession } from "./recorded-session.ts";
export type { RecordedSessionOptions } from "./recorded-session.ts";
