/**
 * What a command tries against the protection of names: to make secrets invisible to the search that hides them, and to leave behind settings
 * that later sessions obey. Where the machine has no sandbox the cases of hiding assert that a limited command is refused.
 */
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ToolScope } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { probeSandbox } from "@retinue/confine";
import { createShellTool } from "./shell.ts";

const machine = await probeSandbox();
const CANARY = "canary-7d1e0b";
const WHOLE: ToolScope = { writes: [], hosts: [], approve: "all" };
const SCOPED: ToolScope = { writes: [["tests/**"]], hosts: [[]], approve: "all" };

type Attack = {
  readonly workspace: TestWorkspace;
  readonly say: (command: string) => Promise<string>;
  /** What lies in quarantine, relative to its folder without the part that tells the command. */
  readonly quarantined: () => Promise<readonly string[]>;
};

const attack = (name: string, files: Readonly<Record<string, string>>, body: (attack: Attack) => Promise<void>): void =>
  test(name, async () => {
    await using workspace = await createTestWorkspace(files);
    const quarantine = await mkdtemp(path.join(tmpdir(), "retinue-quarantine-test-"));
    const shell = createShellTool({ quarantine });
    try {
      if (machine.backend === "none") {
        const running = shell.execute({ command: "touch made" }, { ...workspace.context, scope: SCOPED });
        await expect(running).rejects.toMatchObject({ code: "sandbox_unavailable" });
        return;
      }
      await body({
        workspace,
        say: async (command) =>
          toText(await shell.execute({ command, timeoutMs: 60_000 }, { ...workspace.context, scope: WHOLE })),
        quarantined: async () => {
          const found: string[] = [];
          for (const place of await readdir(quarantine))
            for (const entry of await readdir(path.join(quarantine, place), { recursive: true })) found.push(entry);
          return found.toSorted();
        },
      });
    } finally {
      await rm(quarantine, { recursive: true, force: true });
    }
  });

/** Does something outside between the search for secrets and the making of the sandbox. */
const meanwhile = async (workspace: TestWorkspace, lines: string, command: string): Promise<string> => {
  if (machine.backend === "none") throw new Error("there is no sandbox");
  const program = path.join(path.dirname(workspace.workspace), "late-bwrap");
  await writeFile(program, `#!/bin/sh\ncd ${workspace.workspace}\n${lines}\nexec ${machine.program} "$@"\n`, { mode: 0o755 });
  const shell = createShellTool({ sandbox: { ...machine, program } });
  return toText(await shell.execute({ command }, { ...workspace.context, scope: WHOLE }));
};

const isRoot = process.getuid?.() === 0;

/** Whichever search comes to the folder first: the one for secrets, or the one for sockets. */
const NOT_LISTED = /(?:may not be|can be entered but not) listed/;

describe("secrets stay hidden from a command", () => {
  attack("that took away the right to list the workspace", { ".env": CANARY, "sub/.env": CANARY }, async ({ say, workspace }) => {
    await say("chmod 111 .");
    const text = await say("cat .env sub/.env").catch((thrown: unknown) => String(thrown));
    await chmod(workspace.workspace, 0o755);
    expect(text).not.toContain(CANARY);
    expect(await say("cat .env sub/.env")).not.toContain(CANARY);
  });

  attack(
    "where a folder could not be listed before it began",
    { "sub/.env": CANARY, "sub/a.txt": "plain" },
    async ({ say, workspace }) => {
      await chmod(workspace.at("sub"), 0o111);
      const text = await say("cat sub/.env; chmod 755 sub; cat sub/.env").catch((thrown: unknown) => String(thrown));
      await chmod(workspace.at("sub"), 0o755);
      expect(text).not.toContain(CANARY);
      // What cannot be looked into is not shown at all.
      if (!isRoot) expect(text).toMatch(/hidden from it: sub\b|(?:may not be|can be entered but not) listed/);
    },
  );

  attack("where the workspace itself could not be listed before it began", { ".env": CANARY }, async ({ say, workspace }) => {
    await chmod(workspace.workspace, 0o111);
    const text = await say("cat .env; chmod 755 .; cat .env").catch((thrown: unknown) => String(thrown));
    await chmod(workspace.workspace, 0o755);
    expect(text).not.toContain(CANARY);
    if (!isRoot) expect(text).toMatch(NOT_LISTED);
  });

  attack(
    "that took away the right to read settings with a key in them",
    { ".npmrc": `//r/:_authToken=${CANARY}` },
    async ({ say, workspace }) => {
      await chmod(workspace.at(".npmrc"), 0);
      const text = await say("chmod 600 .npmrc; cat .npmrc");
      expect(text).not.toContain(CANARY);
    },
  );

  attack(
    "that moved the folder around them to where nobody looks",
    { "sub/deep/.env": CANARY, "a.txt": "plain" },
    async ({ say }) => {
      await say("mkdir -p node_modules; mv sub node_modules/; mkdir -p x; mv node_modules/sub/deep x/site-packages");
      const text = await say("find . -name .env -exec cat {} +; cat */.env */*/.env */*/*/.env");
      expect(text).not.toContain(CANARY);
    },
  );

  attack(
    "that renamed the folder by which they are known",
    { "sub/.docker/config.json": CANARY, ".config/gh/hosts.yml": CANARY, "a.txt": "plain" },
    async ({ say }) => {
      await say("mv sub/.docker sub/d; mv .config c; mv .config/gh .config/g");
      const text = await say("cat sub/d/config.json c/gh/hosts.yml .config/g/hosts.yml sub/.docker/config.json");
      expect(text).not.toContain(CANARY);
    },
  );
});

describe("a secret that is not where it was when secrets were looked for", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["came to be there only then", `mkdir -p late && echo ${CANARY} > late/.env`, "cat late/.env"],
    ["was moved, with another in its place", `mv sub other && mkdir sub && : > sub/.env`, "cat other/.env"],
    [
      "was moved in a folder whose name is known",
      `mv .docker d; mkdir .docker; echo > .docker/config.json; mv d sub/.docker`,
      "cat sub/.docker/config.json",
    ],
  ];
  for (const [how, lines, command] of cases)
    attack(
      `ends the command before it begins, where it ${how}`,
      { "sub/.env": CANARY, ".docker/config.json": CANARY, "a.txt": "plain" },
      async ({ workspace }) => {
        await expect(meanwhile(workspace, lines, command)).rejects.toMatchObject({
          code: "tool_failed",
          message: expect.stringContaining("protected and not masked"),
        });
      },
    );

  attack(
    "lets the command run where nothing came to be there",
    { "sub/.env": CANARY, "it's.pem": "public" },
    async ({ workspace }) => {
      expect(await meanwhile(workspace, "echo a > a.txt; : > .env", "cat a.txt sub/.env *.pem")).toContain("a\npublic");
    },
  );
});

describe("what a command puts under protected names", () => {
  attack(
    "is never left there, though there are more than can be mounted",
    { "a.txt": "plain" },
    async ({ say, workspace, quarantined }) => {
      const text = await say(
        "for i in $(seq 1 301); do mkdir -p d$i; echo evil > d$i/.mcp.json; done; mkdir -p .claude .retinue/agents; " +
          "echo evil | tee .claude/settings.json .retinue/agents/main.md > .mcp.json",
      );
      expect(text).toContain("may not be put there and was moved to ");
      const names = await readdir(workspace.workspace);
      expect(names.filter((name) => name.startsWith("."))).toEqual([]);
      for (let at = 1; at <= 301; at += 1) expect(await readdir(workspace.at(`d${at}`))).toEqual([]);
      const kept = await quarantined();
      expect(kept.filter((file) => file.endsWith(".mcp.json"))).toHaveLength(302);
      expect(kept).toContain(".retinue/agents/main.md");
    },
  );

  attack("is found also in folders that it closed", { "a.txt": "plain" }, async ({ say, workspace, quarantined }) => {
    const text = await say(
      "mkdir -p x/y/.claude z; echo evil > x/y/.claude/settings.json; echo evil > z/.mcp.json; chmod 000 x/y/.claude x/y x; chmod 555 z",
    );
    expect(text).toContain("may not be put there and was moved to ");
    await chmod(workspace.at("x"), 0o700);
    await chmod(workspace.at("x/y"), 0o700);
    expect(await readdir(workspace.at("x/y"))).toEqual([]);
    expect(await readdir(workspace.at("z"))).toEqual([]);
    expect((await lstat(workspace.at("z"))).mode & 0o777).toBe(0o555);
    expect(await quarantined()).toEqual(expect.arrayContaining(["x/y/.claude/settings.json", "z/.mcp.json"]));
  });

  attack(
    "is moved away alone: nothing of the user's is, however much of it there is",
    {},
    async ({ say, workspace, quarantined }) => {
      for (let at = 0; at < 320; at += 1) {
        await mkdir(workspace.at(`d${at}`));
        await writeFile(workspace.at(`d${at}/AGENTS.md`), "the user's");
      }
      await symlink("../x", workspace.at("d0/.cursorrules"));
      expect(await say("echo evil > CLAUDE.md")).toContain("was moved to ");
      expect(await quarantined()).toEqual(["CLAUDE.md"]);
      for (let at = 0; at < 320; at += 1) expect(await readFile(workspace.at(`d${at}/AGENTS.md`), "utf8")).toBe("the user's");
      expect((await lstat(workspace.at("d0/.cursorrules"))).isSymbolicLink()).toBe(true);
    },
  );

  test("is moved away also where there is no sandbox", async () => {
    await using workspace = await createTestWorkspace({ "AGENTS.md": "the user's" });
    await using other = await createTestWorkspace();
    const shell = createShellTool({
      sandbox: { backend: "none", reason: "a test", isInstalled: false },
      quarantine: other.workspace,
    });
    const command = "mkdir -p .claude x; echo evil | tee .claude/settings.json x/.mcp.json; chmod 000 x";
    const text = toText(await shell.execute({ command }, { ...workspace.context, scope: WHOLE }));
    expect(text).toContain(`was moved to ${other.workspace}/`);
    expect((await readdir(workspace.workspace)).toSorted()).toEqual(["AGENTS.md", "x"]);
    await chmod(workspace.at("x"), 0o700);
    expect(await readdir(workspace.at("x"))).toEqual([]);
  });
});

describe("a command that makes names which are not in UTF-8", () => {
  const PLANTED =
    "mkdir -p $'a/b\\xff/.claude' .claude && echo x > .claude/settings.json && echo x > $'a/b\\xff/.claude/settings.json'";

  attack(
    "leaves neither these behind nor what it plants beside them, and the next command runs",
    {},
    async ({ workspace, say, quarantined }) => {
      expect(await say(PLANTED)).toMatch(/may not be put there and was moved to/);
      expect(await readdir(workspace.workspace)).toEqual(["a"]);
      expect(await readdir(path.join(workspace.workspace, "a"))).toEqual([]);
      expect(await quarantined()).toEqual(expect.arrayContaining([".claude/settings.json", "a/b%FF/.claude/settings.json"]));
      expect(await say("echo on")).toContain("on");
    },
  );

  /** A folder of memory that every Linux has, and that is not where temporary folders lie. */
  test("leaves them neither where quarantine lies on another file system", async () => {
    await using workspace = await createTestWorkspace({});
    const memory = await mkdtemp("/dev/shm/retinue-quarantine-test-").catch(() =>
      mkdtemp(path.join(tmpdir(), "retinue-quarantine-test-")),
    );
    try {
      const shell = createShellTool({ quarantine: memory });
      const running = shell.execute(
        { command: PLANTED },
        { ...workspace.context, scope: machine.backend === "none" ? SCOPED : WHOLE },
      );
      if (machine.backend === "none") return await expect(running).rejects.toMatchObject({ code: "sandbox_unavailable" });
      expect(toText(await running)).toMatch(/was moved to/);
      expect(await readdir(workspace.workspace, { recursive: true })).toEqual(["a"]);
    } finally {
      await rm(memory, { recursive: true, force: true });
    }
  });
});
