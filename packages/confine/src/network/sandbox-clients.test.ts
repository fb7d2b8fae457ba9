// @module-tag long
/** What people do every day in a sandbox that reaches hosts: package managers, git and servers of their own, with the real programs. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { probeSandbox } from "../sandbox/probe-sandbox.ts";
import { runConfinedShell, WHOLE } from "../testing/confined-shell.ts";
import type { TestInternet } from "../testing/test-internet.ts";
import { createTestInternet } from "../testing/test-internet.ts";
import type { TestWorkspace } from "../testing/tool-context.ts";
import { createTestWorkspace } from "../testing/tool-context.ts";

const machine = await probeSandbox();

type Place = { readonly workspace: TestWorkspace; readonly internet: TestInternet };

const inSandbox = (name: string, body: (place: Place) => Promise<void>): void =>
  test(name, async () => {
    await using workspace = await createTestWorkspace({ "package.json": `{"name":"mine","version":"1.0.0"}` });
    await using internet = createTestInternet();
    if (machine.backend === "bwrap") return await body({ workspace, internet });
    const limited = runConfinedShell("true", { workspace: workspace.workspace, scope: { ...WHOLE, hosts: [["example.com"]] } });
    await expect(limited).rejects.toMatchObject({ code: "sandbox_unavailable" });
  });

/** Files by their path. */
const serveFiles =
  (files: ReadonlyMap<string, Buffer | string>, type?: string): RequestListener =>
  (asked, answer) => {
    const { pathname } = new URL(asked.url ?? "/", "http://any");
    const file = files.get(decodeURIComponent(pathname));
    if (file === undefined) return void answer.writeHead(404).end();
    answer.writeHead(200, type === undefined ? {} : { "content-type": type }).end(file);
  };

const has = (command: string): boolean => {
  try {
    execFileSync("/bin/sh", ["-c", command], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** The interpreter itself and where its modules are, behind whatever chooses among several. */
const findPython = (): readonly string[] => {
  try {
    const script = "import sys; print(sys.executable); print(sys.base_prefix)";
    return execFileSync("python3", ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .trim()
      .split("\n");
  } catch {
    return [];
  }
};

describe("through the proxy of its sandbox a command", () => {
  inSandbox("installs a package with npm", async ({ workspace, internet }) => {
    await mkdir(workspace.at("package"));
    await writeFile(workspace.at("package/package.json"), `{"name":"demo","version":"1.2.3","main":"index.js"}`);
    await writeFile(workspace.at("package/index.js"), "module.exports = 'from the registry'");
    const tarball = execFileSync("tar", ["-cz", "-C", workspace.workspace, "package"]);
    const metadata = {
      name: "demo",
      "dist-tags": { latest: "1.2.3" },
      versions: {
        "1.2.3": {
          name: "demo",
          version: "1.2.3",
          dist: {
            tarball: "http://registry.example.com/demo/-/demo-1.2.3.tgz",
            integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
          },
        },
      },
    };
    const files = new Map<string, Buffer | string>([
      ["/demo", JSON.stringify(metadata)],
      ["/demo/-/demo-1.2.3.tgz", tarball],
    ]);
    await internet.serve("registry.example.com", serveFiles(files, "application/json"));
    const run = await runConfinedShell(
      "npm install --registry http://registry.example.com/ --no-audit --no-fund demo && node -p 'require(\"demo\")'",
      { workspace: workspace.workspace, network: internet.network, scope: { ...WHOLE, hosts: [["registry.example.com"]] } },
    );
    expect(run.output).toContain("from the registry");
    expect(run.confinement).toMatchObject({ network: true, refusals: [] });
    expect(new Set(internet.dialled)).toEqual(new Set(["93.184.215.1:80"]));
  });

  inSandbox("downloads with pip, or with python where there is no pip", async ({ workspace, internet }) => {
    const wheel = "demo-1.0-py3-none-any.whl";
    const files = new Map<string, Buffer | string>([["/simple/demo/", `<a href="/files/${wheel}">${wheel}</a>`]]);
    await internet.serve("pypi.example.com", serveFiles(files, "text/html"));
    const [python = "", prefix = ""] = findPython();
    const options = { workspace: workspace.workspace, network: internet.network, readable: prefix === "" ? [] : [prefix] };
    if (has(`'${python}' -m pip --version`)) {
      const script =
        "import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],'w')\nz.writestr('demo.py','x=1')\n" +
        "z.writestr('demo-1.0.dist-info/METADATA','Metadata-Version: 2.1\\nName: demo\\nVersion: 1.0\\n')\n" +
        "z.writestr('demo-1.0.dist-info/WHEEL','Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n" +
        "z.writestr('demo-1.0.dist-info/RECORD','')\nz.close()\n";
      execFileSync(python, ["-c", script, workspace.at(wheel)]);
      files.set(`/files/${wheel}`, await readFile(workspace.at(wheel)));
      const run = await runConfinedShell(
        `${python} -m pip install --disable-pip-version-check --no-deps --target lib --index-url http://pypi.example.com/simple --trusted-host pypi.example.com demo; cat lib/demo.py`,
        options,
      );
      expect(run.output).toContain("Successfully installed demo-1.0");
      expect(run.output).toContain("x=1");
      return;
    }
    const client = has(`'${python}' --version`)
      ? `${python} -c 'import urllib.request; print(urllib.request.urlopen("http://pypi.example.com/simple/demo/").read().decode())'`
      : `node -e 'fetch("http://pypi.example.com/simple/demo/").then((answer) => answer.text()).then(console.log)'`;
    expect((await runConfinedShell(client, options)).output).toContain(wheel);
  });

  inSandbox("fetches with git over https", async ({ workspace, internet }) => {
    const served = path.join(path.dirname(workspace.workspace), "served");
    const git = (...args: readonly string[]): void =>
      void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
        cwd: served,
        stdio: "ignore",
      });
    await mkdir(served);
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "from afar");
    git("update-server-info");
    const names = execFileSync("find", [".git", "-type", "f"], { cwd: served, encoding: "utf8" }).trim().split("\n");
    const files = new Map<string, Buffer>();
    for (const name of names) files.set(`/demo/${name}`, await readFile(path.join(served, name)));
    await internet.serve("git.example.com", serveFiles(files));
    const run = await runConfinedShell(
      "cd /tmp && git init -q r && cd r && git -c http.sslVerify=false fetch -q https://git.example.com/demo/.git main && git log -1 --format=%s FETCH_HEAD",
      { workspace: workspace.workspace, network: internet.network, scope: { ...WHOLE, hosts: [["*.example.com:443"]] } },
    );
    expect(run.output).toContain("from afar");
    expect(new Set(internet.dialled)).toEqual(new Set(["93.184.215.1:443"]));
  });

  inSandbox("reaches hosts with curl and with fetch of Node", async ({ workspace, internet }) => {
    await internet.serve("www.example.com", (asked, answer) => void answer.end(`${asked.method} ${asked.headers.host}`));
    const { output } = await runConfinedShell(
      "curl -sS http://www.example.com/a; echo; curl -sSk -d x https://www.example.com/a; echo; " +
        `node -e 'fetch("http://www.example.com/").then((answer) => answer.text()).then(console.log)' 2>/dev/null`,
      { workspace: workspace.workspace, network: internet.network },
    );
    expect(output).toBe("GET www.example.com\nPOST www.example.com\nGET www.example.com\n");
  });
});

describe("a command is refused", () => {
  const curl = (url: string): string => `curl -sS -o - -w '%{http_code} ' ${url} 2>/dev/null; `;

  inSandbox("K2: a host that the grant does not name, and is told why", async ({ workspace, internet }) => {
    await internet.serve("www.example.com", (_, answer) => void answer.end("answered"));
    await internet.serve("www.example.org", (_, answer) => void answer.end("answered"));
    const run = await runConfinedShell(curl("http://www.example.org/") + curl("https://www.example.org/"), {
      workspace: workspace.workspace,
      network: internet.network,
      scope: { ...WHOLE, hosts: [["*"], ["example.com"]] },
    });
    expect(run.output).not.toContain("answered");
    expect(run.confinement.refusals).toEqual([
      "The sandbox does not connect to http://www.example.org/: www.example.org:80 is not among the hosts that this agent may reach. Use a host that it may reach, or leave it to another agent.",
      "The sandbox does not connect to www.example.org:443: www.example.org:443 is not among the hosts that this agent may reach. Use a host that it may reach, or leave it to another agent.",
    ]);
    expect(internet.dialled).toEqual([]);
  });

  inSandbox(
    "D1: private, loopback, link-local and metadata addresses, by number and by name",
    async ({ workspace, internet }) => {
      const addresses = [
        "10.0.0.1",
        "192.168.1.1",
        "127.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[fe80::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
      ];
      internet.name("rebound.example.com", "127.0.0.1", "10.0.0.7");
      internet.name("metadata.example.com", "169.254.169.254");
      const urls = [...addresses, "rebound.example.com", "metadata.example.com", "localhost.", "0x7f000001", "2130706433"];
      const script = urls
        .flatMap((host) => [`http://${host}/`, `https://${host}/`])
        .map((url) => `curl -sS --noproxy '' -m 20 '${url}' 2>&1;`)
        .join("");
      const run = await runConfinedShell(script, { workspace: workspace.workspace, network: internet.network });
      expect(internet.dialled).toEqual([]);
      expect(run.confinement.refusals.length).toBeGreaterThanOrEqual(20);
      expect(run.output).toContain("address of this machine or of a private network");
    },
  );

  inSandbox("K4: a redirect to what it may not reach", async ({ workspace, internet }) => {
    await internet.serve("www.example.com", (asked, answer) => {
      const to = asked.url === "/in" ? "http://10.0.0.7/" : "http://www.example.org/";
      answer.writeHead(302, { location: to }).end();
    });
    await internet.serve("www.example.org", (_, answer) => void answer.end("answered"));
    const run = await runConfinedShell("curl -sSL http://www.example.com/in; curl -sSL http://www.example.com/out", {
      workspace: workspace.workspace,
      network: internet.network,
      scope: { ...WHOLE, hosts: [["example.com", "10.0.0.7"]] },
    });
    expect(run.output).not.toContain("answered");
    expect(run.confinement.refusals).toHaveLength(2);
    expect(new Set(internet.dialled)).toEqual(new Set(["93.184.215.1:80"]));
  });

  inSandbox(
    "a private host that the user has allowed is reached, and this machine is not though it is named so",
    async ({ workspace, internet }) => {
      internet.name("registry.corp.example", "10.1.2.3");
      internet.name("here.corp.example", "127.0.0.1");
      const network = { ...internet.network, allowHosts: ["corp.example", "localhost", "127.0.0.1"] };
      const run = await runConfinedShell(
        "curl -sS http://registry.corp.example/; curl -sS --noproxy '' http://here.corp.example/ http://127.0.0.1/ 2>&1",
        { workspace: workspace.workspace, network },
      );
      expect(internet.dialled).toEqual(["10.1.2.3:80"]);
      expect(run.output).toContain("sandbox.loopback");
    },
  );
});

describe("a port of the machine's loopback that the user has opened", () => {
  inSandbox("is reached on the same port, and others are not", async ({ workspace }) => {
    const servers = await Promise.all(
      ["opened", "shut"].map(async (word) => {
        const server = createServer((socket) => socket.on("error", () => undefined).end(`${word}\n`));
        await once(server.listen(0, "127.0.0.1"), "listening");
        return server;
      }),
    );
    try {
      const [opened = 0, shut = 0] = servers.map((server) => (server.address() as AddressInfo).port);
      const dial = [opened, shut]
        .map((port) => `(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3) 2>/dev/null || echo refused;`)
        .join(" ");
      const options = { workspace: workspace.workspace, network: { loopback: [opened] } };
      expect((await runConfinedShell(dial, options)).output).toBe("opened\nrefused\n");
      // What an agent may not reach is not opened by it either.
      const limited = await runConfinedShell(dial, { ...options, scope: { ...WHOLE, hosts: [["example.com"]] } });
      expect(limited.output).toBe("refused\nrefused\n");
      const named = await runConfinedShell(dial, { ...options, scope: { ...WHOLE, hosts: [[`localhost:${opened}`]] } });
      expect(named.output).toBe("opened\nrefused\n");
    } finally {
      for (const server of servers) server.close();
    }
  });
});
