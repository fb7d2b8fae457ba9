/** Checks as calls of tools: those of a page by the browser, those of commands by the shell. Preconditions and steps are checked by the same calls. */
import type { GivenCall, Json } from "@retinue/protocol";
import type { Check } from "@retinue/protocol/test-case";

export const BROWSER_CHECK = "browser_check";
export const COMMAND_CHECK = "command_check";

export const toCheckCall = (check: Check): GivenCall =>
  check.check === "command"
    ? { tool: COMMAND_CHECK, input: withoutKind(check) }
    : // A check is JSON: it comes from a file.
      { tool: BROWSER_CHECK, input: { check } as unknown as Json };

const withoutKind = ({ check: _, ...rest }: Extract<Check, { check: "command" }>): Json => rest as unknown as Json;
