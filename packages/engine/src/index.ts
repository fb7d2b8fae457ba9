/** Where runs live. */
export { readNextTurn } from "./embedded/queued-turns.ts";
export { countVainStarts, hasUnheardInputs } from "./unheard-inputs.ts";
export { childRunId, createEmbeddedEngine } from "./embedded-engine.ts";
export type {
  Approver,
  Cancel,
  Engine,
  EngineOptions,
  FollowOptions,
  Given,
  HeldConversation,
  HostPorts,
  ResumeOptions,
  RunHandle,
  RunOutcome,
  RunRequest,
  Spawned,
} from "./contract.ts";
export { followSession } from "./follow-session.ts";
export { createFollower } from "./follower.ts";
export type { Follower } from "./follower.ts";
export { compareDefinitions } from "./replay/compare-definitions.ts";
export type { DefinitionDifference } from "./replay/compare-definitions.ts";
export { verifyReplay } from "./replay/verify-replay.ts";
export type { ReplayVerdict } from "./replay/verify-replay.ts";
export { currentRun } from "./embedded/current-run.ts";
export { readSpeaker } from "./embedded/find-speaker.ts";
export { createEngineFloor } from "./embedded/floor.ts";
export type { EngineFloor } from "./embedded/floor.ts";
export { spentBelow } from "./embedded/spent-below.ts";
export { createMergeOrder } from "./worktree/merge-order.ts";
export type { MergeOrder } from "./worktree/merge-order.ts";
