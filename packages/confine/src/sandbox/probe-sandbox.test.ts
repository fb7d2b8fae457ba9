/** A probe that fails once must not cost later commands their sandbox. */
import { execFile } from "node:child_process";
import { chmod, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { runConfinedShell, WHOLE } from "../testing/confined-shell.ts";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { createSandboxProbe, probeSandbox } from "./probe-sandbox.ts";

const machine = await probeSandbox();
const run = promisify(execFile);

const MODULE = new URL("../testing/confined-shell.ts", import.meta.url).href;

/** Takes all open files but a few, runs a command, lets go of them and runs another. Prints how each ended. */
const SCRIPT = `
  import { closeSync, openSync } from "node:fs";
  const [workspace] = process.argv.slice(1);
  const { runConfinedShell } = await import(${JSON.stringify(MODULE)});
  const held = [];
  try { for (;;) held.push(openSync("/dev/null", "r")); } catch {}
  for (let left = 0; left < 4; left += 1) closeSync(held.pop());
  const attempt = () => runConfinedShell("echo ran", { workspace }).then(({ confinement }) => confinement.backend, (error) => error.code);
  const first = await attempt();
  for (const descriptor of held) closeSync(descriptor);
  console.log(JSON.stringify([first, await attempt()]));
`;

describe("the probe of the sandbox", () => {
  test("J10: fails while there are too few open files, runs nothing without a sandbox, and is tried again", async () => {
    await using workspace = await createTestWorkspace();
    const limited = `ulimit -n 200; exec "$@"`;
    const { stdout } = await run(
      "/bin/bash",
      ["-c", limited, "bash", process.execPath, "--input-type=module", "-e", SCRIPT, workspace.workspace],
      { env: process.env },
    );
    const [first, second] = JSON.parse(stdout) as readonly string[];
    // Refused, or failed on the way; never run. Where there is no sandbox to be had, too few open files make none appear.
    expect(machine.backend === "none" ? ["bwrap"] : ["bwrap", "none"]).not.toContain(first);
    expect(second).toBe(machine.backend);
  });

  test("believes a sandbox that has worked, and looks again for one that has not", async () => {
    await using workspace = await createTestWorkspace();
    const program = workspace.at("bwrap");
    const probe = createSandboxProbe([program]);
    expect(await probe()).toEqual({ backend: "none", reason: "bubblewrap is not installed", isInstalled: false });
    if (machine.backend === "none") return;
    await writeFile(program, `#!/bin/sh\n[ -e ${workspace.at("broken")} ] && exit 1\nexec ${machine.program} "$@"\n`);
    await chmod(program, 0o755);
    await writeFile(workspace.at("broken"), "");
    expect(await Promise.all([probe(), probe()])).toMatchObject([
      { backend: "none", isInstalled: true },
      { backend: "none", isInstalled: true },
    ]);
    await rm(workspace.at("broken"));
    expect(await probe()).toMatchObject({ backend: "bwrap", program });
    await writeFile(workspace.at("broken"), "");
    expect(await probe()).toMatchObject({ backend: "bwrap", program });
  });

  test("says why nothing is run where a sandbox is installed and does not work, unless the user has waived it", async () => {
    await using workspace = await createTestWorkspace();
    const sandbox = { backend: "none", reason: "the disk is full", isInstalled: true } as const;
    const options = { workspace: workspace.workspace, sandbox, scope: WHOLE };
    await expect(runConfinedShell("touch made", options)).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining("the disk is full"),
    });
    const { confinement } = await runConfinedShell("touch made", { ...options, allowUnsandboxed: true });
    expect(confinement).toMatchObject({ backend: "none", isWaived: true });
  });
});
