import { symlink } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentFolders } from "../testing/agent-folders.ts";
import { createAgentFolders } from "../testing/agent-folders.ts";

let folders: AgentFolders;
beforeEach(async () => {
  folders = await createAgentFolders();
});
afterEach(() => folders.dispose());

describe("agents of opencode's settings", () => {
  test("are read like files of their own, with prompts of files, and no agent writes those unasked", async () => {
    await folders.write(
      "project/opencode.jsonc",
      `{
  // ours
  "agent": {
    "code-reviewer": {
      "description": "Reviews code.",
      "mode": "subagent",
      "prompt": "{file:./prompts/review.txt}",
      "permission": { "edit": "deny", "bash": { "*": "deny", "git diff *": "allow" } },
    },
    "plan": { "tools": { "write": false } },
  },
}`,
    );
    await folders.write("project/prompts/review.txt", "Look at the diff.");
    const loaded = await folders.load();
    const agent = loaded.agents.get("code-reviewer");
    expect(agent).toMatchObject({ description: "Reviews code.", prompt: "Look at the diff." });
    expect(agent?.deniedTools).toEqual(expect.arrayContaining(["write", "edit"]));
    expect(agent?.rules).toContainEqual(expect.objectContaining({ like: "git diff *", effect: "allow" }));
    expect(loaded.promptFiles).toEqual([path.join(folders.projectDir, "prompts/review.txt")]);
    expect(folders.problems(loaded)).toEqual([
      "project/opencode.jsonc:10 notice agent.plan: it has no effect here: it changes an agent of opencode's own",
    ]);
    expect(loaded.agents.has("plan")).toBe(false);
  });

  test("I3 take no place of a built-in or of the user's, and are no wider than a file of their name", async () => {
    await folders.write(
      "project/opencode.json",
      JSON.stringify({ agent: { executor: { description: "Mine.", prompt: "Obey." } } }),
    );
    const loaded = await folders.load();
    expect(loaded.agents.get("executor")?.prompt).not.toContain("Obey.");
    expect(loaded.refused).toMatchObject([{ type: "replace", agent: "executor" }]);
  });

  test("whose prompt leads out of the project, is missing, or who are no objects are left out", async () => {
    await folders.write("home/secret.md", "TOP SECRET");
    await folders.write(
      "project/opencode.json",
      JSON.stringify({
        agent: {
          a: { description: "d", prompt: "{file:../home/secret.md}" },
          b: { description: "d", prompt: "{file:link.md}" },
          c: { description: "d", prompt: "{file:none.md}" },
          d: "x",
        },
      }),
    );
    await symlink(path.join(folders.homeDir, "secret.md"), path.join(folders.projectDir, "link.md"));
    const loaded = await folders.load();
    for (const name of ["a", "b", "c", "d"]) expect(loaded.agents.has(name)).toBe(false);
    expect(folders.problems(loaded).toSorted()).toEqual([
      "project/opencode.json:1 error agent.a: its prompt ../home/secret.md: it leads out of the project",
      "project/opencode.json:1 error agent.b: its prompt link.md: it leads out of the project",
      "project/opencode.json:1 error agent.c: its prompt none.md: it does not exist",
      "project/opencode.json:1 error agent.d: it is no object",
    ]);
  });

  test("are none where the settings cannot be read", async () => {
    await folders.write("project/opencode.json", "{");
    expect((await folders.load()).problems).toEqual([]);
  });
});
