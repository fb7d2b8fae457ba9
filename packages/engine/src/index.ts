/** Where runs live. */
export { createEmbeddedEngine } from "./embedded-engine.ts";
export type { Engine, EngineOptions, HostPorts, RunHandle, RunRequest } from "./embedded-engine.ts";
export { createFollower } from "./follower.ts";
export type { Follower } from "./follower.ts";
export { verifyReplay } from "./verify-replay.ts";
export type { ReplayVerdict } from "./verify-replay.ts";
