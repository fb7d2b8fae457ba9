/** What the TUI remembers between two keys. Everything else is read from the sessions when a frame is drawn. */
import type { ImagePart, RunId } from "@retinue/protocol";
import type { Completion } from "./input/completion.ts";
import type { EditedText } from "./input/text-editor.ts";
import type { Review } from "./question/review.ts";
import type { SeenRows } from "./question/seen-rows.ts";
import { EMPTY_TEXT } from "./input/text-editor.ts";

/** A choice that takes the next key. */
export type StopOffer = { readonly runId: RunId; readonly name: string; readonly below: number };

export type TuiState = {
  input: EditedText;
  /** A text that was set aside while a question is answered by typing. */
  draft: EditedText | undefined;
  completion: Completion | undefined;
  /** Which of the suggestions is marked. */
  suggested: number;
  /** Pictures that go with a text in which their marks stand. */
  readonly images: Map<string, ImagePart>;
  history: readonly string[];
  /** How far back in the history; 0 is what is being typed. */
  historyAt: number;
  beforeHistory: EditedText;
  /** Keys move in the tree. */
  inTree: boolean;
  selected: RunId | undefined;
  opened: RunId | undefined;
  /** How many rows of the opened run are scrolled out at its end. */
  openedScroll: number;
  readonly folds: Map<RunId, boolean>;
  stopOffer: StopOffer | undefined;
  /** How far one has read in what is asked about, by question. */
  readonly reviews: Map<string, Review>;
  /** What was on the screen of each question. */
  readonly seen: Map<string, SeenRows>;
  /** The question whose card did not fit on the screen. */
  cutCard: string | undefined;
  /** One line that goes away with the next key. */
  notice: string | undefined;
  /** When Ctrl-C was last pressed. */
  interruptedAt: number;
  hasFocus: boolean;
};

export const createTuiState = (history: readonly string[]): TuiState => ({
  input: EMPTY_TEXT,
  draft: undefined,
  completion: undefined,
  suggested: 0,
  images: new Map(),
  history,
  historyAt: 0,
  beforeHistory: EMPTY_TEXT,
  inTree: false,
  selected: undefined,
  opened: undefined,
  openedScroll: 0,
  folds: new Map(),
  reviews: new Map(),
  seen: new Map(),
  cutCard: undefined,
  stopOffer: undefined,
  notice: undefined,
  interruptedAt: -Infinity,
  hasFocus: true,
});

/** Keys are free for a question: nobody types, and nobody moves in the tree. */
export const hasFreeKeys = ({ input, inTree }: TuiState): boolean => input.text === "" && !inTree;
