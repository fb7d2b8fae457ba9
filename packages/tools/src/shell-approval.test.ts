// @module-tag long
/** SAFETY B16: whatever a command runs, it runs as it was when a human was asked, however the command line names it. */
import { readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ProposedAct } from "@retinue/protocol";
import { createJudge } from "@retinue/runtime";
import { describe, expect, it } from "vitest";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { digestFile, digestTree } from "@retinue/confine";
import { createShellTool } from "./shell.ts";

const shell = createShellTool();

/** The act that a human is asked about. */
const ask = async (test: TestWorkspace, command: string): Promise<ProposedAct> => {
  const judgement = await createJudge({ digest: digestFile, digestTree })({
    callId: "call_test",
    tool: shell,
    input: { command },
    spec: {
      system: "",
      model: "none/none",
      fallbacks: [],
      tools: ["shell"],
      limits: {},
      treeLimits: {},
      delegates: [],
      workspace: test.workspace,
      grant: { tools: ["shell"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
    },
    realPath: async (file) => path.resolve(file),
  });
  if (judgement.type !== "ask") throw new Error("it is asked about");
  return judgement.act;
};

const run = async (test: TestWorkspace, command: string, act: ProposedAct): Promise<string> =>
  toText(await shell.execute({ command }, { ...test.context, act }));

/** Another content of the same size, with the times put back. */
const swap = async (file: string): Promise<void> => {
  const { atime, mtime } = await stat(file);
  await writeFile(file, (await readFile(file, "utf8")).replaceAll("good", "evil"));
  await utimes(file, atime, mtime);
};

const FILES = {
  "build.sh": "echo good\n",
  "sub/build.sh": "echo good\n",
  "sub/Makefile": "all:\n\t@echo good\n",
  "sub/package.json": '{"name":"x","version":"1.0.0","scripts":{"x":"echo good"}}',
  "sub/lib.sh": "echo good\n",
  "calls.sh": ". sub/lib.sh\n",
  "x.mjs": 'console.log("good")\n',
  "mod/__main__.py": 'print("good")\n',
  run: "#!/bin/sh\necho good\n",
};

/** The line, and the file that is swapped. */
const FORMS: readonly (readonly [string, keyof typeof FILES])[] = [
  ["sh build.sh", "build.sh"],
  ["cd sub && sh build.sh", "sub/build.sh"],
  ["(cd sub; . ./build.sh)", "sub/build.sh"],
  ["make -C sub", "sub/Makefile"],
  ["make --directory=sub all", "sub/Makefile"],
  ["npm --prefix sub run x", "sub/package.json"],
  ["cd sub && npm run x", "sub/package.json"],
  ["find sub -name build.sh -exec sh {} \\;", "sub/build.sh"],
  ["find sub -name 'b*.sh' | xargs sh", "sub/build.sh"],
  ["S=build; sh $S.sh", "build.sh"],
  ["sh bu*.sh", "build.sh"],
  ["node x.mjs", "x.mjs"],
  ["node --import=./x.mjs -e 0", "x.mjs"],
  ["python3 -m mod", "mod/__main__.py"],
  ["sh ./run", "run"],
  ["source build.sh", "build.sh"],
  ['bash -c "$(cat build.sh)"', "build.sh"],
  ["sh < build.sh", "build.sh"],
  ["cat build.sh | sh", "build.sh"],
  ["eval `cat build.sh`", "build.sh"],
  ["sh calls.sh", "sub/lib.sh"],
  ["env A=1 timeout 5 sh -e sub/build.sh", "sub/build.sh"],
];

/** One of each kind; the other forms are long tests. */
const SHORT: ReadonlySet<string> = new Set([
  "sh build.sh",
  "cd sub && sh build.sh",
  "make -C sub",
  "sh bu*.sh",
  "node x.mjs",
  "cat build.sh | sh",
]);

describe("a command that a human has allowed", () => {
  for (const [line, file] of FORMS)
    it(`is not run with another content of ${file}: ${line}`, SHORT.has(line) ? {} : { tags: ["long"] }, async () => {
      await using test = await createTestWorkspace(FILES);
      const act = await ask(test, line);
      await swap(test.at(file));
      await expect(run(test, line, act)).rejects.toMatchObject({ code: "act_denied", message: expect.stringContaining(file) });
      // Asked again, it is allowed as it is now.
      const again = await ask(test, line);
      expect(await run(test, line, again)).not.toContain("good");
    });

  it("is run where nothing that it could run was changed", async () => {
    await using test = await createTestWorkspace(FILES);
    const act = await ask(test, "cd sub && sh build.sh");
    expect(await run(test, "cd sub && sh build.sh", act)).toContain("good");
  });

  it("is not run where a link leads elsewhere now, or a file is new or gone", async () => {
    await using test = await createTestWorkspace({ ...FILES, "other.sh": "echo evil\n" });
    await symlink("build.sh", test.at("link"));
    const line = "sh $PWD/link";
    const act = await ask(test, line);
    await symlink("other.sh", test.at("new"));
    await rename(test.at("new"), test.at("link"));
    await expect(run(test, line, act)).rejects.toMatchObject({ code: "act_denied", message: expect.stringContaining("link") });
    const before = await ask(test, line);
    await writeFile(test.at("sub/new.sh"), "echo evil\n");
    await expect(run(test, line, before)).rejects.toMatchObject({ message: expect.stringContaining("sub/new.sh") });
    const now = await ask(test, line);
    await rm(test.at("sub/new.sh"));
    await expect(run(test, line, now)).rejects.toMatchObject({ message: expect.stringContaining("sub/new.sh") });
  });

  it("is run though other files were changed, where it runs none of the workspace", async () => {
    await using test = await createTestWorkspace(FILES);
    const line = "mkdir -p made && cp build.sh made/a && ls made";
    const act = await ask(test, line);
    expect(act.tree).toBeUndefined();
    await writeFile(test.at("sub/new.sh"), "echo evil\n");
    expect(await run(test, line, act)).toContain("\na\n");
  });
});
