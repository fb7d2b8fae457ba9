/** Which contents are kept from agents, also where they stand in the history of a repository. */
import { createPathMatcher, SECRET_GLOBS, protectionOf } from "@retinue/runtime";

export type IsSecret = (file: string) => boolean;

/** `unprotected` are globs that the user has set free, relative to the workspace, as are the files that are asked about. */
export const createSecretCheck = (unprotected: readonly string[] = []): IsSecret => {
  const isFree = createPathMatcher(unprotected, { anyCase: true });
  return (file) => protectionOf(file)?.read === "deny" && !isFree(file);
};

/** `a{b,c}` → `ab`, `ac`. */
const expandBraces = (glob: string): readonly string[] => {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(glob) ?? [];
  if (before === undefined || choices === undefined || after === undefined) return [glob];
  return choices.split(",").flatMap((choice) => expandBraces(before + choice + after));
};

/** All that may be a secret, for git to leave out; some of it is none. */
export const SECRET_PATHSPECS: readonly string[] = SECRET_GLOBS.flatMap(expandBraces).flatMap((glob) => [
  `:(top,exclude,icase,glob)**/${glob}`,
  `:(top,exclude,icase,glob)**/${glob}/**`,
]);

const isLike = createPathMatcher(
  SECRET_GLOBS.flatMap((glob) => [`**/${glob}`, `**/${glob}/**`]),
  { anyCase: true },
);

/** Whether `SECRET_PATHSPECS` leave it out. */
export const isNamedLikeSecret = (file: string): boolean => isLike(file);
