/** One line for whoever starts to work where nothing keeps commands to their rights: said before the first command, on every surface. */
import { hasSandboxProgram, probeSandbox } from "@retinue/confine";
import type { Settings } from "../settings/settings.ts";

export const UNSANDBOXED =
  "This machine has no sandbox: commands that pass without a question run with all your rights. Install bubblewrap (Linux) to confine them.";

/** Undefined where commands are confined, or refused. A sandbox that is installed is tried only where commands would run without it. */
export const findUnsandboxed = async ({ allowUnsandboxed }: Pick<Settings, "allowUnsandboxed">): Promise<string | undefined> => {
  if (await hasSandboxProgram()) {
    if (!allowUnsandboxed) return undefined;
    return (await probeSandbox()).backend === "none" ? UNSANDBOXED : undefined;
  }
  return UNSANDBOXED;
};
