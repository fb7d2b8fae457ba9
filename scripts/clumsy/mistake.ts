/** A kind of mistake that models make, as data: which act it fits, and what is said in place of it. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { Act } from "./goal.ts";

export type Mistake = {
  readonly name: string;
  readonly fits: (act: Act) => boolean;
  /**
   * `call`: said in place of the act, which counts as done where it is accepted. `turn`: said before the act, as often as `times` says or until the run
   * objects. `skip`: the act is left out, and whatever is claimed in the end is claimed all the same.
   */
  readonly kind: "call" | "turn" | "skip";
  readonly say: (act: Act) => ScriptedTurn;
  readonly times?: number;
  /** Whether a refusal tells enough to make the call right; by default where it names every missing key. */
  readonly isTold?: (answer: string, act: Act) => boolean;
  /** What a model does that was told; the act itself by default. */
  readonly mended?: (act: Act) => readonly Act[];
  /** A file that somebody else changes before the act. */
  readonly touches?: (act: Act) => string;
};
