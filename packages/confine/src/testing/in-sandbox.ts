/** A test of what a command finds in the sandbox. Where there is no sandbox, a limited command is refused, and that is asserted instead. */
import { expect, test } from "vitest";
import { probeSandbox } from "../sandbox/probe-sandbox.ts";
import { runConfinedShell, WHOLE } from "./confined-shell.ts";
import type { TestWorkspace } from "./tool-context.ts";
import { createTestWorkspace } from "./tool-context.ts";

const machine = await probeSandbox();

export const inSandbox = (name: string, body: (workspace: TestWorkspace) => Promise<void>): void =>
  test(name, async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "a" });
    if (machine.backend === "bwrap") return await body(workspace);
    const limited = runConfinedShell("true", { workspace: workspace.workspace, scope: { ...WHOLE, hosts: [["example.com"]] } });
    await expect(limited).rejects.toMatchObject({ code: "sandbox_unavailable" });
  });
