/** Memory: the event log and its implementations. */
export type { EventLog, Lease } from "./contract.ts";
