/** Memory: the event log, its implementations and what can be read from it. SQLite is in `@retinue/store/sqlite`. */
export type { AppendOptions, EventLog, Lease, LeaseOptions, RootRun } from "./contract.ts";
export type { ApprovalQuery, OpenApproval } from "./open-approval.ts";
export type { QueuedTurn, QueueQuery } from "./queued-turn.ts";
export type { Snapshot } from "./snapshot.ts";
export type { ArtifactBytes, ExportedArtifact } from "./stored-artifact.ts";
export { withPatience } from "./patience.ts";
export { heldError } from "./holder.ts";
export type { Holder, HolderOptions } from "./holder.ts";
export type { ProcessIdentity } from "./process-identity.ts";
export { createMemoryLog } from "./memory/memory-log.ts";
export type { MemoryLog } from "./memory/memory-log.ts";
export { fromEventKey, toEventKey } from "./event-key.ts";
export { MESSAGE_COLUMNS } from "./message-row.ts";
export type { MessageColumn, MessageRow, MessageStatus, RequestType } from "./message-row.ts";
export { project } from "./project.ts";
export type { Operation } from "./message-operation.ts";
export type { Projected, ProjectOptions, RunProjection } from "./project.ts";
export { projectSession } from "./project-session.ts";
export type { SessionRow } from "./project-session.ts";
export type { SystemPrompt } from "./system-prompt.ts";
export { renameExport } from "./rename-export.ts";
export type { RenameOptions } from "./rename-export.ts";
export { MESSAGE_ORDERS, SESSION_ORDERS, STATS_KEYS } from "./read-side.ts";
export type {
  Damage,
  DeleteOptions,
  MessageOrder,
  MessageQuery,
  Page,
  PageOptions,
  ReadSide,
  KeptRoom,
  RetainHooks,
  Retention,
  RunNode,
  SearchHit,
  SearchQuery,
  SessionExport,
  SessionOrder,
  SessionQuery,
  Stats,
  StatsKey,
  StatsQuery,
  Verification,
  VerifyProgress,
} from "./read-side.ts";
