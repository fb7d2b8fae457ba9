import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createShellTool } from "./shell.ts";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { createCappedGroup, findProcessCap, toFewIds, tryPidNamespace } from "@retinue/confine";
import { runCommand } from "@retinue/confine";

/** Tries to have 300 processes at once and never more. */
const BOMB =
  "perl -e 'my @p; for (1..300) { my $p = fork(); last if !defined $p; if (!$p) { sleep 60; exit } push @p, $p } " +
  'print "given ", scalar(@p), "\\n"; kill 9, @p; wait for @p\'';

it("J8: a fork bomb without a sandbox is kept to its limit wherever a control group can be made", async () => {
  await using test = await createTestWorkspace();
  const cap = findProcessCap();
  const limits = { processes: 64 };
  const shell = createShellTool({
    sandbox: { backend: "none", reason: "it is left out of this test", isInstalled: false },
    limits,
  });
  const given = Number(/given (\d+)/.exec(toText(await shell.execute({ command: BOMB }, test.context)))?.[1]);
  if (cap.type === "cgroup") expect(given).toBeLessThan(64);
  else expect(given).toBe(300);
  expect(given).toBeGreaterThan(32);
});

it("a group is gone when what ran in it has ended", async () => {
  const cap = findProcessCap();
  if (cap.type !== "cgroup") {
    // Nothing is made that could be left: a plain user is bound by the limit of the user, root by something else or nothing.
    expect(cap.type).toMatch(process.getuid?.() === 0 ? /^(pid-namespace|watched)$/ : /^rlimit$/);
    return;
  }
  const before = await readdir(cap.folder);
  const group = createCappedGroup(cap.folder, { processes: 8, memoryBytes: 2 ** 33 });
  const [name = ""] = (await readdir(cap.folder)).filter((each) => !before.includes(each) && each.includes(String(process.pid)));
  let output = "";
  await runCommand({
    ...group.enter({ file: "/bin/cat", args: ["/proc/self/cgroup"] }),
    cwd: "/",
    env: {},
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    onOutput: (chunk) => (output += chunk.toString()),
  });
  expect(output).toContain(`/${name}\n`);
  group.end();
  await expect.poll(() => existsSync(`${cap.folder}/${name}`)).toBe(false);
});

it("J8: a namespace of few process ids keeps a bomb to them, and the machine has as many as before", async () => {
  const before = await readFile("/proc/sys/kernel/pid_max", "utf8").catch(() => "");
  const cap = tryPidNamespace();
  if (cap.type === "pid-namespace") {
    let output = "";
    const command = BOMB.replace("1..300", "1..600");
    await runCommand({
      ...toFewIds({ file: "/bin/sh", args: ["-c", command] }, 301),
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      onOutput: (chunk) => (output += chunk.toString()),
    });
    const given = Number(/given (\d+)/.exec(output)?.[1]);
    expect(given).toBeGreaterThan(250);
    expect(given).toBeLessThan(301);
  } else expect(cap).toMatchObject({ type: "watched", reason: expect.stringMatching(/older than 6\.14|cannot be limited/) });
  expect(await readFile("/proc/sys/kernel/pid_max", "utf8").catch(() => "")).toBe(before);
});
