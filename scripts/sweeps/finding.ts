/** What a sweep can find wrong. */
export const FINDING_KINDS = [
  /** An event that was acknowledged is not there, or not as it was acknowledged. */
  "lost",
  /** An effect that may not be repeated was made again. */
  "twice",
  /** A call has no result, several, or a result has no call. */
  "unpaired",
  /** A model was asked for an answer that it had given, and that was recorded. */
  "asked-again",
  /** A resumed run did not settle as it would have settled undisturbed. */
  "failed-resume",
  /** A call that was under way is not told as unknown, or one is that was not under way. */
  "wrong-unknown",
  /** An effect that no record announced, or one that a record claims and nobody made. */
  "wrong-effect",
  "broken-chain",
  "wrong-limits",
  "child-twice",
  "wrong-approval",
  /** What was said to a run was not heard, was heard twice, or could not be said. */
  "wrong-input",
  /** What a run did in its worktree did not come whole into the workspace, or something was left behind. */
  "wrong-merge",
  /** It ended without saying why. */
  "unclear-stop",
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

export type Finding = { readonly kind: FindingKind; readonly what: string };
