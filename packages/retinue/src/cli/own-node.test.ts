import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { probeSandbox } from "@retinue/confine";
import { putOwnNodeFirst } from "../../bin/own-node.mjs";
import { call, createMockProject } from "./testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A program that says that it is an older Node. */
const OLD_NODE = "#!/bin/sh\necho v20.0.0\n";

const prepare = async (replies: Parameters<typeof createMockProject>[0]) => {
  const mock = await createMockProject(replies);
  cleanups.push(mock.remove);
  const folder = join(mock.project.home, "old");
  await mkdir(folder);
  await writeFile(join(folder, "node"), OLD_NODE, { mode: 0o755 });
  return { ...mock, folder, env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` } };
};

describe("where an older Node is first on PATH", () => {
  test("the command of an agent finds the Node that runs Retinue", async () => {
    const { project, server, env } = await prepare([
      { toolCalls: [call("shell", { command: "node --version" })] },
      { text: "Done." },
    ]);
    const ended = await project.run(["run", "--approve", "all", "which node?"], { env });
    expect(ended).toMatchObject({ code: 0 });
    const { backend } = await probeSandbox();
    expect(JSON.stringify(server.requests[1]?.body), backend).toContain(process.version);
  });

  test("the app of a test suite finds the Node that runs Retinue", async () => {
    const { project, env } = await prepare([]);
    await mkdir(join(project.workspace, "tests"));
    // It ends at once: what it was started with is all that counts here.
    await writeFile(join(project.workspace, "app.cjs"), 'require("node:fs").writeFileSync("node-version", process.version);');
    await writeFile(
      join(project.workspace, "tests/suite.yaml"),
      "app:\n  command: node app.cjs\n  url: http://127.0.0.1:9/never\n",
    );
    await writeFile(join(project.workspace, "tests/a.yaml"), "title: A\nsteps:\n  - action: Look\n    expected: it is there\n");
    await project.run(["test", "--trust-app"], { env });
    expect(await readFile(join(project.workspace, "node-version"), "utf8")).toBe(process.version);
  });

  test("PATH is changed only where another node would be found", async () => {
    const { folder } = await prepare([]);
    const own = join(folder, "..", "own");
    await mkdir(own);
    await symlink(process.execPath, join(own, "node"));
    const [newer, older] = [{ PATH: `${own}:${folder}` }, { PATH: `${folder}:${own}` }];
    putOwnNodeFirst(newer, process.execPath);
    putOwnNodeFirst(older, process.execPath);
    expect(newer.PATH).toBe(`${own}:${folder}`);
    expect(older.PATH).toBe(`${join(process.execPath, "..")}:${folder}:${own}`);
  });
});
