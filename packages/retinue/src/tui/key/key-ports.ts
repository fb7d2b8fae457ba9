/** What a key can reach: what is remembered, the questions, and the acts that keys lead to. */
import type { ApprovalScope, RunId } from "@retinue/protocol";
import type { Question } from "../question/question.ts";
import type { QuestionQueue } from "../question/question-queue.ts";
import type { ReviewLine } from "../question/review.ts";
import type { TuiState } from "../tui-state.ts";

/** What keys lead to, carried out by the TUI. */
export type Acts = {
  readonly submit: (text: string, how: "now" | "after") => void;
  readonly allow: (question: Question, scope: ApprovalScope) => void;
  readonly allowByRule: (question: Question, isKept: boolean) => void;
  readonly deny: (question: Question, reason: string) => void;
  readonly answerAsk: (question: Question, text: string) => void;
  readonly showWhole: (question: Question) => void;
  /** What the question is about, line by line. */
  readonly linesOf: (question: Question) => readonly ReviewLine[];
  /** What the answers cover that hold for longer than once. */
  readonly coverOf: (question: Question) => string;
  readonly stop: (runId: RunId, isFinish: boolean) => void;
  /** What Esc offers to stop; undefined where nothing runs. */
  readonly offerStop: (runId?: RunId) => TuiState["stopOffer"];
  readonly stopTurn: () => boolean;
  readonly leave: () => void;
  readonly complete: () => void;
  /** Puts images in the place of their paths; what is none stays as it was pasted. */
  readonly attach: (paths: readonly string[], pasted: string) => void;
  /** Puts the latest queued text back into the input; false where none waits. */
  readonly takeBackLater: () => boolean;
  readonly nameOf: (runId: RunId) => string;
  readonly shownRuns: () => readonly RunId[];
  readonly redraw: () => void;
  /** Pages through what is finished, up or down, where the terminal does not. */
  readonly page: (pages: number) => void;
};

export type KeyPorts = {
  readonly state: TuiState;
  readonly queue: QuestionQueue;
  readonly acts: Acts;
  readonly now: () => number;
};
