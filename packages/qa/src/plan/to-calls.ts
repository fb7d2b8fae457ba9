/** Checks as calls of tools: those of a page by the browser, those of commands by the shell. Preconditions and steps are checked by the same calls. */
import type { GivenCall, JsonObject } from "@retinue/protocol";
import type { Check } from "@retinue/protocol/test-case";

export const BROWSER_CHECK = "browser_check";
export const COMMAND_CHECK = "command_check";

export const toCheckCall = (check: Check): GivenCall => {
  if (check.check !== "command") return { tool: BROWSER_CHECK, input: { check } };
  const { run, exit, output, timeoutMs } = check;
  const input: JsonObject = {
    run,
    ...(exit === undefined ? {} : { exit }),
    ...(output === undefined ? {} : { output }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  return { tool: COMMAND_CHECK, input };
};
