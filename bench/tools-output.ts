/**
 * One shell command with a flood of output, in a process of its own: how much memory it takes, and how much of the output lies on the disk.
 * Started by `bench/tools.ts` with the number of bytes and the form; prints one line of JSON.
 */
import { fstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createShellTool } from "../packages/tools/src/shell.ts";
import { createTestWorkspace, toText } from "../packages/confine/src/testing/index.ts";

export type OutputSample = {
  readonly seconds: number;
  readonly memoryMib: number;
  readonly spoolMib: number;
  /** The first line of what the model is given. */
  readonly said: string;
};

const [, , bytes = "0", form = "lines"] = process.argv;
const MIB = 1024 ** 2;

const COMMANDS: Readonly<Record<string, string>> = {
  lines: `yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c ${bytes}`,
  "one line": `head -c ${bytes} /dev/zero | tr '\\0' x`,
};

/** Files without a name are those that the output is kept in. */
const spoolBytes = (): number => {
  let most = 0;
  for (const number of readdirSync("/proc/self/fd"))
    try {
      if (/retinue-.*\(deleted\)$/.test(readlinkSync(`/proc/self/fd/${number}`)))
        most = Math.max(most, fstatSync(Number(number)).size);
    } catch {
      // Closed meanwhile.
    }
  return most;
};

/** As the kernel has seen it, at any moment. */
const mostMemory = (): number => Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1]) * 1024;

const test = await createTestWorkspace();
const shell = createShellTool();
// What is loaded at the first call is not the output's.
await shell.execute({ command: "yes | head -c 2000000" }, test.context);
// The most so far is forgotten, so that the most from here on is told.
writeFileSync("/proc/self/clear_refs", "5");
const before = process.memoryUsage().rss;
let spool = 0;
// Seldom, since looking takes memory too; the most memory is kept by the system.
const sampler = setInterval(() => (spool = Math.max(spool, spoolBytes())), 500);
const from = performance.now();
const output = await shell.execute({ command: COMMANDS[form] ?? "", timeoutMs: 1_800_000 }, test.context);
clearInterval(sampler);
const sample: OutputSample = {
  seconds: (performance.now() - from) / 1000,
  memoryMib: (mostMemory() - before) / MIB,
  spoolMib: spool / MIB,
  said: toText(output).split("\n", 1)[0] ?? "",
};
await test[Symbol.asyncDispose]();
console.log(JSON.stringify(sample));
