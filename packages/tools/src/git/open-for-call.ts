/**
 * Opens the repository for a call of a tool. Where the machine has no sandbox, git runs without one only if a human was asked about this call, or has said
 * that nothing is to be asked.
 */
import type { GitOptions, Repository } from "@retinue/confine";
import { isUnsandboxedAllowed, openRepository } from "@retinue/confine";
import type { ToolContext, Touches } from "@retinue/runtime";

export const openForCall = (options: GitOptions, { workspace, signal, act, scope }: ToolContext): Promise<Repository> =>
  openRepository({
    ...options,
    workspace,
    signal,
    allowUnsandboxed: isUnsandboxedAllowed(options, act),
    allowsAbsent: scope.approve === "all",
  });

/** What a human is told who is asked about a call of git without a sandbox. */
export const NOT_PROTECTED =
  "there is no sandbox on this machine, so that git runs with your rights: links and programs that the repository names are " +
  "switched off or refused, but nothing would hold git itself if a part of the repository misled it. It could read or write any file of yours.";

/** Nobody is asked where the sandbox was waived for good. */
export const toTouches = ({ allowUnsandboxed }: GitOptions, paths: readonly string[]): Touches =>
  allowUnsandboxed === true ? { paths } : { paths, withoutSandbox: NOT_PROTECTED };
