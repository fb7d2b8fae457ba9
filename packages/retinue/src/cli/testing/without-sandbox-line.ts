/** What a command said beside the one line that a machine without a sandbox makes it say. */
import { UNSANDBOXED } from "../../host/unsandboxed-notice.ts";

export const withoutSandboxLine = (stderr: string): string => stderr.replace(`retinue: ${UNSANDBOXED}\n`, "");
