/** What is asked of the reading of one source file, and what comes of it: data alone, so that it names nothing of the parser. */
import type { Definition } from "./code-symbol.ts";

export type SourceFile = {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly hash: string;
  readonly language: string;
  readonly lines: number;
  /** Why it has no symbols. */
  readonly left: "too large" | "generated" | "not parsed" | undefined;
  readonly definitions: readonly Definition[];
  /** `\nname\tline,line` for every identifier that defines nothing. */
  readonly uses: string;
};

export type SourceRequest = {
  /** Absolute and real. */
  readonly root: string;
  readonly path: string;
  /** When the content still has this, nothing needs to be read anew. */
  readonly knownHash: string | undefined;
  readonly maxBytes: number;
};

/** `same`: only size and time are different. `gone`: no longer a file of the workspace. */
export type SourceAnswer =
  | { readonly type: "read"; readonly file: SourceFile }
  | { readonly type: "same"; readonly path: string; readonly size: number; readonly mtimeMs: number }
  | { readonly type: "gone"; readonly path: string };
