/** The parts of a call that does more than one thing, as its tool sees them. */
import type {
  Aside,
  CallId,
  ErrorValue,
  FileChanges,
  Json,
  PlanBody,
  TestCounts,
  ToolOutcome,
  Usage,
  UserPart,
} from "@retinue/protocol";

export type Part = { readonly callId: CallId; readonly tool: string; readonly input: Json };

/** What the record is to know of what came out of a part. */
export type PartAnswer = {
  readonly outcome: ToolOutcome;
  readonly content: readonly UserPart[];
  readonly files?: FileChanges;
  readonly tests?: TestCounts;
  readonly error?: ErrorValue;
  readonly spent?: { readonly usage: Usage; readonly costUsd: number | null };
};

export type Conduct = {
  /** Tells how the plan goes; what the record knows already is not told again. */
  readonly tell: (body: PlanBody) => void;
  /** Does a part of the work. */
  readonly part: <T>(part: Part, work: () => Promise<T>, toAnswer: (worked: T) => PartAnswer) => Promise<T>;
  /** Does a part that nothing but the record knows of: one that is done is not done again, and is answered as it was. */
  readonly once: (part: Part, aside: Aside, work: () => Promise<PartAnswer>) => Promise<PartAnswer>;
  /** Asks a human before a part begins; null, or why not. Throws `Parked` where the answer is waited for outside of memory. */
  readonly ask: (part: Part) => Promise<string | null>;
};
