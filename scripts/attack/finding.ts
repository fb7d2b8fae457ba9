/** What an attack must never find. */

export type FindingKind =
  | "read-out"
  | "changed"
  | "reached"
  | "process-left"
  | "swapped"
  | "altered"
  | "allowed-itself"
  | "loaded"
  | "ran-though-ruled"
  | "unasked"
  | "let-in"
  | "control-token"
  | "crashed"
  | "hung";

export type Finding = {
  readonly kind: FindingKind;
  /** What, and where. */
  readonly what: string;
  /** How many calls of the trial had been answered when it was seen; absent where it was seen at the end. */
  readonly afterCalls?: number;
};

export const toLine = ({ kind, what }: Finding): string => `${kind}: ${what}`;
