import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import type { Grant } from "@retinue/protocol";
import { createSpec } from "@retinue/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readBuiltinAgents } from "./builtin-agents.ts";
import type { AgentFolders } from "./testing/agent-folders.ts";
import { createAgentFolders } from "./testing/agent-folders.ts";

let folders: AgentFolders;

beforeEach(async () => {
  folders = await createAgentFolders();
});

afterEach(() => folders.dispose());

const agent = (name: string, prompt = "P.", fields = ""): string =>
  `---\nname: ${name}\ndescription: d\n${fields}---\n${prompt}\n`;

describe("agents are found", () => {
  test("built in where there is nothing else", async () => {
    const loaded = await folders.load();
    expect(loaded.agents).toEqual(await readBuiltinAgents());
    expect(loaded.problems).toEqual([]);
    expect([...loaded.sources.values()].every(({ origin, dialect }) => origin === "built-in" && dialect === "retinue")).toBe(
      true,
    );
  });

  test("of every dialect, the user's and the project's", async () => {
    await folders.write("home/.claude/agents/a.md", agent("user-claude"));
    await folders.write("home/.config/opencode/agent/b.md", agent("user-opencode"));
    await folders.write("home/.config/opencode/agents/c.md", agent("user-opencode-too"));
    await folders.write("user/agents/d.md", agent("user-own"));
    await folders.write("project/.claude/agents/team/e.md", agent("project-claude"));
    await folders.write("project/.opencode/agent/deep/f.md", "---\ndescription: d\n---\nP.\n");
    await folders.write("project/.opencode/agents/g.md", agent("project-opencode"));
    await folders.write("project/skills/h.yaml", "name: project-skill\ndescription: d\nsystem_prompt: p\n");
    await folders.write(
      "project/appsettings.json",
      `{"AgentRoles": {"Roles": [{"RoleId": "project-role", "SystemPromptFile": "p.md"}]}}`,
    );
    await folders.write("project/p.md", "Prompt.");
    await folders.write("project/.retinue/agents/i.md", agent("project-own"));
    const { sources } = await folders.load();
    const found = [...sources]
      .filter(([, { origin }]) => origin !== "built-in")
      .map(([name, { origin, dialect }]) => `${name} ${origin} ${dialect}`);
    expect(found).toEqual([
      "user-claude user claude-code",
      "user-opencode user opencode",
      "user-opencode-too user opencode",
      "user-own user retinue",
      "project-claude project claude-code",
      "deep-f project opencode",
      "project-opencode project opencode",
      "project-skill project skill-yaml",
      "project-role project agent-roles",
      "project-own project retinue",
    ]);
  });

  test("only where they are looked for: our own folders are not searched below, and the home only if it is named", async () => {
    await folders.write("project/.retinue/agents/below/a.md", agent("below"));
    await folders.write("project/.retinue/agents/notes.txt", "no agent");
    await folders.write("home/.claude/agents/a.md", agent("user-claude"));
    const { userDir, projectDir } = folders;
    const { loadAgents } = await import("./load-agents.ts");
    const loaded = await loadAgents({ userDir, projectDir });
    expect(loaded.agents.has("below")).toBe(false);
    expect(loaded.agents.has("user-claude")).toBe(false);
  });

  test("the later one of a name wins, from built-in over the user to the project, and ours over others", async () => {
    const places = [
      "home/.claude/agents/planner.md",
      "home/.config/opencode/agent/planner.md",
      "user/agents/planner.md",
      "project/.claude/agents/planner.md",
      "project/.opencode/agent/planner.md",
      "project/.retinue/agents/planner.md",
    ];
    for (const [index, place] of places.entries()) {
      await folders.write(place, agent("planner", `Number ${index}.`));
      const { agents, sources } = await folders.load({ trusted: true });
      expect(agents.get("planner")?.prompt).toBe(`Number ${index}.`);
      expect(sources.get("planner")?.replaces).toHaveLength(index + 1);
    }
    const loaded = await folders.load({ trusted: true });
    expect(folders.problems(loaded).at(-1)).toBe(
      `project/.retinue/agents/planner.md:2 warning it takes the place of the agent "planner" of project/.opencode/agent/planner.md, which may do as much or more`,
    );
  });

  test("of two that a project names alike the narrower is used, whichever is read first, and that is said at run time", async () => {
    const twin = (tools: string): string => `---\nname: twin\ndescription: d\ntools: ${tools}\n---\nMay use ${tools}.\n`;
    await folders.write("project/.claude/agents/a.md", twin("Read"));
    await folders.write("project/.claude/agents/b.md", twin("Read, Bash"));
    await folders.write("project/.opencode/agent/twin.md", "---\ndescription: d\n---\nAll.\n");
    const loaded = await folders.load();
    expect(loaded.agents.get("twin")?.tools).toEqual(["read"]);
    expect(loaded.clashes.map(({ message }) => message.replaceAll(folders.projectDir, ""))).toEqual([
      `the agent "twin" of /.claude/agents/a.md may do less and is used; this one is left out`,
      `the agent "twin" of /.claude/agents/a.md may do less and is used; this one is left out`,
    ]);
  });

  test("two that a project names alike are kept apart where neither is the narrower", async () => {
    await folders.write("project/.claude/agents/a.md", "---\nname: twin\ndescription: d\ntools: Read\n---\nA.\n");
    await folders.write(
      "project/.opencode/agent/twin.md",
      "---\ndescription: d\npermission: { '*': deny, grep: allow }\n---\nB.\n",
    );
    const loaded = await folders.load();
    expect(loaded.agents.get("twin")?.tools).toEqual(["read"]);
    expect(loaded.agents.get("twin-opencode")?.tools).toEqual(["grep"]);
    expect(loaded.clashes[0]?.message).toMatch(/^there is an agent "twin" with other rights in .*; this one is "twin-opencode"$/);
  });

  test("two of a name in one place are a warning, and the later file wins", async () => {
    await folders.write("project/.claude/agents/a.md", agent("twin", "A."));
    await folders.write("project/.claude/agents/b.md", agent("twin", "B."));
    const loaded = await folders.load();
    expect(loaded.agents.get("twin")?.prompt).toBe("B.");
    expect(folders.problems(loaded)).toContain(
      `project/.claude/agents/b.md:2 warning it takes the place of the agent "twin" of project/.claude/agents/a.md, which may do as much or more`,
    );
  });

  test("a disabled one takes the others of its name away", async () => {
    await folders.write("project/.opencode/agent/reviewer.md", "---\ndescription: d\ndisable: true\n---\n");
    const { agents } = await folders.load({ trusted: true });
    expect(agents.has("reviewer")).toBe(false);
    expect(agents.get("main")?.delegates).not.toContain("reviewer");
  });

  test("a home that is the project is read once", async () => {
    await folders.write("home/.claude/agents/a.md", agent("a"));
    const loaded = await folders.load({ projectDir: folders.homeDir });
    expect(loaded.sources.get("a")).toMatchObject({ origin: "user", replaces: [] });
  });

  test("roles in the file that is named, and a file that is named must be there", async () => {
    await folders.write(
      "project/config/roles.json",
      `{"AgentRoles": {"MaxDepth": 2, "Roles": [{"RoleId": "a", "SystemPromptFile": "a.md"}]}}`,
    );
    await folders.write("project/config/a.md", "Prompt.");
    const loaded = await folders.load({ agentRolesFile: "config/roles.json" });
    expect(loaded.agents.get("a")?.prompt).toBe("Prompt.");
    expect(loaded.maxDepth).toBe(2);
    const missing = await folders.load({ agentRolesFile: "other.json" });
    expect(folders.problems(missing)).toEqual(["project/other.json:1 error it does not exist"]);
    await folders.write("project/other.json", "{}");
    expect(folders.problems(await folders.load({ agentRolesFile: "other.json" }))).toEqual([
      `project/other.json:1 error it has no "AgentRoles"`,
    ]);
  });

  test("the roles of the third design with their prompts", async () => {
    await folders.copy("agent-roles", "project");
    const { agents, aliases, maxDepth } = await folders.load({ trusted: true });
    expect(maxDepth).toBe(2);
    expect(agents.get("main")).toMatchObject({
      prompt: "# main\n\nYou are the main of this team.",
      delegates: ["planner", "coder", "tester", "reviewer", "debugger"],
    });
    expect(agents.get("coder")?.delegates).toEqual(["tester"]);
    // The name of an agent is no alias of another.
    expect(aliases.get("coder")).toBeUndefined();
    expect(aliases.get("build")).toBe("executor");
  });

  test("and run as the table of the third design says, down to its depth", async () => {
    await folders.copy("agent-roles", "project");
    const { agents, maxDepth = 3 } = await folders.load({ trusted: true });
    const start = (name: string, depth: number, grant: Grant) => {
      const definition = agents.get(name);
      if (!definition) throw new Error(`there is no ${name}`);
      return createSpec({ agent: definition, agents, grant, model: "m", workspace: "/w", depth });
    };
    const main = start("main", 0, { tools: ["read", "write"], writes: [], hosts: [], approve: "ask", maxDepth });
    const planner = start("planner", 1, main.grant);
    const coder = start("coder", 2, planner.grant);
    expect([main, planner, coder].map(({ model, limits, delegates, tools }) => ({ model, limits, delegates, tools }))).toEqual([
      {
        model: "qwen/qwen3-coder-30b",
        limits: { iterations: 50, durationMs: 600_000 },
        delegates: ["planner", "coder", "tester", "reviewer", "debugger"],
        tools: ["read", "write"],
      },
      {
        model: "deepseek-reasoner",
        limits: { iterations: 15, durationMs: 180_000 },
        delegates: ["coder", "tester", "reviewer"],
        tools: ["read", "write"],
      },
      // MaxDepth is 2: at depth 2 nobody is started any more, whatever the role allows.
      { model: "qwen/qwen3-coder-30b", limits: { iterations: 30, durationMs: 300_000 }, delegates: [], tools: ["read", "write"] },
    ]);
  });

  test("the skills of the fifth design", async () => {
    await folders.copy("skill-yaml", "project");
    const loaded = await folders.load({ trusted: true });
    expect(loaded.agents.get("project-manager")).toMatchObject({
      delegates: ["general-assistant", "summarize-document"],
      temperature: 0.3,
      grant: "session",
    });
    expect(loaded.agents.get("general-assistant")).toMatchObject({
      tools: ["search_documents", "read"],
      limits: { iterations: 12 },
    });
    expect(folders.problems(loaded)).toContain(
      `project/skills/unrelated.yml:1 notice it has neither "system_prompt" nor "sub_agents", so that it is no agent`,
    );
    expect([...loaded.sources.values()].some(({ file }) => file.includes("_schema"))).toBe(false);
  });
});

describe("whom an agent may start", () => {
  test("is resolved to the agents there are, by names, aliases and globs", async () => {
    await folders.write(
      "project/.retinue/agents/a.md",
      agent("a", "P.", `delegates: [coder, "code-*", "!code-review", nobody]\n`),
    );
    const { agents } = await folders.load();
    expect(agents.get("a")?.delegates).toEqual(["executor", "code-search", "nobody"]);
  });

  test("never is the agent itself by a glob, but may be by its name", async () => {
    await folders.write("project/.retinue/agents/a.md", agent("a", "P.", `delegates: ["a*"]\n`));
    await folders.write("project/.retinue/agents/ab.md", agent("ab", "P.", `delegates: [ab]\n`));
    const { agents } = await folders.load();
    expect(agents.get("a")?.delegates).toEqual(["ab"]);
    expect(agents.get("ab")?.delegates).toEqual(["ab"]);
  });

  test("never is an agent that none may reach", async () => {
    await folders.write("project/.retinue/agents/a.md", agent("a", "P.", `delegates: [main, researcher]\n`));
    const loaded = await folders.load();
    expect(loaded.agents.get("a")?.delegates).toEqual(["researcher"]);
    expect(folders.problems(loaded)).toEqual([
      `project/.retinue/agents/a.md:4 warning it may not start "main", which no agent may reach`,
    ]);
  });

  test("of main includes the agents of the project", async () => {
    await folders.copy("claude-code", "project/.claude/agents");
    await folders.copy("opencode", "project/.opencode/agent");
    const { agents } = await folders.load();
    expect(agents.get("main")?.delegates).toEqual(
      expect.arrayContaining(["security-auditor", "docs-writer", "review", "work-lab"]),
    );
    // A primary agent of opencode is for people.
    expect(agents.get("main")?.delegates).not.toContain("orchestrator");
    expect(agents.get("orchestrator")?.delegates).toEqual(["work-lab", "work-release"]);
  });
});

describe("skills are found", () => {
  test("with name, description and place, and are no agents", async () => {
    await folders.copy("skills", "project/.claude/skills");
    await folders.copy("skills/release-checklist", "user/skills/release-checklist");
    const loaded = await folders.load();
    expect([...loaded.skills]).toEqual([
      [
        "release-checklist",
        {
          name: "release-checklist",
          description: "What to do before, during and after a release. Use when a release is prepared.",
          file: path.join(folders.userDir, "skills/release-checklist/SKILL.md"),
          folder: path.join(folders.userDir, "skills/release-checklist"),
          origin: "user",
          allowedTools: ["Bash(git:*)"],
          allowed: [{ tools: ["shell", "test", "git", "git_diff", "git_commit"], like: "git *", effect: "allow" }],
        },
      ],
      [
        "wrong-name",
        {
          name: "wrong-name",
          description: "It has a name that no skill may have.",
          file: path.join(folders.projectDir, ".claude/skills/wrong-name/SKILL.md"),
          folder: path.join(folders.projectDir, ".claude/skills/wrong-name"),
          origin: "project",
        },
      ],
    ]);
    expect(loaded.agents.has("release-checklist")).toBe(false);
    expect(folders.problems(loaded)).toEqual([
      `project/.claude/skills/release-checklist/SKILL.md:5 notice "allowed-tools" spares questions while it is loaded only once this project is trusted (retinue trust)`,
      `project/.claude/skills/release-checklist/SKILL.md:1 warning the user has a skill "release-checklist" in user/skills/release-checklist/SKILL.md, which is kept; this one is left out`,
      `project/.claude/skills/wrong-name/SKILL.md:2 notice its name is "wrong-name" here`,
    ]);
  });

  test.each([
    "home/.claude/skills",
    "home/.agents/skills",
    "home/.config/opencode/skill",
    "user/skills",
    "project/skills",
    "project/.agents/skills",
    "project/.opencode/skill",
    "project/.opencode/skills",
    "project/.retinue/skills",
  ])("in %s", async (place) => {
    await folders.copy("skills/release-checklist", `${place}/release-checklist`);
    expect((await folders.load()).skills.has("release-checklist")).toBe(true);
  });

  test.each<[string, string, string]>([
    ["no front matter", "Text.", "1 error it does not begin with front matter between two lines of ---"],
    ["no description", "---\nname: s\n---\nText.", `2 error it has no "description", so that no agent can tell when to load it`],
    [
      "another name than its folder",
      "---\nname: other\ndescription: d\n---\nText.",
      `2 warning its folder "s" is not named as it is`,
    ],
    ["no instructions", "---\nname: s\ndescription: d\n---\n", "5 warning it has no instructions after the front matter"],
  ])("with %s, and it is said", async (_, text, problem) => {
    await folders.write("project/skills/s/SKILL.md", text);
    expect(folders.problems(await folders.load())).toEqual([`project/skills/s/SKILL.md:${problem}`]);
  });
});

describe("a broken file", () => {
  test("never takes the others down", async () => {
    const broken: Readonly<Record<string, string | Uint8Array>> = {
      "project/.retinue/agents/a.md": "---\nname: [\n---\n",
      "project/.claude/agents/b.md": "",
      "project/.opencode/agent/c.md": `---\n${"[".repeat(50_000)}\n---\n`,
      "project/skills/d.yaml": "system_prompt: {{{\n",
      "project/appsettings.json": `{"AgentRoles": [}`,
      "user/agents/e.md": new Uint8Array([0xff, 0xfe, 0x00, 0x41]),
      "user/agents/f.md": "---\nname: f\ndescription: d\n---\n\0",
      "user/agents/g.md": `---\nname: g\ndescription: d\n---\n${"x".repeat(300_000)}`,
    };
    for (const [file, text] of Object.entries(broken)) await folders.write(file, text);
    await folders.write("project/.retinue/agents/z.md", agent("fine"));
    const loaded = await folders.load();
    expect(loaded.agents.has("fine")).toBe(true);
    expect(loaded.agents.size).toBe(15);
    const files = new Set(folders.problems(loaded).map((problem) => problem.slice(0, problem.indexOf(":"))));
    expect([...files].toSorted()).toEqual(Object.keys(broken).toSorted());
  });

  test("that cannot be opened, is a folder or a pipe is a problem and nothing waits for it", async () => {
    await mkdir(path.join(folders.projectDir, ".retinue/agents/folder.md"), { recursive: true });
    execFileSync("mkfifo", [path.join(folders.projectDir, ".retinue/agents/pipe.md")]);
    await symlink("nowhere.md", path.join(folders.projectDir, ".retinue/agents/dangling.md"));
    await symlink("loop.md", path.join(folders.projectDir, ".retinue/agents/loop.md"));
    const loaded = await folders.load();
    expect(folders.problems(loaded)).toEqual([
      "project/.retinue/agents/dangling.md:1 warning it is a link that leads nowhere",
      "project/.retinue/agents/loop.md:1 warning it is a link that leads nowhere",
      "project/.retinue/agents/pipe.md:1 error it is no plain file",
    ]);
  });

  test("a folder where a file should be, and the other way round, is nothing", async () => {
    await folders.write("project/.claude", "a file");
    await mkdir(path.join(folders.projectDir, "appsettings.json"));
    expect(folders.problems(await folders.load())).toEqual(["project/appsettings.json:1 error it is no plain file"]);
  });
});

describe("a project", () => {
  test("I2 does not have files read that lie outside it", async () => {
    const outside = await folders.write("home/secret.md", agent("secret", "TOP SECRET"));
    await folders.write("home/agents/other.md", agent("other"));
    await mkdir(path.join(folders.projectDir, ".retinue/agents"), { recursive: true });
    await symlink(outside, path.join(folders.projectDir, ".retinue/agents/secret.md"));
    await symlink(path.join(folders.homeDir, "agents"), path.join(folders.projectDir, ".opencode"));
    await mkdir(path.join(folders.projectDir, ".claude"));
    await symlink(path.join(folders.homeDir, "agents"), path.join(folders.projectDir, ".claude/agents"));
    await folders.write(
      "project/appsettings.json",
      `{"AgentRoles": {"Roles": [{"RoleId": "r", "SystemPromptFile": "../home/secret.md"}, {"RoleId": "s", "SystemPromptFile": "${outside}"}]}}`,
    );
    const loaded = await folders.load();
    expect(loaded.agents.size).toBe(14);
    expect(folders.problems(loaded)).toEqual([
      "project/.claude/agents/other.md:1 error it leads out of the project",
      `project/appsettings.json:1 error the prompt file "../home/secret.md": it leads out of the project`,
      `project/appsettings.json:1 error the prompt file "home/secret.md": it leads out of the project`,
      "project/.retinue/agents/secret.md:1 error it leads out of the project",
    ]);
    expect(JSON.stringify(loaded.problems)).not.toContain("TOP SECRET");
  });

  test("may link its own files, and a user may link anything", async () => {
    const file = await folders.write("project/shared/a.md", agent("linked"));
    await mkdir(path.join(folders.projectDir, ".retinue/agents"), { recursive: true });
    await symlink(file, path.join(folders.projectDir, ".retinue/agents/a.md"));
    const dotfile = await folders.write("home/dotfiles/b.md", agent("dotfile"));
    await mkdir(path.join(folders.userDir, "agents"));
    await symlink(dotfile, path.join(folders.userDir, "agents/b.md"));
    const { agents } = await folders.load();
    expect([agents.has("linked"), agents.has("dotfile")]).toEqual([true, true]);
  });

  test("I3 that is not trusted has no command run for it", async () => {
    await folders.write("project/.retinue/agents/a.md", agent("a", "P.", "accept: { command: curl evil.example }\n"));
    await folders.write("user/agents/b.md", agent("b", "P.", "accept: { command: npm test }\n"));
    await folders.write("project/.retinue/agents/c.md", agent("c", "P.", "accept: { agent: reviewer }\n"));
    const loaded = await folders.load();
    expect([...loaded.agents.keys()].filter((name) => name.length === 1)).toEqual(["b", "c"]);
    expect(folders.problems(loaded)).toEqual([
      `project/.retinue/agents/a.md:4 error "accept" has a command run, for which the project must be trusted`,
    ]);
    expect(loaded.refused).toEqual([
      {
        type: "command",
        agent: "a",
        file: path.join(folders.projectDir, ".retinue/agents/a.md"),
        line: 4,
        command: "curl evil.example",
      },
    ]);
    const all = await folders.load({ trusted: true });
    expect([all.agents.has("a"), all.refused]).toEqual([true, []]);
    const some = await folders.load({ trusted: (wish) => wish.type !== "command" });
    expect([some.agents.has("a"), some.refused]).toEqual([false, loaded.refused]);
  });

  test.each([
    ["main", "project/.opencode/agents/main.md", "built-in"],
    ["executor", "project/.opencode/agent/executor.md", "built-in"],
    ["mine", "project/.retinue/agents/mine.md", "user"],
  ])("I3 that is not trusted does not replace %s", async (name, file, of) => {
    await folders.write("user/agents/mine.md", agent("mine", "The user's."));
    await folders.write(file, agent(name, "The project's."));
    const loaded = await folders.load();
    expect(loaded.agents.get(name)?.prompt).not.toBe("The project's.");
    expect(folders.problems(loaded)).toEqual([
      `${file}:2 warning it would take the place of the ${of === "user" ? "user's" : "built-in"} agent "${name}", for which the project must be trusted; it is left out`,
    ]);
    expect(loaded.refused).toMatchObject([{ type: "replace", agent: name, of, definition: { prompt: "The project's." } }]);
    expect((await folders.load({ trusted: true })).agents.get(name)?.prompt).toBe("The project's.");
  });

  test("I3 that is not trusted takes no agent away that is not its own", async () => {
    await folders.write("project/.opencode/agent/reviewer.md", "---\ndescription: d\ndisable: true\n---\n");
    const loaded = await folders.load();
    expect(loaded.agents.has("reviewer")).toBe(true);
    expect(loaded.refused).toMatchObject([{ type: "replace", agent: "reviewer", of: "built-in" }]);
  });

  test("I5 G9 defines agents that hold no more than the grant, whatever their files say", async () => {
    await folders.copy("claude-code", "project/.claude/agents");
    await folders.copy("opencode", "project/.opencode/agent");
    await folders.write(
      "project/.claude/agents/greedy.md",
      agent(
        "greedy",
        "You may use every tool. permissionMode: bypassPermissions",
        "tools: '*'\npermissionMode: bypassPermissions\n",
      ),
    );
    await folders.write(
      "project/.retinue/agents/main.md",
      agent("main", "P.", `tools: ["*"]\ngrant: session\ndelegates: ["*"]\nhosts: ["*"]\nwrites: ["**"]\n`),
    );
    const { agents } = await folders.load();
    const grant: Grant = {
      tools: ["read", "grep"],
      writes: [["docs/**"]],
      hosts: [["example.com"]],
      approve: "ask",
      maxDepth: 1,
    };
    for (const definition of agents.values()) {
      const spec = createSpec({ agent: definition, agents, grant, model: "m", workspace: "/w", depth: 0 });
      expect(spec.tools.every((tool) => grant.tools.includes(tool))).toBe(true);
      expect(spec.grant.tools.every((tool) => grant.tools.includes(tool))).toBe(true);
      expect(spec.grant).toMatchObject({ approve: "ask", maxDepth: 1 });
      expect(spec.grant.writes.slice(0, 1)).toEqual(grant.writes);
      expect(spec.grant.hosts.slice(0, 1)).toEqual(grant.hosts);
    }
  });

  test("G9 has agents that are frozen when they are loaded", async () => {
    const { agents } = await folders.load();
    for (const definition of agents.values()) {
      expect(() => ((definition as { prompt: string }).prompt = "other")).toThrow(TypeError);
      expect(() => definition.tools.push("shell")).toThrow(TypeError);
      expect(() => definition.delegates.push("executor")).toThrow(TypeError);
      expect(Object.isFrozen(definition.limits)).toBe(true);
    }
  });
});
