/**
 * Opens the repository for a call of a tool. Where the machine has no sandbox, git runs without one only if a human was asked about this call, or has said
 * that nothing is to be asked.
 */
import type { GitOptions, Repository } from "@retinue/confine";
import { openRepository } from "@retinue/confine";
import type { ToolContext } from "@retinue/runtime";

export const openForCall = (options: GitOptions, { workspace, signal, act, scope }: ToolContext): Promise<Repository> =>
  openRepository({
    ...options,
    workspace,
    signal,
    allowUnsandboxed: options.allowUnsandboxed === true || act !== undefined || scope.approve === "all",
  });
