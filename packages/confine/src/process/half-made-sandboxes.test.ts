import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { startOf } from "./process-tree.ts";
import { sweepTemporaryFolders } from "./temporary-folder.ts";

/** A process that waits, with the arguments of a sandbox. */
const startWaiting = (program: string, folder: string) =>
  spawn("/bin/sh", ["-c", "read line", "sh", "--ro-bind", `${folder}/empty`, "/etc/shadow"], { argv0: program });

test("B14: a sandbox that a killed process left half made is ended by the next, and no other process", async () => {
  if (process.platform !== "linux") return;
  await using place = await createTestWorkspace();
  const space = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  const gone = spawn("/bin/true");
  await once(gone, "exit");
  const dead = place.at(`retinue-sandbox-${space}-${gone.pid}-1-abcdef`);
  const alive = place.at(`retinue-sandbox-${space}-${process.pid}-${startOf(process.pid)}-abcdef`);
  await mkdir(dead);
  await mkdir(alive);
  const half = startWaiting("/usr/bin/bwrap", dead);
  const others = [startWaiting("/usr/bin/bwrap", alive), startWaiting("/usr/bin/vi", dead)];
  await Promise.all([half, ...others].map((each) => once(each, "spawn")));
  const ended = once(half, "exit");
  sweepTemporaryFolders(place.workspace);
  expect(await ended).toEqual([null, "SIGKILL"]);
  for (const other of others) {
    const exit = once(other, "exit");
    other.stdin.end("\n");
    expect(await exit).toEqual([0, null]);
  }
});
