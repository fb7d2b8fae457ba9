/** A process of ours that is killed leaves no command running and no temporary folder for good. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { runConfinedShell, WHOLE } from "../testing/confined-shell.ts";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { probeSandbox } from "./probe-sandbox.ts";

const machine = await probeSandbox();

const MODULES = ["../testing/confined-shell.ts", "../process/temporary-folder.ts"].map(
  (file) => new URL(file, import.meta.url).href,
);

/** Runs a command that never ends, and says when it is about to. */
const VICTIM = `
  const [workspace, mark, shell, writes] = process.argv.slice(1);
  const scope = { writes: JSON.parse(writes), hosts: [], approve: "all" };
  const { runConfinedShell } = await import(shell);
  await runConfinedShell("true", { workspace, scope });
  console.log("ready");
  await Promise.all([1, 2].map(() => runConfinedShell("sleep " + mark + " & sleep " + mark, { workspace, scope })));
`;

const NEXT = `
  const [module] = process.argv.slice(1);
  const { createTemporaryFolder } = await import(module);
  console.log(createTemporaryFolder("next"));
`;

const start = (script: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  spawn(process.execPath, ["--input-type=module", "-e", script, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });

/** What bears the mark, begun with a program of that name where one is given. */
const findMarked = async (mark: string, program = ""): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
    if (line.includes(mark) && line.startsWith(program)) found.push(pid);
  }
  return found;
};

/** Twice in a row: a process may start another while the list is read, and end. */
const untilNone = async (mark: string, program?: string): Promise<readonly string[]> => {
  let found = await findMarked(mark, program);
  for (let round = 0, none = 0; round < 400 && none < 2; round += 1) {
    await sleep(50);
    found = await findMarked(mark, program);
    none = found.length === 0 ? none + 1 : 0;
  }
  return found;
};

describe("a process of ours that is killed with kill -9", () => {
  test.each([
    ["in the workspace", []],
    ["in a throw-away copy of it", [["**/*.test.ts"]]],
  ])(
    "B14: takes its sandboxes with it at whatever moment, and the next one removes its temporary folders: commands %s",
    { tags: ["long"], timeout: 300_000 },
    async (_, writes) => {
      await using place = await createTestWorkspace();
      const temporary = path.join(path.dirname(place.workspace), "tmp");
      await mkdir(temporary);
      const env = { ...process.env, TMPDIR: temporary };
      const marks: string[] = [];
      if (machine.backend === "none") {
        const limited = runConfinedShell("true", { workspace: place.workspace, scope: { ...WHOLE, hosts: [[]] } });
        await expect(limited).rejects.toMatchObject({ code: "sandbox_unavailable" });
      } else
        for (const [index, waitMs] of [0, 10, 30, 90, 400].entries()) {
          const mark = `86400.${process.pid}${Date.now()}${index}`;
          const [shell = ""] = MODULES;
          const victim = start(VICTIM, [place.workspace, mark, shell, JSON.stringify(writes)], env);
          await once(victim.stdout, "data");
          await sleep(waitMs);
          victim.kill("SIGKILL");
          await once(victim, "exit");
          expect(await untilNone(mark, "sleep")).toEqual([]);
          marks.push(mark);
        }
      if (machine.backend === "bwrap") expect(await readdir(temporary)).not.toEqual([]);
      const next = start(NEXT, [MODULES[1] ?? ""], env);
      let said = "";
      next.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
      await once(next, "close");
      expect(await readdir(temporary)).toEqual([path.basename(said.trim())]);
      for (const mark of marks) expect(await untilNone(mark)).toEqual([]);
    },
  );

  test("a folder of a living process stays, and so does what bears another name", async () => {
    await using place = await createTestWorkspace();
    const env = { ...process.env, TMPDIR: place.workspace };
    const wait = `${NEXT}; process.stdin.resume(); setInterval(() => undefined, 1000);`;
    const living = start(wait, [MODULES[1] ?? ""], env);
    await once(living.stdout, "data");
    const [kept = ""] = await readdir(place.workspace);
    const others = ["retinue-home-abcdef", "retinue-next-1-2-3", "other"];
    for (const name of others) await mkdir(place.at(name));
    const next = start(NEXT, [MODULES[1] ?? ""], env);
    await once(next, "close");
    expect(await readdir(place.workspace)).toEqual(expect.arrayContaining([kept, ...others]));
    living.kill("SIGKILL");
    await once(living, "exit");
  });
});
