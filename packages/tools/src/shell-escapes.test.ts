// @module-tag long
/**
 * What a hostile command tries against its sandbox. Where the machine has no sandbox each case asserts that the command is refused; with
 * SANDBOX_REQUIRED=1 a machine without one fails.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync, chmodSync, lchownSync, statfsSync } from "node:fs";
import { constants, link, lstat, mkdir, open, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import path from "node:path";
import type { ToolOutput, ToolScope } from "@retinue/runtime";
import { afterEach, describe, expect, test, vi } from "vitest";
import { writeInside } from "@retinue/confine";
import type { ResourceLimits } from "@retinue/confine";
import { createResourceLimits } from "@retinue/confine";
import { runCommand } from "@retinue/confine";
import { createShellTool } from "./shell.ts";
import { findByCommandLine } from "./testing/abort-shells.ts";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { probeSandbox, tryBwrap } from "@retinue/confine";
import { toSandboxedCommand } from "@retinue/confine";

const machine = await probeSandbox();
const CANARY = "canary-5f3a9c";

/** May write `tests` and nothing else, and reach no host. */
const SCOPED: ToolScope = { writes: [["tests/**"]], hosts: [[]], approve: "all" };
const WHOLE: ToolScope = { writes: [], hosts: [], approve: "all" };

type Attack = {
  readonly workspace: TestWorkspace;
  /** The folder in which the workspace lies; nothing in it is for the command. */
  readonly outside: string;
  readonly run: (
    command: string,
    options?: { scope?: ToolScope; limits?: Partial<ResourceLimits>; timeoutMs?: number },
  ) => Promise<ToolOutput>;
  readonly say: (command: string, scope?: ToolScope) => Promise<string>;
};

const FILES = { "src/a.ts": "original", "tests/a.test.ts": "test", "README.md": "read me" };

/** One case of the battery: against the sandbox where there is one, against the refusal where there is none. */
const attack = (name: string, body: (attack: Attack) => Promise<void>): void =>
  test(name, async () => {
    await using workspace = await createTestWorkspace(FILES);
    const outside = path.dirname(workspace.workspace);
    const kept = path.join(outside, "kept");
    const run: Attack["run"] = (command, { scope = SCOPED, limits, timeoutMs = 30_000 } = {}) =>
      createShellTool({ quarantine: kept, ...(limits === undefined ? {} : { limits }) }).execute(
        { command, timeoutMs },
        { ...workspace.context, scope },
      );
    if (machine.backend === "none") {
      await expect(run("touch tests/made")).rejects.toMatchObject({ code: "sandbox_unavailable" });
      expect(await readdir(workspace.at("tests"))).toEqual(["a.test.ts"]);
      return;
    }
    await writeFile(path.join(outside, "secret.txt"), CANARY);
    await body({ workspace, outside, run, say: async (command, scope = SCOPED) => toText(await run(command, { scope })) });
    await rm(kept, { recursive: true, force: true });
    // Whatever was tried, what lies outside is as it was.
    expect(await readFile(path.join(outside, "secret.txt"), "utf8")).toBe(CANARY);
    expect((await readdir(outside)).toSorted()).toEqual(["secret.txt", "workspace"]);
    expect(await readFile(workspace.at("README.md"), "utf8")).toBe("read me");
  });

const listen = async (server: Server, at: string | number): Promise<Server> => {
  await once(typeof at === "string" ? server.listen(at) : server.listen(at, "127.0.0.1"), "listening");
  return server;
};

type TarEntry = { readonly name: string } & ({ readonly content: string } | { readonly link: string });

/** By hand, since programs that make archives leave out what is dangerous about them. */
const toTar = (entries: readonly TarEntry[]): Buffer => {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from("content" in entry ? entry.content : "");
    const header = Buffer.alloc(512);
    header.write(entry.name, 0, 100);
    // Numbers are octal, and the sum counts its own place as spaces.
    for (const [at, text] of [
      [100, "0000777"],
      [108, "0000000"],
      [116, "0000000"],
      [124, content.length.toString(8).padStart(11, "0")],
      [136, "00000000000"],
      [148, "        "],
      [257, "ustar"],
      [263, "00"],
    ] as const)
      header.write(text, at);
    header.write("link" in entry ? "2" : "0", 156);
    header.write("link" in entry ? entry.link : "", 157, 100);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
};

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

const errorOf = (output: ToolOutput) => (typeof output === "string" ? undefined : output.error);

const filesOf = (output: ToolOutput) => (typeof output === "string" ? undefined : output.files);

afterEach(() => vi.unstubAllEnvs());

describe("the probe", () => {
  test("finds a sandbox where one is required", () => {
    if (process.env["SANDBOX_REQUIRED"] === "1") expect(machine).toMatchObject({ backend: "bwrap" });
    else expect(["bwrap", "none"]).toContain(machine.backend);
  });

  test("says what stands against one, and believes no name", async () => {
    await using workspace = await createTestWorkspace({
      liar: "#!/bin/sh\necho bubblewrap 0.9.0\n",
      old: "#!/bin/sh\necho bubblewrap 0.4.1\n",
    });
    chmodSync(workspace.at("liar"), 0o755);
    chmodSync(workspace.at("old"), 0o755);
    expect(await tryBwrap([workspace.at("gone")])).toMatchObject({ backend: "none", reason: expect.any(String) });
    expect(await tryBwrap([workspace.at("liar")])).toMatchObject({
      backend: "none",
      reason: expect.stringContaining("does not confine"),
    });
    expect(await tryBwrap([workspace.at("old")])).toMatchObject({
      backend: "none",
      reason: expect.stringContaining("older than 0.8"),
    });
  });
});

describe("devices", () => {
  attack("of the machine cannot be changed, whoever owns them, and work on", async ({ run, say }) => {
    const modes = () => DEVICES.map((device) => statSync(device).mode & 0o7777);
    const before = modes();
    const output = await run(`for d in ${DEVICES.join(" ")}; do chmod 600 $d; touch -d 2001-01-01 $d; chown 1:1 $d; done; true`);
    expect(toText(output).match(/chmod: /g)).toHaveLength(DEVICES.length);
    // What it was started with is open already, and was opened outside.
    await run("for n in 0 1 2; do chmod 600 /proc/self/fd/$n; done; chmod 600 /dev/stdin; true");
    expect(modes()).toEqual(before);
    expect(await say("echo gone > /dev/null && head -c 4 /dev/zero | od -An -c && head -c 1 /dev/urandom | wc -c")).toContain(
      "1",
    );
  });
});

describe("files", () => {
  attack("a scoped command writes its folder, and nothing else of the workspace or the machine", async ({ run, workspace }) => {
    const output = await run(
      "echo new > tests/b; echo x > tests/a.test.ts; for f in src/a.ts b /etc/b /usr/b /b ../b; do echo x > $f; done; true",
    );
    expect(toText(output).match(/Read-only file system/g)).toHaveLength(3);
    expect(toText(output)).toMatch(/gone now: .*src\/a\.ts/);
    expect(filesOf(output)).toEqual({ created: ["tests/b"], modified: ["tests/a.test.ts"] });
    expect(await readFile(workspace.at("src/a.ts"), "utf8")).toBe("original");
    expect(await readdir(workspace.workspace)).toEqual(["README.md", "src", "tests"]);
  });

  attack(
    "a scope finer than a folder brings back what it names, with a private place for temporary files",
    async ({ say, workspace }) => {
      const scope = { ...SCOPED, writes: [["**/*.test.ts"]] };
      expect(await say("echo x > tests/b.test.ts; echo x > tests/b.ts; echo x > $TMPDIR/t && cat /tmp/t", scope)).toMatch(
        /gone now: tests\/b\.ts\]\nx\n$/,
      );
      expect(await say("ls /tmp | grep -c '^t$'", scope)).toMatch(/\n0\n$/);
      expect(await readdir(workspace.at("tests"))).toEqual(["a.test.ts", "b.test.ts"]);
    },
  );

  attack("a scope of single files opens those files alone", async ({ say, workspace }) => {
    const scope = { ...SCOPED, writes: [["src/a.ts", "src/b.ts"]] };
    expect(await say("echo x > src/a.ts; echo x > src/b.ts; echo x > src/c.ts; rm src/a.ts; cat src/a.ts", scope)).toContain(
      "\nx\n",
    );
    expect(await readdir(workspace.at("src"))).toEqual(["a.ts", "b.ts"]);
  });

  attack(
    "A4, A5: a link out of the scope leads nowhere, for the command and for the file tools after it",
    async ({ say, workspace, outside }) => {
      await symlink("../src", workspace.at("tests/there"));
      expect(
        await say(
          `ln -s ../src tests/here; ln -s ${outside} tests/out; echo x > tests/here/a.ts; echo x > tests/there/a.ts; echo x > tests/out/secret.txt`,
        ),
      ).toContain("gone now: src/a.ts");
      expect(await readFile(workspace.at("src/a.ts"), "utf8")).toBe("original");
      await expect(writeInside({ root: workspace.workspace, file: "tests/here/a.ts", content: "x" })).rejects.toMatchObject({
        code: "tool_failed",
      });
    },
  );

  attack("A9: a hard link to a file elsewhere is not written through, and none can be made", async ({ say, workspace }) => {
    await link(workspace.at("src/a.ts"), workspace.at("tests/hard"));
    expect(await say("echo x > tests/hard; ln src/a.ts tests/made; ln -P README.md tests/made")).toMatch(
      /Read-only file system[^]*Invalid cross-device link/,
    );
    expect(await readFile(workspace.at("src/a.ts"), "utf8")).toBe("original");
  });

  attack("A10: no way through /proc leads out", async ({ say, workspace, outside }) => {
    const text = await say(
      `for p in /proc/self/root /proc/1/root /proc/self/cwd/../.. /proc/1/cwd /dev/fd/1/..; do cat $p${outside}/secret.txt $p/secret.txt; echo x > $p${workspace.workspace}/src/a.ts; done 2>&1`,
    );
    expect(text).not.toContain(CANARY);
    expect(await readFile(workspace.at("src/a.ts"), "utf8")).toBe("original");
  });

  attack("A20: neither the scope's own folder nor one above it can be renamed or removed", async ({ say, workspace }) => {
    const text = await say("mv tests t; rm -rf tests; rmdir tests; mv ../workspace ../w; mv tests /tmp/; cd /; rm -rf $OLDPWD");
    expect(text).toMatch(/busy|Read-only|denied/);
    expect(await readdir(workspace.workspace)).toEqual(["README.md", "src", "tests"]);
    expect((await lstat(workspace.at("tests"))).isDirectory()).toBe(true);
    const whole = await say("mv ../workspace ../w; rmdir ../workspace; rm -rf ../workspace/src", WHOLE);
    expect(whole).toMatch(/busy|Read-only|denied/);
    expect(await readdir(workspace.workspace)).toEqual(["README.md", "tests"]);
  });

  attack("A19: an archive with entries that lead out changes nothing outside the scope", async ({ run, workspace, outside }) => {
    await writeFile(
      workspace.at("tests/evil.tar"),
      toTar([
        { name: "../src/a.ts", content: "evil" },
        { name: "../../secret.txt", content: "evil" },
        { name: `${outside}/planted`, content: "evil" },
        { name: workspace.at("README.md"), content: "evil" },
        { name: "link", link: "../src" },
        { name: "link/a.ts", content: "evil" },
        { name: "out", link: outside },
        { name: "out/secret.txt", content: "evil" },
        { name: "plain.txt", content: "good" },
      ]),
    );
    // As careless as it can be called: names are taken as they are, and links are followed.
    const output = await run("tar --absolute-names --keep-directory-symlink -xf tests/evil.tar -C tests");
    expect(toText(output)).toMatch(/gone now: .*src\/a\.ts/);
    expect(await readdir(outside)).toEqual(["secret.txt", "workspace"]);
    expect(await readFile(path.join(outside, "secret.txt"), "utf8")).toBe(CANARY);
    expect(await readFile(workspace.at("tests/plain.txt"), "utf8")).toBe("good");
    expect(await readFile(workspace.at("src/a.ts"), "utf8")).toBe("original");
    expect(filesOf(output)?.created.filter((file) => !file.startsWith("tests/"))).toEqual([]);
    expect(filesOf(output)?.modified).toEqual([]);
    // Without the sandbox it would have worked.
    await using bare = await createTestWorkspace({ ...FILES, "e.tar": toTar([{ name: "../src/a.ts", content: "evil" }]) });
    execFileSync("tar", ["--absolute-names", "-xf", "../e.tar"], { cwd: bare.at("tests") });
    expect(await readFile(bare.at("src/a.ts"), "utf8")).toBe("evil");
  });

  attack("A16: a folder that was swapped after it was looked at ends the command before it begins", async ({ workspace }) => {
    if (machine.backend === "none") throw new Error("this is for a sandbox");
    const folder = workspace.workspace;
    const command = await toSandboxedCommand({
      sandbox: machine,
      limits: createResourceLimits(),
      file: "/bin/sh",
      args: ["-c", "touch tests/made"],
      profile: {
        folder,
        emptied: [],
        readable: [folder],
        writable: [workspace.at("tests")],
        readOnly: [],
        hidden: [],
        network: false,
        temporaryBytes: 1_000_000,
      },
      expected: [{ path: workspace.at("tests"), identity: "1:2" }],
    });
    const env = { PATH: "/usr/bin:/bin" };
    const end = await runCommand({
      ...command,
      cwd: folder,
      env,
      timeoutMs: 30_000,
      signal: workspace.context.signal,
      onOutput: () => undefined,
    }).finally(command.end);
    expect(end).toMatchObject({ type: "exited", exitCode: 125 });
    expect(command.hasStarted()).toBe(false);
    expect(await readdir(workspace.at("tests"))).toEqual(["a.test.ts"]);
  });

  attack("A10: an open folder that we were started with ourselves is not handed on", async ({ workspace, outside }) => {
    const script = `
      const [shell, testing] = await Promise.all(process.argv.slice(1, 3).map((file) => import(file)));
      await using test = await testing.createTestWorkspace();
      const output = await shell.createShellTool().execute({ command: "cat /proc/self/fd/*/secret.txt; ls /proc/self/fd" }, test.context);
      process.stdout.write(testing.toText(output));`;
    const files = ["./shell.ts", "../../confine/src/testing/tool-context.ts"].map((file) => new URL(file, import.meta.url).href);
    const folder = await open(outside, constants.O_RDONLY | constants.O_DIRECTORY);
    const host = spawn(process.execPath, ["--input-type=module", "-e", script, ...files], {
      stdio: ["ignore", "pipe", "inherit", ...Array.from({ length: 27 }, () => "ignore" as const), folder.fd],
    });
    let said = "";
    host.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await once(host, "close");
    await folder.close();
    expect(said).toMatch(/^\[exit code 0\]\n[^]*\n0\n1\n2\n3\n$/);
    expect(said).not.toContain(CANARY);
    expect(await readdir(workspace.at("src"))).toEqual(["a.ts"]);
  });

  attack("root works in another's folder as that other, and a plain user as itself", async ({ run, workspace }) => {
    const isRoot = process.getuid?.() === 0;
    const uid = isRoot ? 4321 : process.getuid?.();
    if (isRoot) {
      for (const file of ["", "src", "tests", ...Object.keys(FILES)]) lchownSync(workspace.at(file), 4321, 4321);
      chmodSync(path.dirname(workspace.workspace), 0o755);
    }
    const text = toText(await run("id -u; touch made; cat /etc/shadow", { scope: WHOLE }));
    expect(text).toContain(`\n${uid}\n`);
    expect(text).not.toContain("root:");
    expect((await lstat(workspace.at("made"))).uid).toBe(uid);
  });
});

describe("protected names", () => {
  attack(
    "I2: those that are there are not written, at any depth, and neither are those that agents are ordered by",
    async ({ say, workspace }) => {
      const held = [
        ".git/config",
        ".git/hooks/pre-commit",
        "sub/.git/config",
        ".husky/pre-commit",
        ".vscode/tasks.json",
        ".mcp.json",
        "sub/.claude/settings.json",
        "retinue.yaml",
        ".retinue/agents/main.md",
        ".github/workflows/ci.yml",
        "AGENTS.md",
        ".bashrc",
      ];
      for (const file of [...held, ".git/HEAD", "sub/.git/HEAD"]) {
        await mkdir(path.dirname(workspace.at(file)), { recursive: true });
        await writeFile(workspace.at(file), "original");
      }
      const text = await say(
        `for f in ${held.join(" ")}; do echo evil > $f; rm -f $f; mv $f x; done 2>&1 | grep -c -v -E 'Read-only|busy'; mv .git g; mv sub s; mv s sub; ls -d .git sub/.git`,
        WHOLE,
      );
      expect(text).toMatch(/\n0\n/);
      for (const file of held) expect([file, await readFile(workspace.at(file), "utf8")]).toEqual([file, "original"]);
    },
  );

  attack("I1: those that a command makes are moved away before anybody can run or obey them", async ({ run, workspace }) => {
    const output = await run(
      "echo evil > .mcp.json; mkdir -p sub/.vscode .husky .retinue/agents; echo evil | tee sub/.vscode/tasks.json .husky/pre-commit .retinue/agents/main.md CLAUDE.md > ok.txt",
      { scope: WHOLE },
    );
    const [, place = ""] = /may not be put there and was moved to ([^:]+): /.exec(toText(output)) ?? [];
    const names = await readdir(workspace.workspace);
    for (const file of [".mcp.json", ".husky", ".retinue", "CLAUDE.md"]) {
      expect(names).not.toContain(file);
      expect(await readdir(place)).toContain(file);
    }
    expect(await readdir(workspace.at("sub/.vscode"))).toEqual([]);
    expect(names).toContain("ok.txt");
  });

  attack("I1: neither a link nor a folder that was moved in the way gets such a name past", async ({ run, workspace }) => {
    for (const file of ["sub/.git/HEAD", "sub/.git/hooks/pre-commit", "shared/settings.json"]) {
      await mkdir(path.dirname(workspace.at(file)), { recursive: true });
      await writeFile(workspace.at(file), "original");
    }
    await symlink("shared", workspace.at(".claude"));
    const output = await run(
      "mkdir evil; echo evil > evil/tasks.json; ln -s evil .vscode; ln -s evil/tasks.json .mcp.json; mkdir -p .idea; " +
        "rm .claude; ln -s evil .claude; mv sub moved; mkdir -p sub/.git/hooks; echo ref > sub/.git/HEAD; echo evil > sub/.git/hooks/pre-commit",
      { scope: WHOLE },
    );
    const [, place = ""] = /was moved to ([^:]+): /.exec(toText(output)) ?? [];
    const names = await readdir(workspace.workspace);
    for (const file of [".vscode", ".mcp.json", ".idea", ".claude"]) {
      expect(names).not.toContain(file);
      expect(await readdir(place)).toContain(file);
    }
    expect(await readdir(workspace.at("sub"))).toEqual([]);
    // What was there before is only somewhere else now.
    expect(await readFile(workspace.at("moved/.git/hooks/pre-commit"), "utf8")).toBe("original");
  });

  attack("I1: a fresh repository stays, one with hooks or settings of its own is moved away", async ({ run, workspace }) => {
    const make = (name: string): string => `git init -q ${name}`;
    const output = await run(
      `${make("plain")}; ${make("hooked")}; echo id > hooked/.git/hooks/pre-commit; ${make("set")}; git -C set config core.fsmonitor id; ${make("led")}; echo ../plain/.git > led/.git/commondir`,
      { scope: WHOLE },
    );
    expect(toText(output)).toMatch(/moved to [^\n]*hooked\/\.git/);
    for (const [name, expected] of [
      ["plain", [".git"]],
      ["hooked", []],
      ["set", []],
      ["led", []],
    ] as const)
      expect([name, await readdir(workspace.at(name))]).toEqual([name, expected]);
  });

  attack("I6: an agent cannot set itself free by its settings", async ({ say, workspace }) => {
    await writeFile(workspace.at("retinue.yaml"), "approve: ask\n");
    expect(
      await say("echo 'approve: all' > retinue.yaml; sed -i s/ask/all/ retinue.yaml; cp README.md retinue.yaml", WHOLE),
    ).toMatch(/Read-only/);
    expect(await readFile(workspace.at("retinue.yaml"), "utf8")).toBe("approve: ask\n");
  });

  attack("secrets of the workspace are seen as empty, and that is said", async ({ say, workspace }) => {
    const secrets = [".env", "deep/down/.env.local", "server.key", "id_rsa", ".aws/credentials", ".npmrc"];
    for (const file of secrets) {
      await mkdir(path.dirname(workspace.at(file)), { recursive: true });
      await writeFile(workspace.at(file), `//registry/:_authToken=${CANARY}`);
    }
    await writeFile(workspace.at(".env.example"), "KEY=put it here");
    await symlink(".env", workspace.at("alias"));
    for (const scope of [WHOLE, SCOPED]) {
      const text = await say(
        `cat ${secrets.join(" ")} alias; grep -r ${CANARY.slice(0, 8)} .; mv deep d; cat d/down/.env.local; ln .env l; cat l; cp -r . /tmp/c; grep -r ${CANARY} /tmp/c; cat .env.example; mv d deep`,
        scope,
      );
      expect(text).not.toContain(CANARY);
      expect(text).toContain("KEY=put it here");
      expect(text).toMatch(/hidden from it: .*\.env/);
    }
    for (const file of secrets) expect(await readFile(workspace.at(file), "utf8")).toContain(CANARY);
  });

  attack("lists of authorities can be read, keys beside them cannot", async ({ say, workspace }) => {
    await writeFile(workspace.at("ca.pem"), "-----BEGIN CERTIFICATE-----\npublic\n");
    await writeFile(workspace.at("own.pem"), `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}\n`);
    const text = await say("cat *.pem");
    expect(text).toContain("public");
    expect(text).not.toContain(CANARY);
  });

  attack("settings of a package manager without a key in them can be read", async ({ say, workspace }) => {
    await writeFile(workspace.at(".npmrc"), "save-exact=true\n//registry/:_authToken=${NPM_TOKEN}\n");
    expect(await say("cat .npmrc")).toContain("save-exact=true");
  });
});

describe("the machine", () => {
  attack("C1, C2, C5: no key of ours is in any environment or command line that the command can see", async ({ say }) => {
    vi.stubEnv("OPENAI_API_KEY", CANARY);
    vi.stubEnv("RETINUE_SOMETHING", CANARY);
    const text = await say(
      "(env; cat /proc/$PPID/environ /proc/*/environ /proc/*/cmdline) | tr '\\0' '\\n'; ls -d /proc/[0-9]* | wc -l",
    );
    expect(text).toMatch(/\nPATH=/);
    expect(text).not.toContain(CANARY);
    // Its own few processes are all there are.
    expect(Number(/\n(\d+)\n$/.exec(text)?.[1])).toBeLessThan(12);
    expect(await findByCommandLine(CANARY)).toEqual([]);
  });

  attack("C7: of a command of another agent that runs beside it, a command sees nothing", async ({ run }) => {
    const held = `held-${process.pid}-by-another`;
    const ready = Promise.withResolvers<void>();
    await using other = await createTestWorkspace(FILES);
    // Its key is in its environment, on a command line, and in a temporary file.
    const command = `export KEY=${held}; echo $KEY > /tmp/key; echo $KEY > tests/key; echo ready; sh -c 'sleep 60; : ${held}'`;
    const holding = createShellTool().execute(
      { command },
      { ...other.context, scope: SCOPED, progress: (text) => (text.includes("ready") ? ready.resolve() : undefined) },
    );
    await ready.promise;
    const text = toText(
      await run(
        `cat /proc/*/environ /proc/*/cmdline /tmp/key /tmp/*/key ${other.at("tests/key")} /dev/shm/* 2>/dev/null | tr '\\0' '\\n'; ls /tmp; echo looked`,
      ),
    );
    other.stop();
    expect(errorOf(await holding)).toMatchObject({ code: "cancelled" });
    expect(text).toContain("looked");
    expect(text).not.toContain(held);
  });

  attack("A18: a repository cannot be made among the user's keys, or of them", async ({ run }) => {
    await using user = await createTestWorkspace({ ".ssh/id_ed25519": CANARY });
    vi.stubEnv("HOME", user.workspace);
    for (const scope of [WHOLE, SCOPED]) {
      const output = await run(
        `git init -q ${user.at(".ssh")}; cd ${user.at(".ssh")} && git add -A && git -c user.name=x -c user.email=x commit -qm x; git show HEAD; cp ~/.ssh/* .; echo tried`,
        { scope },
      );
      expect(toText(output)).toContain("tried");
      expect(toText(output)).not.toContain(CANARY);
    }
    expect(await readdir(user.at(".ssh"))).toEqual(["id_ed25519"]);
  });

  attack("C6: keys in the user's home and in ours are not there", async ({ say }) => {
    const places = [
      ".ssh/id_ed25519",
      ".aws/credentials",
      ".config/gcloud/key.json",
      ".gnupg/key",
      ".netrc",
      ".npmrc",
      ".docker/config.json",
      ".kube/config",
      ".unheard-of/token",
      "Documents/passwords.txt",
      ".bash_history",
    ];
    await using user = await createTestWorkspace(Object.fromEntries(places.map((place) => [place, CANARY])));
    await using ours = await createTestWorkspace({ "retinue.yaml": CANARY, "sessions.db": CANARY });
    vi.stubEnv("HOME", user.workspace);
    vi.stubEnv("RETINUE_HOME", ours.workspace);
    for (const scope of [WHOLE, SCOPED]) {
      const text = await say(
        `cd ~ && ls -A; for f in ${places.join(" ")}; do cat ~/$f; done; grep -r ${CANARY} ~ ${ours.workspace} ${user.workspace}/..; touch ~/fresh && echo writable`,
        scope,
      );
      expect(text).not.toContain(CANARY);
      expect(text).toContain("writable");
    }
    expect(await readdir(user.workspace)).not.toContain("fresh");
  });

  attack("a home that is itself the workspace still hides what it keeps", async ({ say, workspace }) => {
    for (const file of [".ssh/id_rsa", ".aws/credentials", ".netrc"]) {
      await mkdir(path.dirname(workspace.at(file)), { recursive: true });
      await writeFile(workspace.at(file), CANARY);
    }
    vi.stubEnv("HOME", workspace.workspace);
    expect(await say(`grep -r ${CANARY} ~ 2>/dev/null; ls ~/.ssh; cat ~/.netrc; ls`, WHOLE)).not.toContain(CANARY);
  });

  attack("B14: what clears its environment and leaves its session ends all the same", async ({ say }) => {
    const mark = `7${process.pid}.901`;
    await say(`env -i setsid /bin/sh -c '(sleep ${mark} &) ; exec sleep ${mark}' >/dev/null 2>&1 & sleep 0.2`);
    await expect.poll(() => findByCommandLine(`sleep ${mark}`)).toEqual([]);
  });

  attack("B18: nothing outside can be signalled or traced", async ({ say }) => {
    expect(await say(`kill -9 ${process.pid}; kill -9 $PPID; echo alive`)).toMatch(/No such process/);
    await say("kill -9 -1");
    expect(await say(`ls /proc/${process.pid}; kill -0 ${process.ppid} || echo none`)).toMatch(/No such file[^]*none/);
  });

  attack("B19: the doors of the kernel are shut", async ({ say }) => {
    const acts = [
      "mount -o remount,rw,bind /",
      "mount -t tmpfs x /mnt",
      "umount /proc",
      "unshare -rm true",
      "unshare -m true",
      "nsenter -t 1 -m true",
      "mknod /tmp/disk b 254 0",
      "echo x > /proc/sys/kernel/core_pattern",
      "echo x > /proc/sys/kernel/hostname",
      "echo b > /proc/sysrq-trigger",
      "mkdir /sys/fs/cgroup/x",
      "echo 0 > /sys/kernel/mm/ksm/run",
      "chroot / true",
      "hostname evil",
      "date -s 2001-01-01",
    ];
    const looks = [
      "cat /dev/vda /dev/sda",
      "ls /dev/mem /dev/kmsg /dev/vsock /dev/kvm",
      "dmesg",
      "cat /proc/kcore /proc/kmsg",
      "cat /etc/shadow /etc/gshadow",
      "cat /etc/ssh/ssh_host_*_key",
      "ls /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket",
    ];
    const text = await say(
      [
        ...acts.map((act) => `(${act}) >/dev/null 2>&1 && echo 'done: ${act}'`),
        ...looks.map((look) => `[ -z "$(${look} 2>/dev/null | head -c 100 | tr -d '\\0')" ] || echo 'seen: ${look}'`),
        "echo end",
      ].join("\n"),
    );
    expect(text).toBe("[exit code 0]\nend\n");
    expect(await say("grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs|Seccomp:' /proc/self/status")).toMatch(
      /CapPrm:\s0+\nCapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\nSeccomp:\s2\n/,
    );
  });

  attack("B19: io_uring, keys, other namespaces and the way to the virtual machine's host are refused", async ({ say }) => {
    const { arch } = process;
    const numbers =
      arch === "arm64"
        ? { uring: 425, keyctl: 219, unshare: 97, clone: 220 }
        : { uring: 425, keyctl: 250, unshare: 272, clone: 56 };
    const script = `for my $c ([${numbers.uring}, 1, 0], [${numbers.keyctl}, 0, -3], [${numbers.unshare}, 0x10000000], [${numbers.clone}, 0x10000011, 0]) { my ($n, @a) = @$c; my $r = syscall($n, @a); my $e = $! + 0; print "$c->[0] $r $e\\n"; exit if $r == 0 } use Socket; print socket(my $s, 40, SOCK_STREAM, 0) ? "open" : "shut", "\\n"`;
    expect(await say(`perl -e '${script}'`)).toBe(
      `[exit code 0]\n${Object.values(numbers)
        .map((number) => `${number} -1 1\n`)
        .join("")}shut\n`,
    );
  });

  attack("B19: sockets of other programs cannot be reached, by their path or by their name", async ({ say }) => {
    await using elsewhere = await createTestWorkspace();
    const byPath = await listen(createServer(), elsewhere.at("socket"));
    const byName = await listen(createServer(), `\0retinue-test-${process.pid}`);
    const connect = (address: string): string =>
      `perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or do { print "refused\\n"; exit }; print connect($s, ${address}) ? "reached" : "refused", "\\n"'`;
    try {
      const text = await say(
        `${connect(`pack_sockaddr_un("${elsewhere.at("socket")}")`)}; ${connect(`pack_sockaddr_un("\\0retinue-test-${process.pid}")`)}`,
      );
      expect(text).toBe("[exit code 0]\nrefused\nrefused\n");
    } finally {
      byPath.close();
      byName.close();
    }
  });

  attack("K2: this machine is not reached, whatever hosts the grant names", async ({ say }) => {
    const server = await listen(
      createServer((socket) => socket.end("hello\n")),
      0,
    );
    const { port } = server.address() as AddressInfo;
    const dial = `(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3) 2>/dev/null || echo refused`;
    try {
      expect(await say(dial, { ...WHOLE, hosts: [[]] })).toContain("refused");
      expect(await say(dial, { ...WHOLE, hosts: [["*"], ["example.com"]] })).toContain("refused");
      expect(await say(dial, { ...WHOLE, hosts: [["*"]] })).toContain("refused");
      expect(await say(dial, { ...WHOLE, hosts: [["127.0.0.1", "localhost"]] })).toContain("refused");
      expect(await say(dial, WHOLE)).toContain("refused");
      // Programs may still talk to themselves.
      expect(
        await say(
          'perl -MIO::Socket::INET -e \'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1"); my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $s->sockport) and print "own\\n"\'',
        ),
      ).toContain("own");
    } finally {
      server.close();
    }
  });

  attack("what passed as harmless in the mode workspace can neither write nor reach a host", async ({ run, workspace }) => {
    const scope: ToolScope = { ...WHOLE, approve: "workspace" };
    expect(toText(await run("ls && cat README.md", { scope }))).toContain("read me");
    expect(filesOf(await run("touch made", { scope }))).toEqual({ created: ["made"], modified: [] });
    // git runs what the repository names; that it is harmless is then only believed.
    const attacked = "git init -q . && git config core.fsmonitor 'touch evil; false' && git status";
    const output = await run(attacked, { scope: WHOLE });
    expect(filesOf(output)?.created).toContain("evil");
    await rm(workspace.at("evil"));
    const [, place = ""] = /was moved to ([^:]+): /.exec(toText(output)) ?? [];
    await rename(path.join(place, ".git"), workspace.at(".git"));
    expect(toText(await run("git status", { scope }))).toMatch(/^\[exit code 0\]/);
    expect(await readdir(workspace.workspace)).not.toContain("evil");
    expect(toText(await run("git status; touch other", { scope }))).toMatch(/^\[exit code 0\]/);
    expect(await readdir(workspace.workspace)).toContain("evil");
  });
});

describe("what a command may use", () => {
  /** Tries to have 600 processes at once and never more, tells how many it was given, and has none left after that. */
  const BOMB =
    "perl -e '$| = 1; my @p; for (1..600) { my $p = fork(); last if !defined $p; if (!$p) { sleep 60; exit } push @p, $p } " +
    'print "given ", scalar(@p), "\\n"; kill 9, @p; wait for @p\'';
  const givenBy = (output: ToolOutput): number => Number(/given (\d+)/.exec(toText(output))?.[1]);

  attack("J8: a fork bomb gets no more processes than the limit, and the next command gets its own", async ({ run }) => {
    if (machine.backend === "none") throw new Error("this is for a sandbox");
    // A namespace has never less than some ids.
    const limits = machine.processCap.type === "pid-namespace" ? [400, 301] : [256, 100];
    for (const limit of limits) {
      if (machine.processCap.type === "watched") {
        // Nothing binds, as the probe says: what stays is ended once it is seen.
        const kept = await run(BOMB.replace("kill 9, @p; ", ""), { limits: { processes: limit } });
        expect(errorOf(kept)).toMatchObject({ message: expect.stringContaining(`more than ${limit} processes`) });
        continue;
      }
      const output = await run(BOMB, { limits: { processes: limit } });
      expect(givenBy(output)).toBeLessThan(limit);
      expect(givenBy(output)).toBeGreaterThan(limit - 20);
    }
  });

  attack("J8: the limit of processes binds in another's folder too", async ({ run, workspace }) => {
    if (process.getuid?.() === 0) {
      for (const file of ["", "src", "tests", ...Object.keys(FILES)]) lchownSync(workspace.at(file), 4322, 4322);
      chmodSync(path.dirname(workspace.workspace), 0o755);
    }
    const given = givenBy(await run(BOMB, { limits: { processes: 256 } }));
    expect(given).toBeGreaterThan(0);
    expect(given).toBeLessThan(256);
  });

  attack("J8: of a command that starts more and more processes none is left after its time", async ({ run }) => {
    const mark = `7${process.pid}.902`;
    const output = await run(`for i in $(seq 1 400); do sleep ${mark} & done; wait`, {
      limits: { processes: 100 },
      timeoutMs: 3000,
    });
    expect(["tool_failed", "tool_timeout"]).toContain(errorOf(output)?.code);
    await expect.poll(() => findByCommandLine(`sleep ${mark}`)).toEqual([]);
  });

  attack("J8: a memory bomb is ended, and said so", async ({ run }) => {
    const output = await run(`perl -e '$x = "x" x 300_000_000; sleep 60'`, { limits: { memoryBytes: 100 * 1024 ** 2 } });
    expect(errorOf(output)).toMatchObject({ code: "tool_failed", message: expect.stringContaining("100 MiB of memory") });
    expect(toText(output)).toMatch(/^\[ended, with everything it had started, because it used more than 100 MiB of memory/);
  });

  attack("J8: a disk filler is ended while there is space left", async ({ run, workspace }) => {
    const { bavail, bsize } = statfsSync(workspace.workspace);
    const output = await run("i=0; while :; do i=$((i+1)); head -c 4000000 /dev/urandom > tests/fill$i; done", {
      limits: { freeDiskBytes: bavail * bsize - 60_000_000 },
    });
    expect(errorOf(output)).toMatchObject({ code: "tool_failed", message: expect.stringContaining("of disk were left") });
  });

  attack("J8: one file, and the private temporary folder, have their size", async ({ run, workspace }) => {
    const output = await run("head -c 5000000 /dev/zero > /tmp/big; head -c 5000000 /dev/zero > tests/big; echo done", {
      limits: { fileBytes: 1_000_000, temporaryBytes: 500_000 },
    });
    expect(toText(output)).toMatch(/No space left on device[^]*File (?:too large|size limit exceeded)[^]*done/);
    expect((await lstat(workspace.at("tests/big"))).size).toBeLessThanOrEqual(1_000_000);
  });
});
