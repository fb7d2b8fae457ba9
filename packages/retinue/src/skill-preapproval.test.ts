/** `allowed-tools` of skills, from files to what a run is let do: of the user's own skills, and of a project's before and after it is trusted. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import { call, createMockProject } from "./cli/testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const SKILL = "---\nname: notes\ndescription: Writes notes.\nallowed-tools: Write(notes/**)\n---\nWrite notes.\n";

const open = async (
  replies: Parameters<typeof createMockProject>[0],
  files: (at: { readonly workspace: string; readonly home: string }) => Readonly<Record<string, string>>,
) => {
  const mock = await createMockProject(replies);
  cleanups.push(mock.remove);
  for (const [file, text] of Object.entries(files(mock.project))) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const made = async (name: string): Promise<boolean> =>
    readFile(join(mock.project.workspace, name)).then(
      () => true,
      () => false,
    );
  return { ...mock, made };
};

const put = (path: string) => ({ toolCalls: [call("write", { path, content: "x" })] });
const load = { toolCalls: [call("load_skill", { name: "notes" })] };

test("I5 a skill of the user's own spares the questions that it lists, once it is loaded and for nothing else", async () => {
  const mock = await open([put("notes/early.md"), load, put("notes/a.md"), put("src/a.ts"), { text: "Done." }], ({ home }) => ({
    [join(home, "skills/notes/SKILL.md")]: SKILL,
  }));
  await callRetinue(mock.project, ["run", "-q", "--approve", "ask", "go"]);
  expect(await mock.made("notes/early.md")).toBe(false);
  expect(await mock.made("notes/a.md")).toBe(true);
  expect(await mock.made("src/a.ts")).toBe(false);
});

test("I5 it lifts no read-only mode, and not the grant of an agent that may not write there", async () => {
  const mock = await open(
    [
      { toolCalls: [call("delegate_to_agent", { agent: "kept", task: "note" })] },
      load,
      put("notes/a.md"),
      { text: "No." },
      { text: "Done." },
      load,
      put("notes/b.md"),
      { text: "Done." },
    ],
    ({ home, workspace }) => ({
      [join(home, "skills/notes/SKILL.md")]: SKILL,
      [join(workspace, ".retinue/agents/kept.md")]:
        '---\nname: kept\ndescription: d\ntools: [write, load_skill]\nwrites: ["src/**"]\n---\nWrite.\n',
    }),
  );
  await callRetinue(mock.project, ["run", "-q", "--approve", "ask", "go"]);
  await callRetinue(mock.project, ["run", "-q", "--approve", "read-only", "go"]);
  expect(JSON.stringify(mock.server.requests[3]?.body)).toContain("path_outside_scope");
  expect(await mock.made("notes/a.md")).toBe(false);
  expect(await mock.made("notes/b.md")).toBe(false);
});

test("I3 a skill of a project spares none until the project is trusted, and this is said", async () => {
  const mock = await open(
    [load, put("notes/a.md"), { text: "Done." }, load, put("notes/b.md"), { text: "Done." }],
    ({ workspace }) => ({
      [join(workspace, ".claude/skills/notes/SKILL.md")]: SKILL,
    }),
  );
  const first = await callRetinue(mock.project, ["run", "--approve", "ask", "go"]);
  expect(first.stderr).toContain(
    "skill:notes (.claude/skills/notes/SKILL.md): while it is loaded, has these calls not asked about: Write(notes/**)",
  );
  expect(await mock.made("notes/a.md")).toBe(false);
  expect((await callRetinue(mock.project, ["skills", "check"])).stdout).toContain(
    `"allowed-tools" spares questions while it is loaded only once this project is trusted (retinue trust)`,
  );
  expect(await callRetinue(mock.project, ["trust", "--yes"])).toMatchObject({ code: 0 });
  await callRetinue(mock.project, ["run", "-q", "--approve", "ask", "go"]);
  expect(await mock.made("notes/b.md")).toBe(true);
});

test("I5 a skill that stands in an agent's prompt spares them for that agent from its start, and for no other", async () => {
  const mock = await open(
    [
      { toolCalls: [call("delegate_to_agent", { agent: "writer", task: "note" })] },
      put("notes/child.md"),
      { text: "Noted." },
      put("notes/main.md"),
      { text: "Done." },
    ],
    ({ home, workspace }) => ({
      [join(home, "skills/notes/SKILL.md")]: SKILL,
      [join(workspace, ".claude/agents/writer.md")]: "---\nname: writer\ndescription: Writes.\nskills: notes\n---\nWrite.\n",
    }),
  );
  await callRetinue(mock.project, ["run", "-q", "--approve", "ask", "go"]);
  expect(await mock.made("notes/child.md")).toBe(true);
  expect(await mock.made("notes/main.md")).toBe(false);
});
