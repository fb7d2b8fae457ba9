/** A question to the human: whether an act may be done, or what an agent wants to know. */
import type { ApprovalView } from "@retinue/client";
import type { ApprovalId } from "@retinue/protocol";

export type ApprovalQuestion = { readonly type: "approval"; readonly id: ApprovalId; readonly approval: ApprovalView };

export type AskQuestion = {
  readonly type: "ask";
  readonly id: string;
  /** Who asks; an agent where it is absent. */
  readonly by?: string;
  readonly text: string;
  readonly options: readonly string[];
  /** The record tells of the answer. */
  readonly isRecorded?: true;
  /** Undefined: nobody answers. */
  readonly settle: (answer: string | undefined) => void;
};

export type Question = ApprovalQuestion | AskQuestion;
