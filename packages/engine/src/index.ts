/** Where runs live. */
export { childRunId, createEmbeddedEngine } from "./embedded-engine.ts";
export type { Engine, EngineOptions, HostPorts, ResumeOptions, RunHandle, RunRequest } from "./embedded-engine.ts";
export { createFollower } from "./follower.ts";
export type { Follower } from "./follower.ts";
export { verifyReplay } from "./verify-replay.ts";
export type { ReplayVerdict } from "./verify-replay.ts";
export { currentRun } from "./current-run.ts";
export type { Approver, Inbox } from "./inbox.ts";
export { spentBelow } from "./spent-below.ts";
export { createMergeOrder } from "./worktree/merge-order.ts";
export type { MergeOrder } from "./worktree/merge-order.ts";
