/** What a call is answered with, whether it ran or not. */
import type { ArtifactRef, ErrorValue, FileChanges, TestCounts, ToolOutcome, Transferred, UserPart } from "@retinue/protocol";
import type { Spent } from "./tool.ts";

export type Answered = {
  readonly outcome: ToolOutcome;
  readonly content: readonly UserPart[];
  readonly error?: ErrorValue;
  readonly files?: FileChanges;
  readonly tests?: TestCounts;
  readonly sandbox?: string;
  readonly spent?: Spent;
  readonly artifact?: ArtifactRef;
  readonly transferred?: Transferred;
};
