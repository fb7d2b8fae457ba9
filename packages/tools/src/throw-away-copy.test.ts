// @module-tag long
/**
 * Roles that may not write the workspace run its tests all the same: a suite that builds first, covers and writes snapshots. Its commands work in a
 * throw-away copy that lies at the path of the workspace, and only what the role may write comes back. Where the machine has no sandbox the
 * cases assert that such a command is refused.
 */
import { createHash } from "node:crypto";
import { chmod, chown, link, lstat, readdir, readFile, readlink, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FileChanges } from "@retinue/protocol";
import type { ToolOutput, ToolScope } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { probeSandbox } from "@retinue/confine";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { createShellTool } from "./shell.ts";
import { createTestTool } from "./test/test.ts";

const machine = await probeSandbox();
const LOOKS: ToolScope = { writes: [[]], hosts: [["*"]], approve: "all" };
const TESTS_ONLY: ToolScope = {
  writes: [["**"], ["**/test/**", "**/__snapshots__/**", "**/*.test.*"]],
  hosts: [["*"]],
  approve: "all",
};

const SUITE: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module", "scripts": { "test": "node build.mjs && node --test" } }',
  ".gitignore": "dist\ncoverage\n",
  "build.mjs": `import { cpSync, mkdirSync } from "node:fs"; mkdirSync("dist"); cpSync("src/sum.js", "dist/sum.js");`,
  "src/sum.js": "export const sum = (a, b) => a + b;\n",
  "test/sum.test.js": [
    'import assert from "node:assert/strict";',
    'import { mkdirSync, readFileSync, writeFileSync } from "node:fs";',
    'import path from "node:path";',
    'import { test } from "node:test";',
    'import { sum } from "../dist/sum.js";',
    'test("sums", () => assert.equal(sum(1, 2), 3));',
    'test("covers", () => { mkdirSync("coverage"); writeFileSync("coverage/lcov.info", "TN:"); });',
    'test("keeps a snapshot", () => { mkdirSync("test/__snapshots__", { recursive: true }); writeFileSync("test/__snapshots__/sum.snap", "3"); });',
    'test("is where the workspace is", () => assert.equal(process.cwd(), readFileSync("place.txt", "utf8")));',
    "",
  ].join("\n"),
};

const createSuite = async (more: Readonly<Record<string, string>> = {}): Promise<TestWorkspace> => {
  const made = await createTestWorkspace({ ...SUITE, ...more });
  await writeFile(made.at("place.txt"), made.workspace);
  return made;
};

/** Everything that stands in a workspace: names, kinds, modes, contents. */
const pictureOf = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const picture: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const stats = await lstat(file);
    const content = stats.isFile()
      ? createHash("sha256")
          .update(await readFile(file))
          .digest("hex")
      : stats.isSymbolicLink()
        ? await readlink(file)
        : "";
    picture[path.relative(folder, file)] = `${stats.mode} ${stats.nlink > 1 && stats.isFile() ? "linked" : ""} ${content}`;
  }
  return picture;
};

const filesOf = (output: ToolOutput): FileChanges | undefined => (typeof output === "string" ? undefined : output.files);

type Role = {
  readonly made: TestWorkspace;
  readonly run: (command: string, scope?: ToolScope) => Promise<ToolOutput>;
  readonly say: (command: string, scope?: ToolScope) => Promise<string>;
};

describe.each<["plain" | undefined, string]>([
  [undefined, "as this machine can make it"],
  ["plain", "made file by file"],
])("in a throw-away copy %s (%s)", (copyBy) => {
  const options = copyBy === undefined ? {} : { copyBy };
  const lane = copyBy === undefined ? {} : { tags: ["long"] };

  const role = (name: string, body: (role: Role) => Promise<void>, files: Readonly<Record<string, string>> = {}): void =>
    test(name, { timeout: 120_000, ...lane }, async () => {
      await using made = await createSuite(files);
      const shell = createShellTool(options);
      const run: Role["run"] = async (command, scope = TESTS_ONLY) =>
        shell.execute({ command, timeoutMs: 60_000 }, { ...made.context, scope });
      if (machine.backend !== "bwrap") {
        await expect(run("touch made", LOOKS)).rejects.toMatchObject({ code: "sandbox_unavailable" });
        return;
      }
      await body({ made, run, say: async (...given) => toText(await run(...given)) });
    });

  role("a role that may write nothing runs a suite that builds, covers and writes snapshots", async ({ made }) => {
    const before = await pictureOf(made.workspace);
    const output = await createTestTool(options).execute({}, { ...made.context, scope: LOOKS });
    expect(toText(output)).toMatch(/pass 4\n/);
    expect(output).toMatchObject({ tests: { run: 4, passed: 4 }, files: { created: [], modified: [] } });
    expect(toText(output)).toContain("gone now");
    expect(await pictureOf(made.workspace)).toEqual(before);
  });

  role("a role that may write tests alone runs it too, and what comes back are tests", async ({ made, run }) => {
    const before = await pictureOf(made.workspace);
    const output = await run("npm test && echo changed >> src/sum.js && echo '// one more' >> test/sum.test.js");
    expect(toText(output)).toMatch(/^\[exit code 0; written to a throw-away copy[^\n]*src\/sum\.js/);
    expect(output).toMatchObject({ tests: { run: 4, passed: 4 } });
    expect(filesOf(output)).toEqual({ created: ["test/__snapshots__/sum.snap"], modified: ["test/sum.test.js"] });
    const after = await pictureOf(made.workspace);
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(
      ["test/sum.test.js", "test/__snapshots__", "test/__snapshots__/sum.snap"].toSorted(
        (a, b) => Object.keys(after).indexOf(a) - Object.keys(after).indexOf(b),
      ),
    );
    expect(await readFile(made.at("test/sum.test.js"), "utf8")).toMatch(/one more\n$/);
  });

  role("N10: what comes back is judged by every scope above, whichever is the narrowest", async ({ made, run }) => {
    const command = "echo changed >> src/sum.js; echo new > src/new.test.js; echo new > test/new.test.js; echo new > new.md";
    const narrow = ["test/**"];
    for (const writes of [
      [narrow, ["**"]],
      [["**"], narrow],
      [["**"], narrow, ["**/*.js"]],
      [["src/**", "test/**"], narrow],
    ]) {
      const output = await run(`${command}; rm -f gone`, { ...TESTS_ONLY, writes });
      expect(filesOf(output)).toEqual({ created: ["test/new.test.js"], modified: [] });
      expect(await readFile(made.at("src/sum.js"), "utf8")).toBe(SUITE["src/sum.js"]);
      expect(await readdir(made.at("src"))).not.toContain("new.test.js");
      expect(await readdir(made.workspace)).not.toContain("new.md");
      await unlink(made.at("test/new.test.js"));
    }
  });

  role(
    "what it deletes, replaces or makes executable comes back as that",
    async ({ made, run }) => {
      const output = await run(
        "rm test/old.test.js; rm -r test/cases; mkdir test/cases; echo 2 > test/cases/two.test.js; echo run > test/run.test.sh; chmod 755 test/run.test.sh; rm src/sum.js",
      );
      expect(filesOf(output)).toEqual({ created: ["test/cases/two.test.js", "test/run.test.sh"], modified: [] });
      expect(toText(output)).toMatch(/deleted: .*test\/old\.test\.js/);
      expect(await readdir(made.at("test/cases"))).toEqual(["two.test.js"]);
      expect((await readdir(made.at("test"))).includes("old.test.js")).toBe(false);
      expect((await lstat(made.at("test/run.test.sh"))).mode & 0o111).not.toBe(0);
      expect(await readFile(made.at("src/sum.js"), "utf8")).toBe(SUITE["src/sum.js"]);
    },
    { "test/old.test.js": "old", "test/cases/one.test.js": "1" },
  );

  role(
    "what others changed meanwhile is left as it is, and told",
    async ({ made }) => {
      const ready = Promise.withResolvers<void>();
      const command =
        "echo mine > test/sum.test.js; rm test/b.test.js; echo mine > test/c.test.js; echo ready; until [ -e go/now ]; do sleep 0.1; done";
      const said = createShellTool(options).execute(
        { command, timeoutMs: 60_000 },
        {
          ...made.context,
          scope: { ...TESTS_ONLY, writes: [["**/*.test.*", "go/**"]] },
          progress: (text) => (text.includes("ready") ? ready.resolve() : undefined),
        },
      );
      await Promise.race([ready.promise, said]);
      for (const name of ["sum", "b", "c"]) await writeFile(made.at(`test/${name}.test.js`), "theirs");
      await writeFile(made.at("go/now"), "");
      const text = toText(await said);
      for (const name of ["sum", "b", "c"]) {
        expect(await readFile(made.at(`test/${name}.test.js`), "utf8")).toBe("theirs");
        expect(text).toContain(`not taken over: test/${name}.test.js (it was changed in the workspace meanwhile)`);
      }
    },
    { "test/b.test.js": "b" },
  );

  role(
    "secrets are hidden in it, and protected names do not come back",
    async ({ made, say }) => {
      const text = await say(
        "cat .env test/.env; mkdir -p test/.vscode test/.git/hooks; echo x > test/.vscode/tasks.json; echo x > test/.git/hooks/pre-commit; echo x > test/.npmrc; echo x > test/.env.test.local; true",
      );
      expect(text).not.toContain("canary");
      expect(await readdir(made.at("test"))).toEqual([".env", "sum.test.js"]);
      expect(await readFile(made.at("test/.env"), "utf8")).toBe("canary");
      expect(text).toMatch(/not taken over: test\/\.vscode\/tasks\.json \(it is /);
    },
    { ".env": "canary", "test/.env": "canary" },
  );

  role("A9: a file with several names is not written through any of them", async ({ made, say }) => {
    await link(made.at("src/sum.js"), made.at("test/twin.test.js"));
    const before = await pictureOf(made.workspace);
    const text = await say("echo x > test/twin.test.js; ln src/sum.js test/made.test.js; echo x > test/made.test.js; true");
    expect(await readFile(made.at("src/sum.js"), "utf8")).toBe(SUITE["src/sum.js"]);
    expect(text).toContain("not taken over: test/twin.test.js");
    await unlink(made.at("test/made.test.js"));
    expect(await pictureOf(made.workspace)).toEqual(before);
  });

  role("A4: links lead nothing out, and nothing in", async ({ made, say }) => {
    await symlink("../src", made.at("test/there"));
    const text = await say(
      "echo x > test/there/sum.js; ln -s /etc test/etc; ln -s ../../.. test/up; ln -s ../src/sum.js test/in.test.js; ln -s . test/here; ln -s here/../../.. test/round; true",
    );
    expect(await readFile(made.at("src/sum.js"), "utf8")).toBe(SUITE["src/sum.js"]);
    expect((await readdir(made.at("test"))).toSorted()).toEqual(["here", "in.test.js", "sum.test.js", "there"]);
    for (const name of ["etc", "up", "round"]) expect(text).toContain(`not taken over: test/${name} (it is a symbolic link`);
    await say("rm -r test; ln -s src test; true");
    expect((await lstat(made.at("test"))).isDirectory()).toBe(true);
    expect(await readFile(made.at("src/sum.js"), "utf8")).toBe(SUITE["src/sum.js"]);
  });

  role("a command that closes folders or is ended early loses and leaves nothing", async ({ made, say }) => {
    const text = await say(
      "mkdir -p test/shut dist/shut; echo 1 > test/shut/a.test.js; chmod 000 test/shut dist/shut test; true",
    );
    expect(text).toMatch(/^\[exit code 0/);
    expect((await readdir(made.at("test"))).includes("sum.test.js")).toBe(true);
    const ended = createShellTool(options).execute(
      { command: "echo 1 > test/late.test.js; sleep 60", timeoutMs: 1500 },
      { ...made.context, scope: TESTS_ONLY },
    );
    expect(toText(await ended)).toContain("ended after 1500 ms");
    expect(await readFile(made.at("test/late.test.js"), "utf8")).toBe("1\n");
    const own = new RegExp(`^retinue-copy-\\d+-${process.pid}-`);
    expect((await readdir(tmpdir())).filter((name) => own.test(name))).toEqual([]);
  });

  role(
    "folders that may be written whole are written at once, and packages stay as they are",
    async ({ made, run }) => {
      const scope: ToolScope = { ...TESTS_ONLY, writes: [["test/**", "src/*.ts"]] };
      const output = await run(
        "echo 1 > test/a.txt; echo 1 > src/a.ts; echo 1 > src/b.js; cat node_modules/p/index.js; echo 1 > node_modules/p/index.js; true",
        scope,
      );
      expect(filesOf(output)).toEqual({ created: ["src/a.ts", "test/a.txt"], modified: [] });
      expect(toText(output)).toContain("packaged");
      expect(await readdir(made.at("src"))).toEqual(["a.ts", "sum.js"]);
      expect(await readFile(made.at("node_modules/p/index.js"), "utf8")).toBe("packaged");
    },
    { "node_modules/p/index.js": "packaged" },
  );
});

/** Whom nobody is. */
const OTHER = 12_345;

test.each(["plain", undefined] as const)("root works in the copy of another's workspace as that other (%s)", async (copyBy) => {
  await using made = await createSuite();
  if (machine.backend !== "bwrap" || process.getuid?.() !== 0) return;
  await chmod(path.dirname(made.workspace), 0o755);
  for (const name of ["", ...Object.keys(SUITE), "src", "test"]) await chown(made.at(name), OTHER, OTHER);
  const output = await createShellTool(copyBy === undefined ? {} : { copyBy }).execute(
    { command: "id -u; stat -c %u .; echo 1 > made.test.js; echo 1 >> test/sum.test.js; mkdir dist; echo 1 > dist/a" },
    { ...made.context, scope: TESTS_ONLY },
  );
  expect(toText(output)).toContain(`${OTHER}\n${OTHER}\n`);
  expect(filesOf(output)).toEqual({ created: ["made.test.js"], modified: ["test/sum.test.js"] });
  expect((await lstat(made.at("test/sum.test.js"))).uid).toBe(OTHER);
  expect(await readdir(made.workspace)).not.toContain("dist");
});

test("a workspace that is too large to be copied is refused, with what can be done", async () => {
  await using made = await createSuite();
  const shell = createShellTool({ copyBy: "plain", limits: { temporaryBytes: 300 } });
  await expect(shell.execute({ command: "touch a" }, { ...made.context, scope: LOOKS })).rejects.toMatchObject(
    machine.backend === "bwrap"
      ? {
          code: "tool_failed",
          message: expect.stringContaining("too large to be copied"),
          hint: expect.stringContaining("overlayfs"),
        }
      : { code: "sandbox_unavailable" },
  );
});

test("a path with characters that mean something to mount is one like any other", async () => {
  await using made = await createTestWorkspace({ "a,b:c \\d/x.test.js": "1" });
  if (machine.backend !== "bwrap") return;
  const workspace = made.at("a,b:c \\d");
  const output = await createShellTool().execute(
    { command: "cat x.test.js; pwd; echo 2 > y.test.js; echo 2 > z.js" },
    { ...made.context, workspace, scope: TESTS_ONLY },
  );
  expect(toText(output)).toContain(`1${workspace}`);
  expect(await readdir(workspace)).toEqual(["x.test.js", "y.test.js"]);
});
