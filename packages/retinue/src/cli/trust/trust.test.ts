import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { createSurroundings } from "../surroundings.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject, toEnvironment } from "../testing/spawn-retinue.ts";
import { trustCommand } from "./trust-command.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const MCP = JSON.stringify({ mcpServers: { files: { command: "no-such-program", args: ["--root", "a b"] } } });

const project = async (settings?: string): Promise<Project> => {
  const made = await createProject(settings);
  cleanups.push(made.remove);
  return made;
};

const readTrust = async ({ home }: Project): Promise<string> => readFile(join(home, "trust.json"), "utf8").catch(() => "");

describe("retinue trust", () => {
  test("says so where there is nothing to trust", async () => {
    const ended = await callRetinue(await project("model: offline/rules\n"), ["trust"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/ asks for nothing that it is not trusted for\.\n$/);
  });

  test("shows the servers, the tools and the settings of a project in full, and changes nothing where nobody can be asked", async () => {
    const made = await project("hooks:\n  - { on: run.started, command: 'echo started' }\n");
    await writeFile(join(made.workspace, ".mcp.json"), MCP);
    await mkdir(join(made.workspace, ".retinue/tools"), { recursive: true });
    await writeFile(join(made.workspace, ".retinue/tools/a.ts"), "export const a = 1;\n");
    const ended = await callRetinue(made, ["trust"], {}, "y\n");
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain("files: no-such-program --root 'a b'");
    expect(ended.stdout).toContain(".retinue/tools/a.ts");
    expect(ended.stdout).toContain('"command":"echo started"');
    expect(ended.stderr).toContain("Nobody can be asked");
    expect(await readTrust(made)).toBe("");
  });

  test("--yes trusts what was shown until it changes, and --revoke takes it back", async () => {
    const made = await project("hooks:\n  - { on: run.started, command: 'echo started' }\n");
    const file = join(made.workspace, ".mcp.json");
    await writeFile(file, MCP);
    expect((await callRetinue(made, ["trust", "--yes"])).stdout).toMatch(/\n2 things trusted, as shown/);
    expect((await callRetinue(made, ["trust"])).stdout).toContain("asks for nothing");
    expect((await callRetinue(made, ["agents"])).stderr).not.toContain("not trusted");

    await writeFile(file, MCP.replace("a b", "/"));
    const changed = await callRetinue(made, ["trust"]);
    expect(changed.code).toBe(2);
    expect(changed.stdout).toContain("files: no-such-program --root /");
    expect(changed.stdout).not.toContain("echo started");

    await writeFile(file, MCP);
    await writeFile(join(made.workspace, "retinue.yaml"), "broken: [");
    expect(await callRetinue(made, ["trust", "--revoke"])).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(await readTrust(made))).toEqual({ version: 1, projects: {} });
  });

  test("K6 shows no secret that stands in a file of the project", async () => {
    const made = await project(
      "mcpServers: { a: { command: x, env: { A_TOKEN: canary-1234 } }, b: { url: 'https://h', headers: { Authorization: Bearer canary-1234 } } }\n",
    );
    await writeFile(
      join(made.workspace, ".mcp.json"),
      JSON.stringify({ mcpServers: { c: { command: "x", env: { A_KEY: "canary-1234" } } } }),
    );
    for (const words of [["trust"], ["doctor"], ["run", "--model", "offline/rules", "hi"]]) {
      const ended = await callRetinue(made, words);
      expect(ended.stdout + ended.stderr, words.join(" ")).not.toContain("canary");
    }
    expect((await callRetinue(made, ["trust"])).stdout.match(/\[redacted\]/g)).toHaveLength(3);
  });

  test("a line that leads away from the question shows as characters", async () => {
    const made = await project();
    await writeFile(
      join(made.workspace, ".mcp.json"),
      JSON.stringify({ mcpServers: { "a\u001b[2K": { command: "x\u001b[1A\ny" } } }),
    );
    const ended = await callRetinue(made, ["trust"]);
    expect(ended.stdout + ended.stderr).not.toContain("\u001b");
    expect(await readTrust(made)).toBe("");
  });

  test.each([
    { answer: "y\n", isTrusted: true },
    { answer: "YES\n", isTrusted: true },
    { answer: "\n", isTrusted: false },
    { answer: "yup\n", isTrusted: false },
    { answer: "", isTrusted: false },
  ])("the answer $answer at a terminal trusts: $isTrusted", async ({ answer, isTrusted }) => {
    const made = await project();
    await writeFile(join(made.workspace, ".mcp.json"), MCP);
    const written: string[] = [];
    const screen = (): Writable & { isTTY?: boolean } =>
      Object.assign(
        new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            written.push(chunk.toString());
            done();
          },
        }),
        { isTTY: true },
      );
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(answer);
    const surroundings = createSurroundings({ stdin, stdout: screen(), stderr: screen(), env: toEnvironment(made.home) });
    expect(await trustCommand({ workspace: made.workspace }, surroundings)).toBe(0);
    await surroundings.stderr.flush();
    const all = written.join("");
    expect(all.indexOf("files: no-such-program")).toBeLessThan(all.indexOf("Trust it? [y/N]"));
    expect(all).toContain(isTrusted ? "trusted" : "nothing was trusted");
    expect((await readTrust(made)).includes("mcp:files")).toBe(isTrusted);
  });
});
