/** A sandbox holds what is bound by name and nothing else. Where there is no sandbox, a limited command is refused, and that is asserted. */
import { once } from "node:events";
import { chmodSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import type { Server } from "node:net";
import { createServer } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, vi } from "vitest";
import { keepPrivate } from "../files/private-folders.ts";
import { runConfinedShell, WHOLE } from "../testing/confined-shell.ts";
import { inSandbox } from "../testing/in-sandbox.ts";
import { createTestWorkspace } from "../testing/tool-context.ts";

afterEach(() => vi.unstubAllEnvs());

/** A program that says who it is. */
const program = async (file: string, says: string): Promise<void> => {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho ${says}\n`);
  await chmod(file, 0o755);
};

const SYSTEM = [
  "bin",
  "dev",
  "etc",
  "gnu",
  "lib",
  "lib32",
  "lib64",
  "libx32",
  "nix",
  "proc",
  "run",
  "sbin",
  "sys",
  "tmp",
  "usr",
  "var",
];

describe("the root of a sandbox", () => {
  inSandbox(
    "N4: holds the system, the home, the workspace and tool chains, and no other disk or application",
    async ({ workspace }) => {
      const top = (file: string | undefined): string => (file ?? "").split(path.sep)[1] ?? "";
      const bound = [workspace, process.env["HOME"], ...(process.env["PATH"] ?? "").split(":")].map(top);
      const links = (await readdir("/", { withFileTypes: true }))
        .filter((entry) => entry.isSymbolicLink())
        .map(({ name }) => name);
      const { output } = await runConfinedShell("ls -A /", { workspace });
      const names = output.split("\n").filter((name) => name !== "");
      expect(names).toContain("usr");
      expect(names.filter((name) => ![...SYSTEM, ...bound, ...links, "opt"].includes(name))).toEqual([]);
      const closed = [
        "/mnt",
        "/media",
        "/srv",
        "/boot",
        "/data",
        "/nfs",
        "/var/www",
        "/var/lib/dpkg",
        "/var/log",
        "/etc/fstab",
        "/etc/shadow",
      ];
      const { output: seen } = await runConfinedShell(`ls -d ${closed.join(" ")} 2>/dev/null`, { workspace });
      expect(seen).toBe("");
    },
  );

  inSandbox("N4: shows no file of a folder that lies beside the system, until the user opens it", async ({ workspace }) => {
    // Only root can put something beside the system; others ask for what is there already.
    const isRoot = process.getuid?.() === 0;
    const folder = isRoot ? await mkdtemp("/srv/retinue-test-") : "/etc";
    const file = path.join(folder, isRoot ? ".env" : "fstab");
    if (isRoot) await writeFile(file, "canary", { mode: 0o644 });
    try {
      const { output, confinement } = await runConfinedShell(`cat ${file}`, { workspace });
      expect(output).toContain("No such file");
      expect(confinement.refusals.join()).toMatch(new RegExp(`${file} is not in the sandbox.*sandbox\\.read`));
      const opened = await runConfinedShell(`ls ${file}; echo x > ${folder}/new`, { workspace, openings: { read: [folder] } });
      expect(opened.output.split("\n")[0]).toBe(file);
      expect(opened.end).toMatchObject({ exitCode: 1 });
    } finally {
      if (isRoot) await rm(folder, { recursive: true });
    }
  });

  inSandbox("N4: keeps what belongs to Retinue closed, also where the user opens the folder around it", async ({ workspace }) => {
    await using other = await createTestWorkspace({ "own/trust.json": "canary", "b.txt": "b" });
    const release = keepPrivate(other.at("own"));
    try {
      const read = [other.workspace, other.at("own")];
      const { output } = await runConfinedShell(`cat ${other.at("b.txt")}; cat ${other.at("own/trust.json")}`, {
        workspace,
        openings: { read },
      });
      expect(output).toMatch(/^b/);
      expect(output).not.toContain("canary");
    } finally {
      release();
    }
  });

  inSandbox("names no setting for what was found, or is missing in the system too", async ({ workspace }) => {
    const { confinement } = await runConfinedShell("cat ./b.txt /usr/share/no-such-file /tmp/none; false", { workspace });
    expect(confinement.refusals).toEqual([]);
  });

  inSandbox(
    "N4: runs tool chains of nvm, pyenv, cargo, asdf, uv, mise and volta from a home, and shows no key of it",
    async ({ workspace }) => {
      await using home = await createTestWorkspace({
        ".ssh/id_rsa": "canary",
        ".cargo/credentials.toml": "canary",
        "notes.txt": "canary",
      });
      await program(home.at(".nvm/versions/node/v24.0.0/bin/node-of-nvm"), "nvm");
      await program(home.at(".pyenv/versions/3.12.1/bin/python-of-pyenv"), "pyenv");
      await mkdir(home.at(".pyenv/shims"));
      await writeFile(
        home.at(".pyenv/shims/python-of-pyenv"),
        `#!/bin/sh\nexec "$HOME/.pyenv/versions/3.12.1/bin/python-of-pyenv"\n`,
      );
      await chmod(home.at(".pyenv/shims/python-of-pyenv"), 0o755);
      await program(home.at(".cargo/bin/of-cargo"), "cargo");
      await program(home.at(".asdf/installs/ruby/3.3/bin/of-asdf"), "asdf");
      await mkdir(home.at(".asdf/shims"));
      await symlink("../installs/ruby/3.3/bin/of-asdf", home.at(".asdf/shims/of-asdf"));
      await program(home.at(".local/share/uv/python/cpython-3.13/bin/of-uv"), "uv");
      await mkdir(home.at(".local/bin"));
      await symlink(home.at(".local/share/uv/python/cpython-3.13/bin/of-uv"), home.at(".local/bin/of-uv"));
      await program(home.at(".local/share/mise/installs/node/24.1.0/bin/of-mise"), "mise");
      await mkdir(home.at(".local/share/mise/shims"));
      await symlink("../installs/node/24.1.0/bin/of-mise", home.at(".local/share/mise/shims/of-mise"));
      await program(home.at(".volta/tools/image/node/24.1.0/bin/of-volta"), "volta");
      await program(home.at(".volta/bin/volta-shim"), "volta");
      await symlink("volta-shim", home.at(".volta/bin/of-volta"));
      await program(home.at("tools/linked/run.sh"), "linked");
      await symlink(home.at("tools/linked/run.sh"), home.at(".local/bin/of-link"));
      await writeFile(home.at("tools/linked/key"), "canary");
      const shims = [".pyenv/shims", ".asdf/shims", ".local/share/mise/shims", ".volta/bin"];
      const folders = [".nvm/versions/node/v24.0.0/bin", ".cargo/bin", ".local/bin", ...shims];
      vi.stubEnv("HOME", home.workspace);
      vi.stubEnv("PATH", [...folders.map(home.at), "/usr/bin", "/bin"].join(":"));
      const { output } = await runConfinedShell(
        "node-of-nvm; python-of-pyenv; of-cargo; of-asdf; of-uv; of-mise; of-volta; ~/.volta/tools/image/node/*/bin/of-volta; of-link",
        { workspace },
      );
      expect(output).toBe("nvm\npyenv\ncargo\nasdf\nuv\nmise\nvolta\nvolta\nlinked\n");
      const keys =
        "cat ~/.ssh/id_rsa ~/.cargo/credentials.toml ~/notes.txt ~/tools/linked/key; echo x > ~/.cargo/bin/made; echo mine > ~/made && cat ~/made";
      const shown = (await runConfinedShell(keys, { workspace })).output;
      expect(shown).not.toContain("canary");
      expect(shown).toMatch(/mine\n$/);
      expect(await readdir(home.at(".cargo/bin"))).toEqual(["of-cargo"]);
    },
  );

  inSandbox("N4: binds nothing for a folder of PATH that the project itself holds", async ({ workspace, at }) => {
    await using other = await createTestWorkspace({ "secret.txt": "canary" });
    await mkdir(at(".git"));
    await symlink(other.workspace, at("bin"));
    vi.stubEnv("PATH", `${at("bin")}:/usr/bin:/bin`);
    expect((await runConfinedShell(`cat bin/secret.txt`, { workspace })).output).toContain("No such file");
  });

  inSandbox("N20: has no folder without a bound that can be written", async ({ workspace }) => {
    const { output } = await runConfinedShell(
      "for f in / /dev /etc /run /var /sys /proc; do touch $f/made 2>/dev/null && echo $f; done; true",
      { workspace },
    );
    expect(output).toBe("");
  });
});

const listen = async (at: string): Promise<Server & AsyncDisposable> => {
  const server = createServer((socket) => socket.on("error", () => undefined).end("reached"));
  await once(server.listen(at), "listening");
  return Object.assign(server, { [Symbol.asyncDispose]: async () => void server.close() });
};

const dial = (address: string): string =>
  `perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or do { print "refused: $!"; exit 1 }; print connect($s, pack_sockaddr_un("${address}")) ? "reached" : "refused"'`;

describe("a Unix socket", () => {
  inSandbox("N5: is refused below /dev/shm, by a relative name and made meanwhile, with the setting that allows it", async () => {
    const folder = await mkdtemp("/dev/shm/retinue-test-");
    try {
      const waits = `touch started; until [ -S late.sock ]; do sleep 0.02; done; ${dial("late.sock")}`;
      const run = runConfinedShell(waits, { workspace: folder });
      await vi.waitFor(async () => expect(await readdir(folder)).toContain("started"), { timeout: 20_000 });
      await using server = await listen(path.join(folder, "late.sock"));
      expect(server.listening).toBe(true);
      const { output, confinement } = await run;
      expect(output).toMatch(/^refused/);
      expect(confinement.refusals.join()).toContain("sandbox.unixSockets");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  inSandbox("N5: is refused to pairs that could be sent through, and not to pairs of streams", async ({ workspace }) => {
    const pair = (type: string): string => `print socketpair(my $a, my $b, AF_UNIX, ${type}, 0) ? "pair " : "refused "`;
    const { output } = await runConfinedShell(
      `perl -MSocket -e '${pair("SOCK_STREAM")}; ${pair("SOCK_DGRAM")}; ${pair("SOCK_RAW")}'`,
      { workspace },
    );
    expect(output).toBe("pair refused refused ");
  });
});

describe("a file that gives its owner's rights to whoever runs it", () => {
  const MAKE = [
    "chmod 4755 a.txt",
    "chmod g+s a.txt",
    `perl -e 'use Fcntl; sysopen(my $f, "made", O_CREAT | O_WRONLY, 04755) or exit 1'`,
    "install -m 6755 /bin/true installed",
    "python3 -c 'import os; os.mknod(\"node\", 0o104755)'",
  ];

  inSandbox("N6: cannot be made in the workspace", async ({ workspace, at }) => {
    const { output } = await runConfinedShell(
      `${MAKE.map((line) => `${line} 2>/dev/null && echo done`).join("; ")}; chmod 755 a.txt`,
      { workspace },
    );
    expect(output).toBe("");
    for (const name of await readdir(workspace)) expect(statSync(at(name)).mode & 0o6000).toBe(0);
    expect(statSync(at("a.txt")).mode & 0o777).toBe(0o755);
  });

  inSandbox("N6: does not come back from a throw-away copy", async ({ workspace, at }) => {
    await mkdir(at("tests"));
    await writeFile(at("tests/old.sh"), "old");
    chmodSync(at("tests/old.sh"), 0o4755);
    const scope = { ...WHOLE, writes: [["tests/*.sh"]] };
    const run = await runConfinedShell("cp -p tests/old.sh tests/new.sh; echo more >> tests/old.sh; true", { workspace, scope });
    expect(run.files?.modified).toEqual(["tests/old.sh"]);
    for (const name of await readdir(at("tests"))) expect(statSync(at(`tests/${name}`)).mode & 0o6000).toBe(0);
  });
});
