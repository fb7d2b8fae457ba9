/**
 * A copy of a workspace that a command works in, seen at the path of the workspace itself, and gone afterwards. The workspace stays as it is whatever
 * the command writes; what may come back is taken back by `take-back.ts`.
 */
import type { Tree } from "./list-tree.ts";

/** `overlay`: the kernel keeps what is written apart. `plain`: files are copied before the command begins. */
export type CopyKind = "overlay" | "plain";

export type StartedProgram = { readonly file: string; readonly args: readonly string[] };

export type ThrowAwayCopy = {
  readonly kind: CopyKind;
  /** The folder of the copy, to be mounted over the workspace. */
  readonly from: string;
  /** Where the files that the command wrote lie out here. */
  readonly written: string;
  /** Large folders of the workspace that are no part of the copy and are seen as they are, read-only. */
  readonly beneath: readonly string[];
  /** The program, as it is started where the copy can be mounted from. */
  readonly enter: (program: StartedProgram) => StartedProgram;
  /** The program is started in a namespace where its user is root. */
  readonly isRootInside: boolean;
  /** What the copy held when the command began; undefined where it is what the workspace held. */
  readonly before: Tree | undefined;
  /** What the copy holds now. */
  readonly list: () => Promise<Tree>;
  readonly remove: () => Promise<void>;
};

export type CopyOptions = {
  /** Absolute and real. */
  readonly workspace: string;
  /** Paths of the workspace that are mounted over anyway, absolute, with all that is below: secrets, and what may not be written. */
  readonly without: readonly string[];
  /** What the machine can by default. */
  readonly kind?: CopyKind | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};
