import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAgents } from "./check-agents.ts";
import { formatReport } from "./format-report.ts";
import type { AgentFolders } from "./testing/agent-folders.ts";
import { createAgentFolders, FIXTURES } from "./testing/agent-folders.ts";

/** The same numbers for the same seed (mulberry32). */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
};

const PIECES = [
  "\0",
  "\r",
  "\t",
  "\uFEFF",
  "---\n",
  "\n---\n",
  ": ",
  "- ",
  "? ",
  "[",
  "]",
  "{",
  "}",
  "&a ",
  "*a ",
  "!!binary ",
  "!x ",
  "|",
  ">",
  "#",
  "'",
  '"',
  "%",
  "@",
  "`",
  "null",
  "true",
  "~",
  "-1",
  "1e400",
  "NaN",
  "0x10",
  "__proto__: 1\n",
  "constructor: 1\n",
  "tools: *\n",
  "tools:\n",
  "name: ../../x\n",
  "<<: *a\n",
  "(",
  ")",
  "Agent(",
  "Bash(",
  "\u202E",
  "\u2028",
  "💥",
  "\uD800",
  "*".repeat(40),
  "../",
  "/etc/passwd",
  "permission: deny\n",
  "hooks: {PreToolUse: [{matcher: '.*'}]}\n",
  "x".repeat(3_000),
  "[".repeat(300),
];

const mutate = (bytes: Buffer, random: (below: number) => number, others: readonly Buffer[]): Buffer => {
  let text = Buffer.from(bytes);
  for (let round = 0; round <= random(4); round++) {
    const at = random(text.length + 1);
    const end = Math.min(text.length, at + random(40));
    const piece = Buffer.from(PIECES[random(PIECES.length)] ?? "");
    switch (random(7)) {
      case 0:
        text = Buffer.concat([text.subarray(0, at), piece, text.subarray(at)]);
        break;
      case 1:
        text = Buffer.concat([text.subarray(0, at), text.subarray(end)]);
        break;
      case 2:
        text = Buffer.concat([text.subarray(0, at), piece, text.subarray(end)]);
        break;
      case 3:
        text = Buffer.concat([text.subarray(0, end), text.subarray(at)]);
        break;
      case 4:
        text = Buffer.concat([text.subarray(0, at), Buffer.from([random(256)]), text.subarray(at + 1)]);
        break;
      case 5:
        text = Buffer.concat([
          text.subarray(0, at),
          others[random(others.length)]?.subarray(0, random(200)) ?? piece,
          text.subarray(at),
        ]);
        break;
      default:
        text = text.subarray(0, at);
    }
  }
  return text;
};

const GROUPS = [
  { fixture: "claude-code", to: "project/.claude/agents", extension: ".md" },
  { fixture: "opencode", to: "project/.opencode/agent", extension: ".md" },
  { fixture: "claude-code", to: "project/.retinue/agents", extension: ".md" },
  { fixture: "skill-yaml/skills", to: "project/skills", extension: ".yaml" },
  { fixture: "skills/release-checklist", to: "project/skills", extension: "/SKILL.md" },
  { fixture: "agent-roles", to: "project", extension: ".json" },
] as const;

const FILES_A_LOAD = 50;

describe("loadAgents", () => {
  let folders: AgentFolders;
  let sources: readonly (readonly Buffer[])[];

  beforeAll(async () => {
    folders = await createAgentFolders();
    sources = await Promise.all(
      GROUPS.map(async ({ fixture }) => {
        const folder = path.join(FIXTURES, fixture);
        const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
        return Promise.all(files.map(({ name }) => readFile(path.join(folder, name))));
      }),
    );
  });

  afterAll(() => folders.dispose());

  const expectAgents = async (loads: number): Promise<void> => {
    const random = createRandom(20_261_116);
    let mutations = 0;
    let loadedOthers = 0;
    for (let load = 0; load < loads; load++) {
      await rm(folders.projectDir, { recursive: true, force: true });
      await folders.copy("agent-roles/prompts", "project/prompts");
      for (let index = 0; index < FILES_A_LOAD; index++) {
        // A project has one file of roles; of the others there may be many.
        const group = index === 0 ? GROUPS.length - 1 : random(GROUPS.length - 1);
        const { to, extension } = GROUPS[group] ?? GROUPS[0];
        const originals = sources[group] ?? [];
        const original = originals[random(originals.length)] ?? Buffer.alloc(0);
        const name = extension === ".json" ? "appsettings.json" : `f${index}${extension}`;
        await folders.write(`${to}/${name}`, mutate(original, random, originals));
        mutations++;
      }
      const loaded = await folders.load();
      const others = [...loaded.agents].filter(([name]) => loaded.sources.get(name)?.origin === "project");
      loadedOthers += others.length;
      for (const [name, agent] of others) {
        const { prompt, ...frontMatter } = agent;
        expect(agent.name).toBe(name);
        expect(agentFrontMatterSchema.parse(frontMatter)).toEqual(frontMatter);
        expect(prompt.trim()).not.toBe("");
        expect(agent.delegates.every((delegate) => /^[a-z][a-z0-9-]{0,63}$/.test(delegate))).toBe(true);
      }
      expect(loaded.problems.filter(({ line, message }) => line < 1 || message === "")).toEqual([]);
      formatReport(checkAgents(loaded, { toolNames: ["read"] }));
    }
    expect(mutations).toBe(loads * FILES_A_LOAD);
    // Otherwise nothing but refusals was tried.
    expect(loadedOthers).toBeGreaterThan(loads * 3);
  };

  test("never throws for 250 mutations of the fixtures, and gives only agents that are ones", () => expectAgents(5));
  test("never throws for 2,000 mutations of the fixtures, and gives only agents that are ones", { tags: ["long"] }, () =>
    expectAgents(40),
  );
});
