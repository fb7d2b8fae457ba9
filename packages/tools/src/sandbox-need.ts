/** What calls that run programs of the workspace declare of the sandbox they need. */
import type { ConfinementOptions } from "@retinue/confine";
import type { Touches } from "@retinue/runtime";

/** What a human is told who is asked about a command without a sandbox. */
export const NOT_PROTECTED =
  "it would run without a sandbox, with your rights: it could read and change every file that you can, secrets too, and reach every host and " +
  "every program of this machine, whatever this agent may do.";

/** Nothing where the user has waived the sandbox for good. */
export const toSandboxNeed = ({
  allowUnsandboxed,
}: Pick<ConfinementOptions, "allowUnsandboxed">): Pick<Touches, "withoutSandbox" | "isKeptToGrant"> =>
  allowUnsandboxed === true ? {} : { withoutSandbox: NOT_PROTECTED, isKeptToGrant: true };
