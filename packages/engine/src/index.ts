/** Where runs live. */
export { createEmbeddedEngine } from "./embedded-engine.ts";
export type { Engine, EngineOptions, HostPorts, RunHandle, RunRequest } from "./embedded-engine.ts";
export { createFollower } from "./follower.ts";
export type { Follower } from "./follower.ts";
