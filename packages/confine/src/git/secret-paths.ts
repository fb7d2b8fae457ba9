/** Which contents are kept from agents, also where they stand in the history of a repository. */
import { protectionOf } from "@retinue/runtime";
import picomatch from "picomatch";

export type IsSecret = (file: string) => boolean;

/** `unprotected` are globs that the user has set free, relative to the workspace, as are the files that are asked about. */
export const createSecretCheck = (unprotected: readonly string[] = []): IsSecret => {
  const isFree = unprotected.length === 0 ? () => false : picomatch([...unprotected], { dot: true, nocase: true });
  return (file) => protectionOf(file)?.read === "deny" && !isFree(file);
};
