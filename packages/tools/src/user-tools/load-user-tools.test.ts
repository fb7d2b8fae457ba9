// @module-tag long
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { ErrorValue } from "@retinue/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TrustClaim } from "@retinue/confine";

const LOADER = path.join(import.meta.dirname, "testing/load-and-print.ts");

type Loaded = {
  readonly tools: readonly { readonly name: string; readonly effect: string; readonly timeoutMs: number }[];
  readonly problems: readonly ErrorValue[];
  readonly untrusted: readonly TrustClaim[];
  readonly answers: readonly (string | null)[];
};

const createFolder = async (): Promise<string> => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-tools-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** A project outside the checkout, with files below `.retinue/tools`. */
const createProject = async (
  files: Readonly<Record<string, string>>,
): Promise<{ readonly project: string; readonly tools: string }> => {
  const project = await createFolder();
  const tools = path.join(project, ".retinue/tools");
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(tools, name)), { recursive: true });
    await writeFile(path.join(tools, name), content);
  }
  return { project, tools };
};

const load = async (order: object): Promise<Loaded> => {
  const { stdout } = await promisify(execFile)(process.execPath, [LOADER, JSON.stringify(order)], { maxBuffer: 1 << 24 });
  return JSON.parse(stdout) as Loaded;
};

const user = (folder: string) => ({ path: folder, origin: { type: "user" } });
const ofProject = ({ project, tools }: { project: string; tools: string }) => ({
  path: tools,
  origin: { type: "project", project, file: tools },
});

const TOOL = (name: string, body = `"from ${name}"`): string => `
import { defineTool } from "retinue";
import { z } from "zod";
type Input = { who: string };
export default defineTool<Input>({
  name: "${name}",
  description: "Greets.",
  input: z.object({ who: z.string() }),
  effect: "read",
  execute: ({ who }: Input): string => ${body} + who,
});
`;

describe("tools that people write", () => {
  it("are loaded from plain TypeScript outside the checkout and work", async () => {
    const { tools } = await createProject({
      "greet.ts": TOOL("greet", '"Hello, "'),
      "several.ts": `
        import { defineTool } from "retinue";
        import { z } from "zod";
        import { shout } from "./lib/shout.ts";
        const input = z.object({ text: z.string() });
        export const loud = defineTool({ name: "loud", description: "Shouts.", input, effect: "write", timeoutMs: 5, execute: ({ text }) => shout(text) });
        export const later = defineTool({ name: "later", description: "Loads when it is called.", input, effect: "network",
          execute: async ({ text }) => (await import("./lib/shout.ts")).shout(text) + (await import("node:path")).sep });
        export const helper = () => 1;
      `,
      "lib/shout.ts": "export const shout = (text: string): string => text.toUpperCase();",
      "types.d.ts": "export type A = string;",
      "greet.test.ts": 'throw new Error("not a tool");',
      "README.md": "# no tool",
    });
    const loaded = await load({
      folders: [user(tools), user(path.join(tools, "missing"))],
      calls: [
        { tool: "greet", input: { who: "Ada" } },
        { tool: "loud", input: { text: "hey" } },
        { tool: "later", input: { text: "hey" } },
      ],
    });
    expect(loaded).toEqual({
      tools: [
        { name: "greet", effect: "read", timeoutMs: 120_000 },
        { name: "later", effect: "network", timeoutMs: 120_000 },
        { name: "loud", effect: "write", timeoutMs: 5 },
      ],
      problems: [],
      untrusted: [],
      answers: ["Hello, Ada", "HEY", "HEY/"],
    });
  });

  it("that are broken are reported with file and reason and take no other down", async () => {
    const { tools } = await createProject({
      "a-fine.ts": TOOL("fine"),
      "b-syntax.ts": "\nexport default {{;",
      "c-throws.ts": '\n\nthrow new Error("no database");',
      "d-nothing.ts": "export const x = 1;",
      "e-enum.ts": "export enum Kind { A }",
      "f-missing.ts": 'import "./not-there.ts";',
      "g-package.ts": 'import "no-such-package-anywhere";',
      "h-name.ts": TOOL("no name at all"),
      "i-shape.ts": 'export default { name: "half", description: "", effect: "fly", input: {}, execute() {} };',
      "z-fine.ts": TOOL("also-fine"),
    });
    const { tools: loaded, problems } = await load({ folders: [user(tools)] });
    expect(loaded.map(({ name }) => name)).toEqual(["fine", "also-fine"]);
    expect(problems.map(({ code, message }) => [code, path.basename(message.split(": ")[0] ?? ""), message])).toEqual([
      ["user_tool_invalid", "b-syntax.ts", expect.stringContaining("line 2: Unexpected token")],
      ["user_tool_invalid", "c-throws.ts", expect.stringContaining("line 3: no database")],
      ["user_tool_invalid", "d-nothing.ts", expect.stringContaining("exports no tool")],
      ["user_tool_invalid", "e-enum.ts", expect.stringContaining("enum")],
      ["user_tool_invalid", "f-missing.ts", expect.stringContaining('no "./not-there.ts"')],
      ["user_tool_invalid", "g-package.ts", expect.stringContaining("no-such-package-anywhere")],
      ["user_tool_invalid", "h-name.ts", expect.stringContaining("is no tool name")],
      ["user_tool_invalid", "i-shape.ts", expect.stringContaining("exports no tool")],
    ]);
  });

  it("do not take the name of another tool, whatever its case", async () => {
    const { tools } = await createProject({ "a.ts": TOOL("Read"), "b.ts": TOOL("mine"), "c.ts": TOOL("mine") });
    const { tools: loaded, problems } = await load({ folders: [user(tools)], reserved: ["read"] });
    expect(loaded.map(({ name }) => name)).toEqual(["mine"]);
    expect(problems.map(({ code }) => code)).toEqual(["tool_name_taken", "tool_name_taken"]);
  });
});

describe("two folders that hold the same", () => {
  it("do not get in each other's way", async () => {
    const files = {
      "a.ts": TOOL("a", '(await import("./lib/x.ts")).x').replace(
        "({ who }: Input): string",
        "async ({ who }: Input): Promise<string>",
      ),
      "lib/x.ts": 'export const x = "from the library, ";',
    };
    const [one, other] = [await createProject(files), await createProject(files)];
    const loaded = await load({ folders: [user(one.tools), user(other.tools)], calls: [{ tool: "a", input: { who: "Ada" } }] });
    expect(loaded).toMatchObject({ problems: [{ code: "tool_name_taken" }], answers: ["from the library, Ada"] });
  });
});

describe("tools of a project", () => {
  it("I3: I4: are not loaded before they are trusted, and then are", async () => {
    const marked = path.join(await createFolder(), "ran");
    const project = await createProject({
      "a.ts": `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(marked)}, "x");\n${TOOL("a")}`,
    });
    const trustFile = path.join(await createFolder(), "trust.json");
    const refused = await load({ folders: [ofProject(project)], trustFile });
    expect(refused.tools).toEqual([]);
    expect(refused.problems).toMatchObject([
      { code: "project_untrusted", message: expect.stringContaining(".retinue/tools/a.ts") },
    ]);
    expect(refused.untrusted).toMatchObject([{ project: project.project, subject: "tools:.retinue/tools" }]);
    await expect(realpath(marked)).rejects.toThrow("ENOENT");
    expect((await load({ folders: [ofProject(project)] })).tools).toEqual([]);

    const trusted = await load({ folders: [ofProject(project)], trustFile, trustFirst: true });
    expect(trusted.tools.map(({ name }) => name)).toEqual(["a"]);
    expect(await realpath(marked)).toBe(marked);
  });

  it.each([
    ["a tool", "a.ts"],
    ["what a tool imports", "lib/x.ts"],
    ["a tool that was not there", "b.ts"],
  ])("I3: need trust again when %s changes", { tags: ["long"] }, async (_what, file) => {
    const project = await createProject({ "a.ts": `import "./lib/x.ts";\n${TOOL("a")}`, "lib/x.ts": "export {};" });
    const trustFile = path.join(await createFolder(), "trust.json");
    expect((await load({ folders: [ofProject(project)], trustFile, trustFirst: true })).tools).toHaveLength(1);
    await writeFile(path.join(project.tools, file), TOOL("changed"));
    expect((await load({ folders: [ofProject(project)], trustFile })).tools).toEqual([]);
  });

  it("I3: cannot import what trust does not cover: a file outside the folder, or a link in it", async () => {
    const project = await createProject({ "a.ts": `import "../../outside.ts";\n${TOOL("a")}`, "b.ts": TOOL("b") });
    await writeFile(path.join(project.project, "outside.ts"), "export {};");
    const trustFile = path.join(await createFolder(), "trust.json");
    const loaded = await load({ folders: [ofProject(project)], trustFile, trustFirst: true });
    expect(loaded.tools.map(({ name }) => name)).toEqual(["b"]);
    expect(loaded.problems).toMatchObject([{ message: expect.stringContaining("outside the folder of tools") }]);
    await symlink(path.join(project.project, "outside.ts"), path.join(project.tools, "link.ts"));
    const linked = await load({ folders: [ofProject(project)], trustFile, trustFirst: true });
    expect(linked.tools).toEqual([]);
    expect(linked.problems).toMatchObject([{ message: expect.stringContaining("link.ts is a link") }]);
  });

  it("I3: run as they were hashed, not as they were changed meanwhile", async () => {
    const project = await createProject({});
    await mkdir(project.tools, { recursive: true });
    const victim = path.join(project.tools, "b.ts");
    await writeFile(
      path.join(project.tools, "a.ts"),
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(victim)}, 'throw new Error("swapped")');\n${TOOL("a")}`,
    );
    await writeFile(victim, TOOL("b", '"as trusted, "'));
    const trustFile = path.join(await createFolder(), "trust.json");
    const loaded = await load({
      folders: [ofProject(project)],
      trustFile,
      trustFirst: true,
      calls: [{ tool: "b", input: { who: "Ada" } }],
    });
    expect(loaded).toMatchObject({ problems: [], answers: ["as trusted, Ada"] });
  });
});
