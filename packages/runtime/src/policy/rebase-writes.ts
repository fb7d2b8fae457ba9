/**
 * Globs of a folder, as they read from a folder below it. A path that matches a rebased glob matches the glob it came from when the folder is put before it;
 * a glob that cannot be read segment by segment is left out, so that the outcome never holds more.
 */
import { createPathMatcher } from "./globs/path-globs.ts";
import type { Grant } from "@retinue/protocol";

/** `directory` is relative, with forward slashes, and leads downwards. */
export const rebaseWrites = (writes: Grant["writes"], directory: string): Grant["writes"] => {
  const names = directory.split("/");
  return writes.map((globs) => [...new Set(globs.flatMap((glob) => rebaseGlob(glob, names)))]);
};

/** Braces, groups and negations may reach over several segments. */
const OVER_SEGMENTS = /[{}()!]|\\/;

const rebaseGlob = (glob: string, names: readonly string[]): readonly string[] => {
  if (OVER_SEGMENTS.test(glob)) return ANYWHERE.has(glob) ? [glob] : [];
  let rests: readonly (readonly string[])[] = [glob.replace(/^(?:\.\/)+/, "").split("/")];
  for (const name of names) rests = rests.flatMap((rest) => step(rest, name));
  return rests.filter((rest) => rest.length > 0).map((rest) => rest.join("/"));
};

const ANYWHERE: ReadonlySet<string> = new Set(["**", "**/*"]);

/** What is left of a glob once one segment of a path has matched its beginning. */
const step = (rest: readonly string[], name: string): readonly (readonly string[])[] => {
  const [first, ...others] = rest;
  if (first === undefined) return [];
  if (first === "**") return [rest, ...step(others, name)];
  return createPathMatcher([first])(name) ? [others] : [];
};
