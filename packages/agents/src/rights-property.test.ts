/**
 * Files of every dialect, made by chance, against an oracle that reads what they mean and was written apart from the readers: whatever the file, no call
 * that it forbids is allowed, and none that it wants asked about passes unasked.
 */
import type { Grant, RuleEffect } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { RuledCall } from "@retinue/runtime";
import { isInScope, judgeRules, narrow, reachesHost, TOOL_NAMES } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readAgentRoles } from "./dialects/agent-roles.ts";
import { readClaudeCodeAgent } from "./dialects/claude-code-agent.ts";
import type { ReadAgent, ReadContext } from "./dialects/dialect.ts";
import { readSafely } from "./dialects/dialect.ts";
import { readOpencodeAgent } from "./dialects/opencode-agent.ts";
import { readRetinueAgent } from "./dialects/retinue-agent.ts";
import { readSkillYamlAgent } from "./dialects/skill-yaml-agent.ts";
import type { Random } from "./testing/random.ts";
import { createRandom } from "./testing/random.ts";

/** A call as the oracles see it; the parts of a command line are given, so that no oracle has to take one apart. */
type Call =
  | { readonly type: "path"; readonly tool: "read" | "edit" | "write"; readonly path: string }
  | { readonly type: "command"; readonly parts: readonly string[] }
  | { readonly type: "fetch"; readonly host: string; readonly url: string }
  | { readonly type: "plain"; readonly tool: "github.push" | "web_search" | "todo" };

const PATHS = [
  "a.txt",
  "README.md",
  "docs/a.md",
  "docs/private/k.md",
  "src/a.ts",
  "src/gen/b.ts",
  "deep/src/c.ts",
  "x/docs/a.md",
];
const COMMANDS = ["ls", "git log", "git push origin", "git push", "rm -rf x", "npm test", "npm run build", "make", "gitx"];

const CALLS: readonly Call[] = [
  ...PATHS.flatMap((path) => (["read", "edit", "write"] as const).map((tool): Call => ({ type: "path", tool, path }))),
  ...COMMANDS.map((command): Call => ({ type: "command", parts: [command] })),
  { type: "command", parts: ["git log", "rm -rf x"] },
  { type: "command", parts: ["npm test", "git push"] },
  ...["example.com", "api.example.com", "evil.com"].map((host): Call => ({ type: "fetch", host, url: `https://${host}/x` })),
  { type: "plain", tool: "github.push" },
  { type: "plain", tool: "web_search" },
  { type: "plain", tool: "todo" },
];

const EFFECTS: readonly RuleEffect[] = ["allow", "ask", "deny"];
const strictest = (all: readonly RuleEffect[]): RuleEffect =>
  EFFECTS[Math.max(0, ...all.map((one) => EFFECTS.indexOf(one)))] ?? "allow";

const toolOf = (call: Call): string => (call.type === "command" ? "shell" : call.type === "fetch" ? "web_fetch" : call.tool);

const ALL: Grant = { tools: [...TOOL_NAMES, "github.push"], writes: [], hosts: [], approve: "all", maxDepth: 3 };

/** What the agent may really do, by what a run would be given and judged by. */
const verdictOf = ({ tools, grant }: ReturnType<typeof narrow>, call: Call): RuleEffect => {
  const tool = toolOf(call);
  if (!tools.includes(tool)) return "deny";
  if (call.type === "path" && call.tool !== "read" && !isInScope(grant.writes, call.path)) return "deny";
  if (call.type === "fetch" && !grant.hosts.every((list) => list.some((host) => reachesHost(host, call.host)))) return "deny";
  return judgeRules(grant.rules, toRuledCall(call)).effect;
};

const toRuledCall = (call: Call): RuledCall => {
  switch (call.type) {
    case "path":
      return { tool: call.tool, paths: [call.path] };
    case "command":
      return { tool: "shell", command: call.parts.join(" && ") };
    case "fetch":
      return { tool: "web_fetch", texts: [call.url], hosts: [call.host] };
    case "plain":
      return { tool: call.tool, ...(call.tool === "web_search" ? { texts: ["x"] } : {}) };
    default:
      return call satisfies never;
  }
};

/** `*` is any text; a star at the end behind a blank may be nothing. */
const wildcard = (pattern: string, text: string): boolean => {
  const escaped = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${escaped.endsWith(" .*") ? `${escaped.slice(0, -3)}( .*)?` : escaped}$`, "s").test(text);
};

type Made = { readonly text: string; readonly allows: (call: Call) => RuleEffect; readonly delegates: (name: string) => boolean };

type Dialect = {
  readonly name: string;
  readonly make: (random: Random) => Made;
  readonly read: (text: string, context: ReadContext) => ReadAgent | Promise<ReadAgent>;
  /** Fields that say what it may do. */
  readonly rights: readonly string[];
};

const front = (fields: object, body = "Work."): string =>
  `---\n${stringify({ name: "a", description: "d", ...fields })}---\n${body}\n`;

// Claude Code

type Entry = { readonly tool: string; readonly rule?: string };

const CLAUDE_ENTRIES: readonly Entry[] = [
  ...["Read", "Edit", "Write", "Bash", "WebFetch", "WebSearch", "mcp__github__push", "mcp__github", "TodoWrite"].map((tool) => ({
    tool,
  })),
  ...["git log:*", "git:*", "git push:*", "npm *", "rm:*", "ls", "npm run build"].map((rule) => ({ tool: "Bash", rule })),
  ...["docs/**", "/src/**", "*.md", "src", "docs/private/**", "./a.txt"].flatMap((rule) =>
    ["Edit", "Write", "Read"].map((tool) => ({ tool, rule })),
  ),
  { tool: "WebFetch", rule: "domain:example.com" },
];

/** As gitignore reads it, for the few forms that are made here. */
const gitignored = (rule: string, path: string): boolean => {
  const folders = path.split("/");
  switch (rule) {
    case "docs/**":
      return path.startsWith("docs/");
    case "/src/**":
      return path.startsWith("src/");
    case "docs/private/**":
      return path.startsWith("docs/private/");
    case "*.md":
      return folders.some((name) => name.endsWith(".md"));
    case "src":
      return folders.includes("src");
    case "./a.txt":
      return path === "a.txt";
    default:
      throw new Error(rule);
  }
};

const claudeTools: Readonly<Record<string, string>> = {
  Read: "read",
  Edit: "edit",
  Write: "write",
  Bash: "shell",
  WebFetch: "web_fetch",
  WebSearch: "web_search",
  mcp__github__push: "github.push",
  mcp__github: "github.push",
  TodoWrite: "todo",
};

const isOf = ({ tool, rule }: Entry, call: Call, part: string | undefined, isDenial: boolean): boolean => {
  const ours = claudeTools[tool];
  // A rule for edits is about all that writes.
  const isEdit =
    isDenial && rule !== undefined && (tool === "Edit" || tool === "Write") && ["edit", "write"].includes(toolOf(call));
  if (!isEdit && ours !== toolOf(call)) return false;
  if (rule === undefined) return true;
  if (call.type === "path") return gitignored(rule, call.path);
  if (call.type === "fetch") return rule === `domain:${call.host}`;
  return part !== undefined && wildcard(rule.replace(/:\*$/, " *"), part);
};

const claude: Dialect = {
  name: "Claude Code",
  rights: ["tools", "disallowedTools", "permissionMode"],
  read: readClaudeCodeAgent,
  make: (random) => {
    const tools = random.below(3) === 0 ? undefined : random.some(CLAUDE_ENTRIES, 6);
    const denied = random.some(CLAUDE_ENTRIES, 3);
    const agents = random.below(2) === 0 ? undefined : random.some(["helper", "other"], 2);
    const isPlan = random.below(8) === 0;
    const write = ({ tool, rule }: Entry): string => (rule === undefined ? tool : `${tool}(${rule})`);
    const listed = tools && [
      ...tools.map(write),
      ...(agents === undefined ? [] : [agents.length === 0 ? "Agent" : `Agent(${agents.join(", ")})`]),
    ];
    const list = (items: readonly string[]): unknown => (random.below(2) === 0 ? items.join(", ") : [...items]);
    return {
      text: front({
        ...(listed === undefined ? {} : { tools: list(listed) }),
        ...(denied.length === 0 ? {} : { disallowedTools: list(denied.map(write)) }),
        ...(isPlan ? { permissionMode: "plan" } : {}),
      }),
      allows: (call) => {
        const parts = call.type === "command" ? call.parts : [undefined];
        const isDenied = parts.some((part) => denied.some((entry) => isOf(entry, call, part, true)));
        const isListed = parts.every((part) => tools === undefined || tools.some((entry) => isOf(entry, call, part, false)));
        const isHeld =
          isPlan && !(call.type === "path" && call.tool === "read") && !(call.type === "plain" && call.tool === "todo");
        return isDenied || !isListed || isHeld ? "deny" : "allow";
      },
      delegates: (name) => tools !== undefined && agents !== undefined && (agents.length === 0 || agents.includes(name)),
    };
  },
};

// opencode

type OpencodeRule = { readonly permission: string; readonly pattern: string; readonly action: RuleEffect };

const OPENCODE_PATTERNS: Readonly<Record<string, readonly string[]>> = {
  edit: ["*", "docs/*", "*.md", "src/*", "docs/private/*", "a.txt"],
  read: ["*", "src/*", "*.md"],
  bash: ["*", "git *", "git push *", "rm *", "npm test", "npm *"],
  webfetch: ["*", "https://example.com/*", "https://evil.com/*"],
  task: ["*", "helper", "other"],
};

const permissionOf = (call: Call): string => {
  if (call.type === "command") return "bash";
  if (call.type === "fetch") return "webfetch";
  if (call.type === "path") return call.tool === "read" ? "read" : "edit";
  return { "github.push": "github_push", web_search: "websearch", todo: "todowrite" }[call.tool];
};

const subjectsOf = (call: Call): readonly string[] => {
  if (call.type === "command") return call.parts;
  if (call.type === "fetch") return [call.url];
  return call.type === "path" ? [call.path] : ["x"];
};

const opencode: Dialect = {
  name: "opencode",
  rights: ["permission", "permissions", "tools"],
  read: readOpencodeAgent,
  make: (random) => {
    const rules = Array.from({ length: random.below(6) }, (): OpencodeRule => {
      const permission = random.pick([
        "*",
        "edit",
        "edit",
        "bash",
        "bash",
        "read",
        "webfetch",
        "task",
        "github_push",
        "github_*",
        "todowrite",
      ]);
      return { permission, pattern: random.pick(OPENCODE_PATTERNS[permission] ?? ["*"]), action: random.pick(EFFECTS) };
    });
    const isPrimary = random.below(2) === 0;
    const isList = random.below(2) === 0;
    const map = new Map<string, Map<string, RuleEffect>>();
    for (const { permission, pattern, action } of rules) {
      const inner = map.get(permission) ?? new Map<string, RuleEffect>();
      inner.delete(pattern);
      map.set(permission, inner.set(pattern, action));
    }
    // As a map, what stands under one name stands together.
    const counted = isList
      ? rules
      : [...map].flatMap(([permission, inner]) => [...inner].map(([pattern, action]) => ({ permission, pattern, action })));
    const actionOf = (permission: string, subject: string, otherwise: RuleEffect): RuleEffect =>
      counted.findLast((rule) => wildcard(rule.permission, permission) && wildcard(rule.pattern, subject))?.action ?? otherwise;
    return {
      text: front({
        mode: isPrimary ? "primary" : "subagent",
        ...(isList
          ? {
              permissions: rules.map(({ permission, pattern, action }) => ({
                action: permission,
                resource: pattern,
                effect: action,
              })),
            }
          : { permission: Object.fromEntries([...map].map(([permission, inner]) => [permission, Object.fromEntries(inner)])) }),
      }),
      allows: (call) => strictest(subjectsOf(call).map((subject) => actionOf(permissionOf(call), subject, "allow"))),
      delegates: (name) => actionOf("task", name, isPrimary ? "allow" : "deny") === "allow",
    };
  },
};

// Our own

const own: Dialect = {
  name: "our own",
  rights: ["tools", "deniedTools", "writes", "hosts", "rules", "delegates"],
  read: readRetinueAgent,
  make: (random) => {
    const names = ["read", "edit", "write", "shell", "web_*", "github.push", "todo", "*", "re?d"];
    const tools = random.below(3) === 0 ? undefined : random.some(names, 5);
    const deniedTools = random.some(names.slice(0, 7), 2);
    const writes = random.below(2) === 0 ? undefined : random.some(["docs/**", "src/**", "a.txt"], 2);
    const hosts = random.below(2) === 0 ? undefined : random.some(["example.com", "*.example.com"], 2);
    const delegates = random.some(["helper", "other"], 2);
    const rules = Array.from({ length: random.below(5) }, () => {
      const effect = random.pick(EFFECTS);
      return random.pick([
        { tools: ["shell"], like: random.pick(["git *", "git push *", "rm *", "npm *"]), effect },
        { tools: ["edit", "write"], path: random.pick(["docs/**", "src/gen/**"]), effect },
        { tools: [random.pick(["shell", "edit", "*"])], effect },
        { tools: ["web_fetch"], host: "example.com", effect },
      ]);
    });
    const isAbout = (rule: (typeof rules)[number], call: Call, subject: string): boolean => {
      if (!rule.tools.some((glob) => wildcard(glob, toolOf(call)))) return false;
      if ("like" in rule) return wildcard(rule.like, subject);
      if ("path" in rule) return call.type === "path" && call.path.startsWith(rule.path.slice(0, -2));
      return !("host" in rule) || (call.type === "fetch" && /(?:^|\.)example\.com$/.test(call.host));
    };
    return {
      text: front({
        ...(tools === undefined ? {} : { tools }),
        ...(deniedTools.length === 0 ? {} : { deniedTools }),
        ...(writes === undefined ? {} : { writes }),
        ...(hosts === undefined ? {} : { hosts }),
        ...(rules.length === 0 ? {} : { rules }),
        delegates,
      }),
      allows: (call) => {
        const tool = toolOf(call);
        if (!(tools ?? ["*"]).some((glob) => wildcard(glob, tool)) || deniedTools.some((glob) => wildcard(glob, tool)))
          return "deny";
        if (
          call.type === "path" &&
          call.tool !== "read" &&
          writes &&
          !writes.some((glob) => wildcard(glob.replace("**", "*"), call.path))
        )
          return "deny";
        const isBelow = call.type === "fetch" && call.host === "api.example.com";
        if (call.type === "fetch" && hosts && !hosts.some((host) => isBelow || (host === "example.com" && call.host === host)))
          return "deny";
        return strictest(
          subjectsOf(call).map((subject) => rules.findLast((rule) => isAbout(rule, call, subject))?.effect ?? "allow"),
        );
      },
      delegates: (name) => delegates.includes(name),
    };
  },
};

// Skills as YAML

const skillYaml: Dialect = {
  name: "skills as YAML",
  rights: ["tools", "sub_agents"],
  read: readSkillYamlAgent,
  make: (random) => {
    const names: Readonly<Record<string, string>> = {
      read_file: "read",
      write_file: "write",
      run_command: "shell",
      web_fetch: "web_fetch",
      delegate_to_agent: "",
    };
    const tools = random.some(Object.keys(names), 4);
    const agents = random.some(["helper", "other"], 2);
    return {
      text: stringify({ name: "a", description: "d", system_prompt: "Work.", max_iterations: 5, tools, sub_agents: agents }),
      allows: (call) => (tools.some((name) => names[name] === toolOf(call)) ? "allow" : "deny"),
      delegates: (name) => tools.includes("delegate_to_agent") && agents.includes(name),
    };
  },
};

// Roles as JSON

const roles: Dialect = {
  name: "roles as JSON",
  rights: ["CanDelegate", "AllowedDelegations"],
  read: async (text, { note }) => {
    const read = await readAgentRoles(text, {
      note,
      modelNames: new Set(),
      readPromptFile: async () => "Work.",
      findBuiltin: () => undefined,
    });
    const draft = read?.drafts.find(({ definition }) => definition.name === "a");
    return draft ? { type: "agent", draft } : { type: "broken" };
  },
  make: (random) => {
    const can = random.below(3) === 0 ? undefined : random.below(2) === 0;
    const agents = random.below(2) === 0 ? undefined : random.some(["helper", "other"], 2);
    const role = {
      RoleId: "a",
      SystemPromptFile: "a.md",
      ...(can === undefined ? {} : { CanDelegate: can }),
      ...(agents === undefined ? {} : { AllowedDelegations: agents }),
    };
    const others = ["helper", "other"].map((RoleId) => ({ RoleId, SystemPromptFile: "b.md" }));
    return {
      text: JSON.stringify({ AgentRoles: { Roles: [role, ...others] } }),
      allows: () => "allow",
      delegates: (name) => can === true && (agents === undefined || agents.includes(name)),
    };
  },
};

/** With one letter of a field's name doubled, left out or swapped with the next. */
const misspell = (text: string, field: string, random: Random): string => {
  const at = 1 + random.below(Math.max(1, field.length - 2));
  const wrong = random.pick([
    field.slice(0, at) + field.slice(at + 1),
    field.slice(0, at) + (field[at] ?? "") + field.slice(at),
    field.slice(0, at) + (field[at + 1] ?? "") + (field[at] ?? "") + field.slice(at + 2),
  ]);
  return text.replace(new RegExp(`(^|")${field}(?="?:)`, "m"), `$1${wrong}`);
};

describe("the rights of an agent are never wider than its file says", () => {
  const DIALECTS = [claude, opencode, own, skillYaml, roles].map((dialect) => [dialect.name, dialect] as const);

  const neverWider =
    (rounds: number) =>
    async (_: string, { make, read, rights }: Dialect): Promise<void> => {
      const random = createRandom(20_261_117);
      const wider: string[] = [];
      const seen = { loaded: 0, same: 0, narrower: 0, leftOut: 0, misspelt: 0 };
      for (let round = 0; round < rounds; round++) {
        const { text, allows, delegates } = make(random);
        const isMisspelt = round % 3 === 0;
        const field = random.pick(rights);
        const written = isMisspelt ? misspell(text, field, random) : text;
        const outcome = await readOutcome(written, read);
        if (written !== text) seen.misspelt++;
        if (outcome.type !== "agent") {
          seen.leftOut++;
          continue;
        }
        seen.loaded++;
        const { definition } = outcome.draft;
        const given = narrow(ALL, definition);
        for (const call of CALLS) {
          const [ours, theirs] = [verdictOf(given, call), allows(call)];
          if (EFFECTS.indexOf(ours) < EFFECTS.indexOf(theirs))
            wider.push(`${JSON.stringify(call)} is ${ours}, not ${theirs}, by\n${written}`);
          seen[ours === theirs ? "same" : "narrower"]++;
        }
        for (const name of ["helper", "other"])
          if (startable(definition, name) && !delegates(name)) wider.push(`it may start ${name} by\n${written}`);
      }
      expect(wider.slice(0, 2)).toEqual([]);
      // Otherwise nothing but refusals was tried.
      expect(seen.loaded).toBeGreaterThan(rounds / 2);
      expect(seen.narrower / seen.same).toBeLessThan(0.1);
      expect(seen.misspelt).toBeGreaterThan(0);
    };

  test.each(DIALECTS)("in %s, as written and with a field misspelt, in 60 files", neverWider(60));

  test.each(DIALECTS)("in %s, as written and with a field misspelt", { tags: ["long"], timeout: 120_000 }, neverWider(300));
});

/** What has an error is not used, as in every load. */
const readOutcome = async (text: string, read: Dialect["read"]): Promise<ReadAgent> => {
  let errors = 0;
  const context: ReadContext = {
    fallbackName: "a",
    modelNames: new Set(),
    note: (severity) => void (errors += severity === "error" ? 1 : 0),
  };
  let outcome: ReadAgent = { type: "broken" };
  const promised = read(text, context);
  outcome = promised instanceof Promise ? await promised : readSafely(context, () => promised);
  return errors > 0 ? { type: "broken" } : outcome;
};

/** The last pattern that is about a name decides. */
const startable = ({ delegates }: AgentDefinition, name: string): boolean => {
  const last = delegates.findLast((pattern) => wildcard(pattern.replace(/^!/, ""), name));
  return last !== undefined && !last.startsWith("!");
};
