/** The memory of a command is limited as a whole, however it takes it. Where there is no sandbox, a limited command is refused, and that is asserted. */
import { describe, expect, test } from "vitest";
import { runConfinedShell, WHOLE } from "../testing/confined-shell.ts";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { probeSandbox } from "./probe-sandbox.ts";

const machine = await probeSandbox();
const MIB = 1024 ** 2;
const LIMITS = { memoryBytes: 96 * MIB, temporaryBytes: 256 * MIB, temporaryFiles: 1000 };

const inPython = (lines: readonly string[]): string =>
  `python3 -c '${lines.join("\n")}\nimport time; print("held", flush=True); time.sleep(60)'`;

/** Ways that the kernel charges to no process alone. */
const HELD: readonly (readonly [way: string, command: string])[] = [
  ["a shared mapping", inPython(["import mmap", "m = mmap.mmap(-1, 160 << 20)", 'm.write(b"x" * (160 << 20))'])],
  ["a file in the temporary folder", "head -c 160M /dev/zero > /tmp/a; sleep 60"],
  ["files in the home and the temporary folder", "head -c 60M /dev/zero > ~/a; head -c 60M /dev/zero > /tmp/a; sleep 60"],
  ["files without content", "cd /tmp; touch $(seq 1500); sleep 60"],
];

const REFUSED: readonly (readonly [way: string, command: string])[] = [
  ["a memfd", inPython(["import os", 'f = os.memfd_create("a")', 'os.write(f, b"x" * (8 << 20))'])],
  ["a segment of System V", `perl -e 'defined shmget(0, 64 << 20, 01600) or exit 1; print "held"; sleep 60'`],
  ["many semaphores", `perl -e 'defined semget(0, 30000, 01600) or exit 1; print "held"; sleep 60'`],
  ["a file among the devices", "head -c 8M /dev/zero > /dev/a && echo held && sleep 60"],
];

describe("the memory of a command", () => {
  const run = async (command: string): Promise<Awaited<ReturnType<typeof runConfinedShell>> | undefined> => {
    await using workspace = await createTestWorkspace({ "a.txt": "a" });
    if (machine.backend === "bwrap") return await runConfinedShell(command, { workspace: workspace.workspace, limits: LIMITS });
    const limited = runConfinedShell(command, { workspace: workspace.workspace, scope: { ...WHOLE, hosts: [["example.com"]] } });
    await expect(limited).rejects.toMatchObject({ code: "sandbox_unavailable" });
    return undefined;
  };

  test.concurrent.for(HELD)("N20: is counted in %s, and too much ends the command", async ([, command], { expect: claim }) => {
    const ran = await run(command);
    if (ran)
      claim(ran.end).toMatchObject({ type: "exited", exceeded: claim.stringMatching(/MiB of memory|files in its temporary/) });
  });

  test.concurrent.for(REFUSED)("N20: is refused as %s", async ([, command], { expect: claim }) => {
    const ran = await run(command);
    if (ran) claim(ran.output).not.toContain("held");
    if (ran) claim(ran.end).toMatchObject({ type: "exited", exitCode: 1 });
  });

  test("N20: is not counted twice where processes share it", async () => {
    const lines = ["import mmap, os", "m = mmap.mmap(-1, 40 << 20)", 'm.write(b"x" * (40 << 20))'];
    const shared = [...lines, "for i in range(3):", "  if os.fork() == 0: [m[i] for i in range(0, 40 << 20, 4096)]; break"];
    const ran = await run(`timeout 2 python3 -c '${shared.join("\n")}\nimport time; time.sleep(1.5)'`);
    if (ran) expect(ran.end).not.toHaveProperty("exceeded");
  });
});
