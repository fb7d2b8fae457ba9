/** What a line of bash is made of, as far as rules are about it: every simple command that stands anywhere in it. */

export type ShellWord = {
  /** With quotes and escapes taken off; expansions as they are written. */
  readonly text: string;
  /** `literal`: the shell makes just this text of it. `pattern`: file names or several words may come of it. `expansion`: its text is not known. */
  readonly kind: "literal" | "pattern" | "expansion";
  /** Of a program: a file outside of the system's folders, which may be anything whatever its name says. */
  readonly isOwnFile?: boolean;
};

export type ShellAssignment = { readonly name: string; readonly value: ShellWord };

/** The target of a here-document is its body. */
export type ShellRedirection = { readonly operator: string; readonly target: ShellWord };

export type ShellCommand = {
  /** As it stands in the line, with assignments and redirections. */
  readonly text: string;
  readonly assignments: readonly ShellAssignment[];
  /** The program and its arguments. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  /** It stands behind a pipe. */
  readonly isPiped: boolean;
};

/** Thrown inside of the parser for what it does not know. */
export class NotUnderstood extends Error {}
