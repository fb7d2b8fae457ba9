/** A goal of a session: a small project, what is asked, the calls that would do it, and a check of our own that it is done. */
import type { Json, JsonObject } from "@retinue/protocol";

export type Act = { readonly tool: string; readonly input: JsonObject };

export type Goal = {
  readonly name: string;
  readonly language: "javascript" | "python" | "shell" | "typescript";
  /** The project before the session, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly task: string;
  /** The calls of a model that makes no mistakes. */
  readonly acts: readonly Act[];
  /** Those of the sub-agent that one of `acts` starts. */
  readonly childActs?: readonly Act[];
  /** A command line that exits with 0 where the goal is met; started by us, outside of the session. */
  readonly check: readonly [file: string, ...args: readonly string[]];
  /** What is said at the end by whoever believes to be done. */
  readonly claim: string;
};

/** A text among the arguments of an act; empty where there is none. */
export const toText = (value: Json | undefined): string => (typeof value === "string" ? value : "");
