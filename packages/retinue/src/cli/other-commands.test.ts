import { readBuiltinAgents } from "@retinue/agents";
import { startMockServer } from "@retinue/model/testing";
import { probeSandbox } from "@retinue/confine";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadSettings } from "../settings/load-settings.ts";
import { DEFAULT_SETTINGS } from "../settings/settings.ts";
import type { DoctorReport } from "./doctor-report.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";
import type { Project } from "./testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const project = async (settings?: string): Promise<Project> => {
  const made = await createProject(settings);
  cleanups.push(made.remove);
  return made;
};

describe("retinue", () => {
  test("--version and -V answer with the version of the package", async () => {
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
    const made = await project("model: [broken");
    expect(await made.run(["--version"])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: "" });
    expect(await callRetinue(made, ["-V"])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  test("help lists the commands, and help of a command its options", async () => {
    const made = await project("model: [broken");
    const help = await callRetinue(made, ["help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const name of ["run", "chat", "doctor", "init"]) expect(help.stdout).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
    expect((await callRetinue(made, ["run", "--help"])).stdout).toContain("--json");
  });
});

describe("retinue init", () => {
  test("writes a settings file that changes nothing, and the schema for editors", async () => {
    const made = await project();
    const ended = await callRetinue(made, ["init"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("retinue doctor");
    const text = await readFile(join(made.workspace, "retinue.yaml"), "utf8");
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/\.retinue\/retinue\.schema\.json\n/);
    const { settings } = await loadSettings({ workspace: made.workspace, home: made.home, env: {} });
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, isApproveDefault: true });
    const shipped = await readFile(new URL("../../retinue.schema.json", import.meta.url), "utf8");
    expect(await readFile(join(made.workspace, ".retinue", "retinue.schema.json"), "utf8")).toBe(shipped);
  });

  test("shows only settings that are allowed once they are no longer commented out", async () => {
    const made = await project();
    await callRetinue(made, ["init"]);
    const file = join(made.workspace, "retinue.yaml");
    const text = await readFile(file, "utf8");
    const uncommented = text.replaceAll(/^# (?= *[\w.]+:(?: |$))/gm, "");
    expect(uncommented).not.toBe(text);
    await writeFile(file, uncommented);
    await callRetinue(made, ["trust", "--yes"]);
    const { settings } = await loadSettings({ workspace: made.workspace, home: made.home, env: {} });
    expect(settings).toMatchObject({ limits: { iterations: 50 }, providers: { local: { type: "openai-compatible" } } });
    for (const key of ["retry", "agent", "streamIdleMs", "approve"] as const)
      expect(settings[key]).toEqual(DEFAULT_SETTINGS[key]);
  });

  test("leaves a file that is there as it is", async () => {
    const made = await project("# mine\n");
    const ended = await callRetinue(made, ["init"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /^retinue: \S+retinue\.yaml is already there and was left as it is\. \[file_exists\]\n {2}hint: /,
    );
    expect(await readFile(join(made.workspace, "retinue.yaml"), "utf8")).toBe("# mine\n");
  });

  test("goes with a .retinue folder that is there", async () => {
    const made = await project();
    await mkdir(join(made.workspace, ".retinue", "agents"), { recursive: true });
    expect(await callRetinue(made, ["init"])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("retinue doctor", () => {
  const KEY = "sk-canary-0123456789";

  const examined = async (): Promise<{ made: Project; baseUrl: string }> => {
    const server = await startMockServer({ models: ["alpha", "beta"] });
    cleanups.push(server.close);
    const made = await project(
      `# first line\nmodel: local/alpha\nproviders:\n  local:\n    type: openai-compatible\n    baseUrl: ${server.baseUrl}\n    headers: { authorization: "Bearer ${KEY}" }\n`,
    );
    await callRetinue(made, ["trust", "--yes"]);
    return { made, baseUrl: server.baseUrl };
  };

  test("shows each value with its origin, what was found, and no secret", async () => {
    const { made, baseUrl } = await examined();
    const ended = await callRetinue(made, ["doctor"], { ANTHROPIC_API_KEY: KEY, RETINUE_AGENT__MAX_DEPTH: "5" });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const file = join(made.workspace, "retinue.yaml");
    const line = (pattern: string): void => expect(ended.stdout).toMatch(new RegExp(`^ *${pattern}`, "m"));
    line(`Node ${process.versions.node.replaceAll(".", "\\.")} at `);
    line(`model +local/alpha +project: ${file}:2$`);
    line("agent\\.maxDepth +5 +variable: RETINUE_AGENT__MAX_DEPTH$");
    line("streamIdleMs +120000 +default$");
    line(`providers\\.local\\.headers\\.authorization +\\(hidden\\) +project: ${file}:7$`);
    line("anthropic +the key is in ANTHROPIC_API_KEY");
    line("openai +no key: OPENAI_API_KEY is not set$");
    line(`local +answers at ${baseUrl} with alpha, beta$`);
    line("Model local/alpha \\(set\\)$");
    line("ripgrep \\d+\\.\\d+");
    const sandbox = await probeSandbox();
    line(
      sandbox.backend === "bwrap"
        ? `Sandbox bwrap ${sandbox.version} at /.*; number of processes (kept|only)`
        : `Sandbox none: ${sandbox.reason.slice(0, 20)}`,
    );
    line("Browser \\d+\\.\\d+\\.\\d+\\.\\d+ at /.*, (of this system|brought by npm|of Playwright)");
    line("Agents \\d+$");
    line("Tools \\d+$");
    expect(ended.stdout).not.toContain("canary");
  });

  test("--json tells the same as data", async () => {
    const { made } = await examined();
    const ended = await callRetinue(made, ["doctor", "--json"], { ANTHROPIC_API_KEY: KEY });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).not.toContain("canary");
    const report = JSON.parse(ended.stdout) as DoctorReport;
    expect(report).toMatchObject({
      node: { version: process.versions.node },
      settingsError: null,
      model: { name: "local/alpha", isDetected: false, error: null },
      sandbox: await probeSandbox(),
      browser: { version: expect.stringMatching(/^\d+\./) as string },
    });
    const { inventory } = report;
    if ("error" in inventory) throw new Error(inventory.error);
    expect(inventory.agents).toBe((await readBuiltinAgents()).size);
    expect(inventory.tools).toBeGreaterThan(10);
    expect(inventory.problems).toEqual([]);
    expect(inventory.untrusted).toEqual([]);
    expect(report.settings).toContainEqual({ key: "retry.attempts", value: 4, origin: { type: "default" } });
    expect(report.providers.find(({ name }) => name === "local")).toMatchObject({
      isConfigured: true,
      found: { type: "server" },
    });
    expect(report.providers.find(({ name }) => name === "anthropic")).toMatchObject({
      found: { type: "key", keyEnv: "ANTHROPIC_API_KEY" },
    });
  });

  test("names what the project is not trusted for", async () => {
    const made = await project();
    await writeFile(join(made.workspace, ".mcp.json"), JSON.stringify({ mcpServers: { files: { command: "no-such-program" } } }));
    const ended = await callRetinue(made, ["doctor"]);
    expect(ended.stdout).toMatch(/^Not trusted, .*retinue trust.*\n {2}mcp:files: files: no-such-program$/m);
  });

  test("with broken settings still tells the rest, says what is broken and exits with 2", async () => {
    const ended = await callRetinue(await project("modle: x\n"), ["doctor"]);
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain("as if there were none");
    expect(ended.stdout).toContain("Project settings not used; see the end");
    expect(ended.stdout).toMatch(/^ripgrep /m);
    expect(ended.stderr).toMatch(/modle: unknown key; did you mean model\?.*\[settings_invalid\]/);
  });

  test("with a model that cannot be had says why and exits with 2", async () => {
    const ended = await callRetinue(await project("model: anthropic/some-model\n"), ["doctor"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/ANTHROPIC_API_KEY.*\[key_missing\]/);
  });
});

describe("retinue without a command", () => {
  const conversation = async (count: number) => {
    const server = await startMockServer({
      replies: Array.from({ length: count }, (_, index) => ({ text: `answer ${index + 1}` })),
    });
    cleanups.push(server.close);
    const made = await project(
      `model: local/x\nproviders: { local: { type: openai-compatible, baseUrl: "${server.baseUrl}" } }\nretry: { attempts: 1 }\n`,
    );
    return { made, server };
  };

  test("takes each piped line as a turn of one session", async () => {
    const { made, server } = await conversation(2);
    const ended = await callRetinue(made, [], {}, "first question\n\nsecond \\\nquestion");
    expect(ended).toMatchObject({ code: 0, stdout: "answer 1\nanswer 2\n" });
    const second = JSON.stringify(server.requests[1]?.body);
    for (const part of ["first question", "answer 1", "second \\nquestion"]) expect(second).toContain(part);
  });

  test("obeys /help, /model, /new and /exit, and says what is nearest to others", async () => {
    const { made, server } = await conversation(3);
    const input = "/help\n/model\none\n/model local/other\ntwo\n/new\nthree\n/modell\n/exit\nnever\n";
    const ended = await callRetinue(made, [], {}, input);
    expect(ended).toMatchObject({ code: 0, stdout: "answer 1\nanswer 2\nanswer 3\n" });
    expect(ended.stderr).toMatch(/^model: local\/x$/m);
    expect(ended.stderr).toMatch(/^model: local\/other$/m);
    expect(ended.stderr).toContain("There is no /modell; did you mean /model?");
    const bodies = server.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies[0]).toContain('"model":"x"');
    expect(bodies[1]).toContain('"model":"other"');
    expect(bodies[1]).toContain("answer 1");
    expect(bodies[2]).not.toContain("answer 1");
  });

  test("goes on after a turn that failed, does not keep a model that cannot be had, and tells by its exit code", async () => {
    const { made } = await conversation(1);
    const ended = await callRetinue(made, [], {}, "/model nope/x\none\ntwo\n");
    expect(ended).toMatchObject({ code: 2, stdout: "answer 1\n" });
    expect(ended.stderr).toContain("[model_unknown]");
  });

  test("an interrupt ends a script of turns", { tags: ["long"] }, async () => {
    const server = await startMockServer({
      replies: [{ text: "beginning", deltaChars: 3, fault: { type: "stall", afterBytes: 600 } }],
    });
    cleanups.push(server.close);
    const made = await project(
      `model: local/x\nproviders: { local: { type: openai-compatible, baseUrl: "${server.baseUrl}" } }\n`,
    );
    const running = made.start([], { input: "one\ntwo\n" });
    await running.said("stdout", "beg");
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(server.requests).toHaveLength(1);
  });

  test("without any input there is nothing to do", async () => {
    const { made } = await conversation(0);
    expect(await callRetinue(made, [])).toMatchObject({ code: 0, stdout: "" });
  });
});
