import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { cpuOfGroup } from "./cpu-of-group.ts";

test.runIf(existsSync("/proc/self/stat"))(
  "a group that works uses processor time, and one that is not there uses none",
  async () => {
    const child = spawn(process.execPath, ["-e", "for(;;);"], { detached: true, stdio: "ignore" });
    const group = child.pid ?? 0;
    try {
      await expect.poll(() => cpuOfGroup(group) ?? 0, { timeout: 20_000 }).toBeGreaterThan(100);
    } finally {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGKILL");
      await ended;
    }
    expect(cpuOfGroup(group)).toBe(0);
  },
);
