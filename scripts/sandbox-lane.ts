/**
 * Says in one line which lane the tests of the sandbox take on this machine: in a sandbox, or asserting that commands are refused without one.
 * With SANDBOX_REQUIRED=1 the second one is a failure.
 */
import { probeSandbox } from "@retinue/confine";

type Sandbox = Awaited<ReturnType<typeof probeSandbox>>;

export type Lane = { readonly line: string; readonly isEnough: boolean };

export const toLane = (sandbox: Sandbox, isRequired: boolean): Lane => {
  if (sandbox.backend === "bwrap")
    return {
      line: `Sandbox lane: bwrap ${sandbox.version}; number of processes ${sandbox.processCap.type === "watched" ? "only watched" : `kept by ${sandbox.processCap.type}`}.`,
      isEnough: true,
    };
  const line = `Sandbox lane: none, tests assert the refusal (${sandbox.reason}).`;
  return { line: isRequired ? `${line} SANDBOX_REQUIRED=1 asks for one.` : line, isEnough: !isRequired };
};

if (import.meta.main) {
  const { line, isEnough } = toLane(await probeSandbox(), process.env["SANDBOX_REQUIRED"] === "1");
  console.log(line);
  process.exitCode = isEnough ? 0 : 1;
}
