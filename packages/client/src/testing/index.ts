/** Made-up sessions for tests and measurements of whatever draws from events. */
export { createEventSource } from "./event-source.ts";
export type { EventSource, Speaker } from "./event-source.ts";
export { flattenUnordered, flattenView } from "./flatten-view.ts";
export { generateSession } from "./generate-session.ts";
export type { GeneratedSessionOptions } from "./generate-session.ts";
