/** HTTP and WebSocket: decode, call, encode. What is called stands in `Backend`. */
export type { Backend, CallName, Calls, EventsPage, Feeds, ReadonlyDeep } from "./backend.ts";
export { createServer } from "./create-server.ts";
export type { Server, ServerOptions } from "./create-server.ts";
export { createOpenApi } from "./openapi.ts";
export { FEED_LIMITS } from "./feed/limits.ts";
export type { FeedLimits } from "./feed/limits.ts";
export type { SignedInStore } from "./safety/keys.ts";
