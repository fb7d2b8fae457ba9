/** Forty files as people share them, each with one feature or one thing wrong: what is loaded of them, what it may do, and what is said of it. */
import { readFile } from "node:fs/promises";
import type { RuleEffect } from "@retinue/protocol";
import type { RuledCall } from "@retinue/runtime";
import { judgeRules, narrow, TOOL_NAMES } from "@retinue/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LoadedAgents } from "./catalogue.ts";
import type { AgentsReport } from "./check-agents.ts";
import { checkAgents } from "./check-agents.ts";
import { formatReport } from "./format-report.ts";
import { summariseReport } from "./summarise-report.ts";
import type { AgentFolders } from "./testing/agent-folders.ts";
import { createAgentFolders } from "./testing/agent-folders.ts";

let folders: AgentFolders;
let loaded: LoadedAgents;
let report: AgentsReport;

beforeAll(async () => {
  folders = await createAgentFolders();
  await folders.copy("collection", "project");
  loaded = await folders.load();
  report = checkAgents(loaded, { toolNames: [...TOOL_NAMES, "github.push", "sentry.list_issues"] });
});
afterAll(() => folders.dispose());

const ofProject = (): readonly string[] =>
  [...loaded.sources].flatMap(([name, { origin }]) => (origin === "project" ? name : [])).toSorted();

describe("a collection of forty files", () => {
  test("gives the agents that are right, and none of those that are wrong", () => {
    expect(ofProject()).toEqual([
      "api-architect",
      "architect",
      "builder",
      "careful",
      "colon-description",
      "commit-helper",
      "coordinator",
      "dependency-updater",
      "docs",
      "guarded",
      "implementer",
      "incident-responder",
      "legacy-modernizer",
      "newest",
      "no-tools",
      "plan-only",
      "primary",
      "release",
      "report-writer",
      "switches",
      "team-lead",
    ]);
    expect([...loaded.skills.keys()].toSorted()).toEqual(["api-style", "changelog", "nameless", "pdf-forms"]);
  });

  test("is summed up in a line for each kind", () => {
    expect(summariseReport(report, { folder: folders.projectDir })).toBe(SUMMARY);
  });

  test("is told file by file and line by line", async () => {
    const text = formatReport(report, { folder: folders.projectDir, width: 110, all: false });
    expect(text).toBe(await readFile(new URL("../fixtures/collection-report.txt", import.meta.url), "utf8"));
  });

  const may = (agent: string, call: RuledCall): RuleEffect => {
    const definition = loaded.agents.get(agent);
    if (!definition) throw new Error(`there is no agent ${agent}`);
    const { tools, grant } = narrow(
      {
        tools: [...TOOL_NAMES, "github.push", "sentry.list_issues", "pagerduty.page"],
        writes: [],
        hosts: [],
        approve: "all",
        maxDepth: 3,
      },
      definition,
    );
    return tools.includes(call.tool) ? judgeRules(grant.rules, call).effect : "deny";
  };

  test.each<[string, RuledCall, RuleEffect]>([
    ["api-architect", { tool: "write", paths: ["docs/api/a.md"] }, "allow"],
    ["api-architect", { tool: "write", paths: ["src/a.ts"] }, "deny"],
    ["api-architect", { tool: "shell", command: "ls" }, "deny"],
    ["commit-helper", { tool: "shell", command: "git diff --staged" }, "allow"],
    ["commit-helper", { tool: "shell", command: "git status" }, "allow"],
    ["commit-helper", { tool: "shell", command: "git status --short" }, "deny"],
    ["commit-helper", { tool: "shell", command: "git commit -m x && git push" }, "deny"],
    ["dependency-updater", { tool: "shell", command: "npm install x" }, "allow"],
    ["dependency-updater", { tool: "shell", command: "npm publish" }, "deny"],
    ["dependency-updater", { tool: "edit", paths: [".github/workflows/ci.yml"] }, "deny"],
    ["dependency-updater", { tool: "web_fetch", texts: ["https://registry.internal/x"], hosts: ["registry.internal"] }, "deny"],
    ["incident-responder", { tool: "sentry.list_issues" }, "allow"],
    ["incident-responder", { tool: "pagerduty.page" }, "allow"],
    ["incident-responder", { tool: "github.push" }, "deny"],
    ["plan-only", { tool: "edit", paths: ["a"] }, "deny"],
    ["plan-only", { tool: "shell", command: "ls" }, "deny"],
    ["guarded", { tool: "shell", command: "ls" }, "deny"],
    ["no-tools", { tool: "read", paths: ["a"] }, "deny"],
    ["docs", { tool: "edit", paths: ["docs/a.md"] }, "allow"],
    ["docs", { tool: "edit", paths: ["docs/legal/a.md"] }, "deny"],
    ["docs", { tool: "edit", paths: ["src/a.ts"] }, "deny"],
    ["builder", { tool: "shell", command: "npm run build" }, "allow"],
    ["builder", { tool: "shell", command: "npm run deploy" }, "ask"],
    ["builder", { tool: "shell", command: "npm test; rm -rf /" }, "deny"],
    ["builder", { tool: "web_fetch", texts: ["https://a.com"], hosts: ["a.com"] }, "deny"],
    ["careful", { tool: "read", paths: ["a"] }, "allow"],
    ["careful", { tool: "edit", paths: ["a"] }, "ask"],
    ["careful", { tool: "github.push" }, "ask"],
    ["switches", { tool: "shell", command: "ls" }, "deny"],
    ["switches", { tool: "github.push" }, "deny"],
    ["newest", { tool: "edit", paths: ["src/a.ts"] }, "allow"],
    ["newest", { tool: "edit", paths: ["a.ts"] }, "deny"],
    ["newest", { tool: "grep", paths: ["."] }, "deny"],
    ["report-writer", { tool: "read", paths: ["a"] }, "allow"],
    ["report-writer", { tool: "write", paths: ["a"] }, "deny"],
    ["release", { tool: "shell", command: "npm run x" }, "allow"],
    ["release", { tool: "shell", command: "npm publish" }, "ask"],
    ["release", { tool: "edit", paths: ["src/a.ts"] }, "deny"],
  ])("%s and %j: %s", (agent, call, effect) => {
    expect(may(agent, call)).toBe(effect);
  });

  test("says of each whom it may start", () => {
    const startedBy = (name: string) => loaded.agents.get(name)?.delegates.toSorted();
    expect(startedBy("team-lead")).toEqual(["api-architect", "commit-helper"]);
    expect(startedBy("primary")).toEqual(["docs"]);
    expect(startedBy("coordinator")).toEqual(["report-writer"]);
    expect(startedBy("architect")).toEqual(["implementer"]);
    expect(startedBy("implementer")).toEqual([]);
    expect(startedBy("release")).toEqual(["commit-helper"]);
  });
});

const SUMMARY = `agent-roles: 1 of 1 file used; 1 error, 0 warnings, 0 notices
claude-code: 10 of 17 files used; 6 errors, 4 warnings, 16 notices
opencode: 6 of 10 files used; 3 errors, 1 warning, 4 notices
retinue: 1 of 3 files used; 2 errors, 0 warnings, 0 notices
skill-yaml: 2 of 3 files used; 1 error, 0 warnings, 2 notices
skills: 4 of 6 files used; 2 errors, 2 warnings, 2 notices
  .agents/skills/broken/SKILL.md:1: it does not begin with front matter between two lines of ---
  .claude/agents/misspelt-denied.md:4: unknown field "dissallowedTools" (did you mean "disallowedTools"?); it seems to say what the agent may do, so that it is left out
  .claude/agents/misspelt-tools.md:4: unknown field "toolz" (did you mean "tools"?); it seems to say what the agent may do, so that it is left out
  .claude/agents/odd/agent.md:2: "../../etc/passwd" cannot be made the name of an agent: letters, digits and dashes, 64 at most
  .claude/agents/twice.md:5: "tools" stands there twice
  and 10 more errors
-v tells all of it, line by line.
`;
