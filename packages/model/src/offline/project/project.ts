/** What the manifests of a project say, in any language: its name, its commands, what it needs and where it begins. */

import type { ReadLine } from "../tool-output.ts";
import type { Listing } from "./listing.ts";

/** A manifest as it was read, with what lies around it. */
export type ManifestFile = { readonly path: string; readonly lines: readonly ReadLine[]; readonly listing: Listing };

export type Purpose = "install" | "build" | "test" | "run" | "lint";

export type Command = {
  readonly purpose: Purpose | "other";
  readonly command: string;
  /** `path:line`, or the path alone where no single line says it. */
  readonly where: string;
  /** Written there, or only the usual command of the tool that the file belongs to. */
  readonly isWritten: boolean;
  /** What it stands for, such as the text of a script. */
  readonly does?: string;
};

export type Dependency = { readonly name: string; readonly version: string; readonly group: string; readonly where: string };

export type Fact = { readonly text: string; readonly where: string };

export type Manifest = {
  readonly path: string;
  readonly name?: Fact;
  readonly description?: Fact;
  readonly version?: Fact;
  readonly licence?: Fact;
  /** Versions of the language or runtime. */
  readonly needs?: readonly Fact[];
  readonly commands?: readonly Command[];
  readonly dependencies?: readonly Dependency[];
  /** Where it says that the build makes the list of what is needed at run time. */
  readonly madeByBuild?: string;
  /** Files or functions at which it begins. */
  readonly entries?: readonly Fact[];
};

/** By the word for the purpose, as scripts and targets are named. */
export const purposeOf = (name: string): Purpose | "other" => {
  if (/^(?:tests?|check|spec|unit|pytest|ci)$|^tests?[:_-](?:all|unit|ci)$/i.test(name)) return "test";
  if (/^(?:build|compile|all|dist|bundle|package)$/i.test(name)) return "build";
  if (/^(?:start|run|serve|dev|server|up|preview)$/i.test(name)) return "run";
  if (/^(?:install|setup|bootstrap|deps|init)$/i.test(name)) return "install";
  if (/^(?:lint|format|fmt|style|vet|typecheck|types)$/i.test(name)) return "lint";
  return "other";
};
