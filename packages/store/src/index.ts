/** Memory: the event log and its implementations. */
export type { EventLog, Lease } from "./contract.ts";
export { createMemoryLog } from "./memory/memory-log.ts";
export type { MemoryLog } from "./memory/memory-log.ts";
