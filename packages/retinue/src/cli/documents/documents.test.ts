import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const project = async (): Promise<Project> => {
  const made = await createProject();
  cleanups.push(made.remove);
  await mkdir(join(made.workspace, "docs"));
  await writeFile(join(made.workspace, "docs/one.md"), "# One\n\nThe first.\n");
  await writeFile(join(made.workspace, "docs/two.md"), "# Two\n\nThe second.\n");
  return made;
};

const listed = async (made: Project): Promise<readonly string[]> =>
  (JSON.parse((await callRetinue(made, ["documents", "--json"])).stdout) as { documents: { path: string }[] }).documents.map(
    ({ path }) => path,
  );

describe("retinue documents", () => {
  test("adds, lists and removes what agents can search; the files stay", async () => {
    const made = await project();
    const [one, two] = [join(made.workspace, "docs/one.md"), join(made.workspace, "docs/two.md")];
    const added = await callRetinue(made, ["documents", "add", "docs"]);
    expect(added).toEqual({
      code: 0,
      signal: null,
      stdout: `added ${one}\nadded ${two}\n2 added, 0 updated, 0 unchanged, 0 removed, 0 left out.\n`,
      stderr: "",
    });
    expect((await callRetinue(made, ["documents", "list"])).stdout).toBe(
      `${one} (markdown, 18 bytes, 1 piece)\n${two} (markdown, 19 bytes, 1 piece)\n`,
    );
    expect(await callRetinue(made, ["documents", "remove", "docs/one.md"])).toMatchObject({
      code: 0,
      stdout: `removed ${one}\n`,
    });
    expect(await listed(made)).toEqual([two]);
    expect((await stat(one)).isFile()).toBe(true);
  });

  test("what changed is read again, what is gone goes", async () => {
    const made = await project();
    await callRetinue(made, ["documents", "add", "docs"]);
    await writeFile(join(made.workspace, "docs/one.md"), "# One\n\nAnother.\n");
    await rm(join(made.workspace, "docs/two.md"));
    const ended = await callRetinue(made, ["documents", "add", "docs", "--json"]);
    expect(JSON.parse(ended.stdout)).toEqual({
      added: [],
      updated: [join(made.workspace, "docs/one.md")],
      unchanged: [],
      removed: [join(made.workspace, "docs/two.md")],
      skipped: [],
    });
  });

  test("with an index, agents have the tool that searches it", async () => {
    const made = await project();
    const toolsOf = async (): Promise<string> => (await callRetinue(made, ["agents", "show", "general-assistant"])).stdout;
    expect(await toolsOf()).not.toMatch(/^Tools here .*search_documents/m);
    await callRetinue(made, ["documents", "add", "docs/one.md"]);
    expect(await toolsOf()).toMatch(/^Tools here .*search_documents/m);
  });

  test("looking at an index that is not there does not make one", async () => {
    const made = await project();
    const ended = await callRetinue(made, ["documents"]);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("no document is in the index");
    expect((await callRetinue(made, ["documents", "remove", "docs"])).code).toBe(2);
    expect((await callRetinue(made, ["documents", "add", "docs", "nowhere"])).stderr).toMatch(
      /There is no \S+nowhere\. \[usage\]/,
    );
    await expect(stat(join(made.home, "documents.db"))).rejects.toThrow("ENOENT");
  });
});
