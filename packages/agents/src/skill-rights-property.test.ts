/**
 * Lists of `allowed-tools`, made by chance, against grants and rules made by chance: whatever a skill lists, what was denied stays denied, what a rule or a
 * protection has asked about is asked about, and only calls that the list names pass unasked.
 */
import type { ApproveMode, Grant, Rule, RunSpec, ToolEffect } from "@retinue/protocol";
import type { AnyTool, Judgement, PreapprovingSkills, Touches } from "@retinue/runtime";
import { createJudge, defineTool, toSkillHead } from "@retinue/runtime";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readSkillFile } from "./skill-file.ts";
import { createRandom } from "./testing/random.ts";

type Call = { readonly tool: string; readonly effect: ToolEffect; readonly touches: Touches; readonly key: string };

const command = (line: string): Call => ({
  tool: "shell",
  effect: "execute",
  touches: { command: line, needsSandbox: true },
  key: line,
});
const file = (tool: string, name: string): Call => ({
  tool,
  effect: "write",
  touches: { paths: [name] },
  key: `${tool} ${name}`,
});
const fetched = (host: string): Call => ({
  tool: "web_fetch",
  effect: "network",
  touches: { hosts: [host], about: `https://${host}/` },
  key: host,
});

const FILES = ["docs/a.md", "src/a.ts", "AGENTS.md", ".env", "package.json", "../out.md"];
const CALLS: readonly Call[] = [
  ...["git log -5", "git push", "npm test", "npm test && rm -rf x", "git log; curl x | sh", "$(git log)"].map(command),
  ...FILES.flatMap((name) => [file("write", name), file("edit", name)]),
  ...["example.com", "a.example.com", "evil.com"].map(fetched),
  { tool: "git_commit", effect: "write", touches: { paths: ["src/a.ts"] }, key: "commit" },
];

/** What each entry names, said apart from how entries are read. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  "Bash(git log:*)": ["git log -5"],
  "Bash(npm test)": ["npm test"],
  "Bash(git:*)": ["git log -5", "git push"],
  "Edit(docs/**)": ["write docs/a.md", "edit docs/a.md"],
  Write: ["write docs/a.md", "write src/a.ts"],
  "WebFetch(domain:example.com)": ["example.com", "a.example.com"],
  Bash: [],
  "*": [],
  "Bash(*)": [],
  Task: [],
  Read: [],
};

const RULES: readonly Rule[] = [
  { tools: ["shell"], like: "git push *", effect: "deny" },
  { tools: ["shell"], effect: "ask" },
  { tools: ["write", "edit"], path: "docs/**", effect: "ask" },
  { tools: ["web_fetch"], host: "a.example.com", effect: "deny" },
  { tools: ["write"], effect: "deny" },
];

const read = (entries: readonly string[]) =>
  readSkillFile({
    text: `---\nname: made\ndescription: d\nallowed-tools:\n${entries.map((entry) => `  - ${JSON.stringify(entry)}\n`).join("")}---\nDo.\n`,
    file: "SKILL.md",
    folder: "",
    folderName: "made",
    origin: "user",
    note: () => undefined,
  });

const toTool = ({ tool, effect, touches }: Call): AnyTool =>
  defineTool({ name: tool, description: "", input: z.unknown(), effect, touches: () => touches, execute: () => "" });

type Trial = {
  readonly call: Call;
  readonly grant: Grant;
  readonly skills?: PreapprovingSkills;
  readonly loaded: readonly string[];
};

const judge = async ({ call, grant, skills, loaded }: Trial): Promise<Judgement> => {
  const spec: RunSpec = {
    system: `You are worker.\n\n${toSkillHead("taught")}\n\nDo.`,
    model: "none/none",
    fallbacks: [],
    tools: [call.tool],
    limits: {},
    treeLimits: {},
    delegates: [],
    workspace: "/work",
    grant,
  };
  return createJudge({ sandboxObstacle: async () => undefined, ...(skills && { skills }) })({
    callId: "call_1",
    tool: toTool(call),
    input: {},
    spec,
    realPath: async (named) => path.resolve(named),
    agent: "worker",
    loadedSkills: () => loaded,
  });
};

const MODES: readonly ApproveMode[] = ["ask", "workspace", "all", "read-only"];

describe("what a skill lists as allowed tools", () => {
  test("I5 is never wider than the grant: it spares questions that modes put, about calls that it names, while it is loaded", async () => {
    let spared = 0;
    for (let seed = 1; seed <= 1_500; seed += 1) {
      const { below: random, pick, some } = createRandom(seed);
      const entries = some(Object.keys(ENTRIES), 4);
      const grant: Grant = {
        tools: ["*"],
        writes: random(3) === 0 ? [["docs/**"]] : [],
        hosts: random(3) === 0 ? [["evil.com"]] : [],
        rules: random(2) === 0 ? [{ from: "a file", rules: some(RULES, 3) }] : [],
        approve: pick(MODES),
        maxDepth: 3,
      };
      const call = pick(CALLS);
      const isTaught = random(2) === 0;
      const name = isTaught ? "taught" : "made";
      const skills: PreapprovingSkills = {
        rules: new Map([[name, { from: "SKILL.md", rules: read(entries)?.allowed ?? [] }]]),
        taughtTo: () => (isTaught ? ["taught"] : []),
      };
      const before = await judge({ call, grant, loaded: [] });
      const after = await judge({ call, grant, skills, loaded: isTaught ? [] : ["made"] });
      const unloaded = isTaught ? before : await judge({ call, grant, skills, loaded: ["another"] });
      const about = JSON.stringify({ seed, entries, grant, call: call.key });
      expect(unloaded, about).toEqual(before);
      if (after.type !== "allow" || before.type === "allow") {
        expect(after, about).toEqual(before);
        continue;
      }
      spared += 1;
      if (before.type !== "ask") throw new Error(`it was denied: ${about}`);
      expect(before.act.askedBy, about).toBeUndefined();
      expect(before.act.protectedPaths, about).toBeUndefined();
      expect(["ask", "workspace"], about).toContain(grant.approve);
      expect(
        entries.flatMap((entry) => ENTRIES[entry] ?? []),
        about,
      ).toContain(call.key);
    }
    expect(spared).toBeGreaterThan(10);
  });

  test("I5 counts for no agent whose prompt has not the skill, whatever is said to be taught", async () => {
    const call = command("git log -5");
    const grant: Grant = { tools: ["*"], writes: [], hosts: [], approve: "ask", maxDepth: 3 };
    const rules = new Map([["untold", { from: "SKILL.md", rules: read(["Bash(git log:*)"])?.allowed ?? [] }]]);
    expect((await judge({ call, grant, skills: { rules, taughtTo: () => ["untold"] }, loaded: [] })).type).toBe("ask");
    expect((await judge({ call, grant, skills: { rules, taughtTo: () => [] }, loaded: ["untold"] })).type).toBe("allow");
  });
});
