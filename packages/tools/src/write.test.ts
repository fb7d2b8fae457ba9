import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { createJudge } from "@retinue/runtime";
import { describe, expect, it } from "vitest";
import { holdByDescriptor, holdByRealPath, writeInside } from "@retinue/confine";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace } from "@retinue/confine/testing";
import { runWriteRace } from "@retinue/confine/testing";
import { createWriteTool } from "./write.ts";

const write = createWriteTool();

const put = (test: TestWorkspace, file: string, content = "attack") => write.execute({ path: file, content }, test.context);

/** Everything in and beside the workspace with its content, to see that nothing changed. */
const snapshot = async (test: TestWorkspace): Promise<Record<string, string>> => {
  const base = path.dirname(test.workspace);
  const entries = await readdir(base, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [path.relative(base, file), await readFile(file, "utf8")])),
  );
};

/** Where a file is or would be, with all links followed. */
const realPathOf = async (file: string): Promise<string> =>
  realpath(file).catch(async () => path.join(await realPathOf(path.dirname(file)), path.basename(file)));

/** A workspace with a sibling folder that must stay as it is. */
const withOutside = async (): Promise<TestWorkspace & { readonly outside: string }> => {
  const test = await createTestWorkspace({ "src/a.ts": "source", "tests/t.ts": "test" });
  const outside = path.join(path.dirname(test.workspace), "outside");
  await mkdir(outside);
  await writeFile(path.join(outside, "a.ts"), "outside");
  return { ...test, outside };
};

describe("write", () => {
  it("creates a file with the folders it needs and reports it as created", async () => {
    await using test = await createTestWorkspace();
    expect(await put(test, "a/b/c.ts", "one\ntwo\n")).toEqual({
      content: [{ type: "text", text: "Created a/b/c.ts (2 lines, 8 bytes)." }],
      files: { created: ["a/b/c.ts"], modified: [] },
    });
    expect(await readFile(test.at("a/b/c.ts"), "utf8")).toBe("one\ntwo\n");
  });

  it("replaces a file, keeps its mode and reports it as modified", async () => {
    await using test = await createTestWorkspace({ "run.sh": "a much longer old content" });
    await chmod(test.at("run.sh"), 0o750);
    await expect(put(test, "run.sh", "new")).rejects.toMatchObject({ code: "file_unread" });
    expect(await put(test, test.at("run.sh"), "new")).toMatchObject({ files: { created: [], modified: ["run.sh"] } });
    expect(await readFile(test.at("run.sh"), "utf8")).toBe("new");
    expect((await stat(test.at("run.sh"))).mode & 0o777).toBe(0o750);
    expect(await readdir(test.workspace)).toEqual(["run.sh"]);
  });

  it("refuses once to replace a file that was never read, with how it begins", async () => {
    await using test = await createTestWorkspace({ "a.ts": "first line\nsecond line\n", "empty.ts": "", ".env": "KEY=secret\n" });
    await expect(put(test, "a.ts", "new")).rejects.toMatchObject({
      code: "file_unread",
      message: expect.stringMatching(
        /^a\.ts exists \(3 lines\), and you have not read it\. Nothing was written\. It begins:\nfirst line\nsecond line/,
      ),
    });
    expect(await readFile(test.at("a.ts"), "utf8")).toBe("first line\nsecond line\n");
    expect(await put(test, "a.ts", "new")).toMatchObject({ files: { modified: ["a.ts"] } });
    expect(await put(test, "empty.ts", "new")).toMatchObject({ files: { modified: ["empty.ts"] } });
    const shown = await put(test, ".env", "KEY=other").catch((thrown: unknown) => thrown);
    expect(String(shown)).not.toContain("secret");
  });

  it("reports nothing as changed when the content is the same", async () => {
    await using test = await createTestWorkspace({ "a.ts": "same" });
    expect(await put(test, "./a.ts", "same")).toMatchObject({ files: { created: [], modified: [] } });
  });

  it("says when the target is a folder", async () => {
    await using test = await createTestWorkspace({ "src/a.ts": "" });
    await expect(put(test, "src")).rejects.toMatchObject({ code: "tool_failed", message: "src is a folder." });
    await expect(put(test, "src/a.ts/x")).rejects.toThrow("src/a.ts leads through something that is no folder.");
  });

  it("declares what it touches", () => {
    expect(write.touches({ path: "tests/../src/a.ts", content: "" })).toEqual({ paths: ["tests/../src/a.ts"] });
    expect(write).toMatchObject({ effect: "write", repeatable: false });
  });

  it.each([
    ["A1", "tests/../src/a.ts"],
    ["A1", "../outside/a.ts"],
    ["A1", "tests/./../../outside/a.ts"],
    ["A2", "/etc/retinue-test"],
    ["A3", "../workspace-evil/x"],
    ["A10", "/proc/self/root/tmp/retinue-test"],
    ["A10", "/proc/self/cwd/retinue-test"],
    ["A10", "/dev/fd/1"],
    ["A12", "a\0b"],
    ["A12", "tests/"],
    ["A12", "artifact:art_1"],
    ["A12", "."],
  ])("%s: refuses %j and changes nothing", async (_, file) => {
    await using test = await withOutside();
    const before = await snapshot(test);
    await expect(put(test, file)).rejects.toMatchObject({
      code: expect.stringMatching(/^(path_outside_workspace|tool_failed)$/),
    });
    expect(await snapshot(test)).toEqual(before);
  });

  it("A1, A2, A3, A4, A10: with a scope, policy refuses what leaves it by dots, links, twins or whole paths", async () => {
    await using test = await withOutside();
    await symlink("../src", test.at("tests/link"));
    await mkdir(test.at("tests-evil"));
    const judge = createJudge();
    const outcome = async (file: string): Promise<string> => {
      const judgement = await judge({
        callId: "call_test",
        tool: write,
        input: { path: file, content: "" },
        spec: {
          system: "",
          model: "none/none",
          fallbacks: [],
          tools: ["write"],
          limits: {},
          treeLimits: {},
          delegates: [],
          workspace: test.workspace,
          grant: { tools: ["write"], writes: [["tests/**"]], hosts: [], approve: "all", maxDepth: 3 },
        },
        realPath: realPathOf,
      });
      return judgement.type === "deny" ? judgement.error.code : judgement.type;
    };
    for (const file of ["tests/t.ts", "tests/new/deep.ts", "src/../tests/t.ts", test.at("tests/t.ts")])
      expect([file, await outcome(file)]).toEqual([file, "allow"]);
    for (const file of ["tests/../src/a.ts", "src/a.ts", "tests-evil/x", "tests/link/a.ts", test.at("src/a.ts")])
      expect([file, await outcome(file)]).toEqual([file, "path_outside_scope"]);
    for (const file of ["/etc/x", "tests/../../outside/a.ts", `/proc/self/root${test.outside}/a.ts`, "/dev/fd/1"])
      expect([file, await outcome(file)]).toEqual([file, "path_outside_workspace"]);
  });

  it("A3: refuses a twin of the workspace's name as an absolute path", async () => {
    await using test = await withOutside();
    await expect(put(test, `${test.workspace}-evil/x`)).rejects.toMatchObject({ code: "path_outside_workspace" });
  });
});

describe.each([
  ["by descriptor", holdByDescriptor],
  ["by real path", holdByRealPath],
] as const)("writeInside, folders held %s,", (_, hold) => {
  const attempt = async (test: TestWorkspace, file: string): Promise<void> => {
    const before = await snapshot(test);
    await expect(writeInside({ root: test.workspace, file, content: "attack", hold })).rejects.toMatchObject({
      name: "RetinueError",
      code: expect.stringMatching(/^(path_outside_workspace|tool_failed)$/),
    });
    expect(await snapshot(test)).toEqual(before);
  };

  it("creates and replaces files below the root", async () => {
    await using test = await withOutside();
    expect(await writeInside({ root: test.workspace, file: "x/y/z", content: "1", hold })).toBe("created");
    expect(await writeInside({ root: test.workspace, file: "x/y/z", content: "2", hold })).toBe("modified");
    expect(await writeInside({ root: test.workspace, file: "x/y/z", content: "2", hold })).toBe("unchanged");
    expect(await readFile(test.at("x/y/z"), "utf8")).toBe("2");
  });

  it("A4: refuses a folder that is a link, out of the workspace or within it", async () => {
    await using test = await withOutside();
    await symlink("../../outside", test.at("tests/out"));
    await symlink("../src", test.at("tests/in"));
    for (const file of ["tests/out/a.ts", "tests/out/new", "tests/in/a.ts", "tests/in/deep/new"]) await attempt(test, file);
  });

  it("A5: refuses a link that a command made a moment ago", async () => {
    await using test = await withOutside();
    execFileSync("/bin/sh", ["-c", "ln -s ../../outside tests/fresh"], { cwd: test.workspace });
    await attempt(test, "tests/fresh/a.ts");
  });

  it("A6: refuses a dangling link and does not create what it names", async () => {
    await using test = await withOutside();
    await symlink("../../outside/new", test.at("tests/new"));
    await attempt(test, "tests/new");
  });

  it("A7: refuses a file that is a link", async () => {
    await using test = await withOutside();
    await symlink("../src/a.ts", test.at("tests/final"));
    await attempt(test, "tests/final");
  });

  it("A9: refuses a file that has another hard link", async () => {
    await using test = await withOutside();
    await link(path.join(test.outside, "a.ts"), test.at("tests/hard"));
    await attempt(test, "tests/hard");
  });

  it("A11: refuses a FIFO, a device and a socket without waiting", async () => {
    await using test = await withOutside();
    execFileSync("mkfifo", [test.at("tests/fifo")]);
    await attempt(test, "tests/fifo");
    const { createServer } = await import("node:net");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(test.at("tests/socket"), resolve));
    await attempt(test, "tests/socket");
    await new Promise((resolve) => server.close(resolve));
  });

  it("A11: refuses a FIFO that somebody reads from", async () => {
    await using test = await withOutside();
    execFileSync("mkfifo", [test.at("tests/fifo")]);
    const { open } = await import("node:fs/promises");
    const { O_RDONLY, O_NONBLOCK } = (await import("node:fs")).constants;
    const reader = await open(test.at("tests/fifo"), O_RDONLY | O_NONBLOCK);
    await attempt(test, "tests/fifo");
    await reader.close();
  });
});

describe("A8: while another process exchanges the folder with a link out of the workspace,", () => {
  const expectNoneOutside = async (writes: number): Promise<void> => {
    const result = await runWriteRace({ writes });
    expect(result).toMatchObject({ outside: 0 });
    expect(result.written + result.refused).toBe(writes);
    // Both must have happened, or there was no race.
    expect(result.written).toBeGreaterThan(0);
    expect(result.refused).toBeGreaterThan(0);
  };

  it("500 writes leave nothing outside", () => expectNoneOutside(500));
  it("2,000 writes leave nothing outside", { tags: ["long"] }, () => expectNoneOutside(2000));

  it("the race is seen to be lost by a write that only looks at the name", async () => {
    const result = await runWriteRace({ writes: 500, write: (root, file, content) => writeFile(path.join(root, file), content) });
    expect(result.outside).toBeGreaterThan(0);
  });
});
