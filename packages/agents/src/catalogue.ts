/** Collects agents and skills in the order they are found, and makes of them what a session runs on. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { isAgentName } from "./agent-name.ts";
import { toAliases } from "./aliases.ts";
import { resolveDelegates } from "./delegates.ts";
import type { AgentDraft, Dialect, FieldLines, ReadAgent } from "./dialects/dialect.ts";
import { lineFor } from "./dialects/dialect.ts";
import { isNoWider } from "./narrower-agent.ts";
import type { Origin } from "./places.ts";
import type { Note, Problem, Severity } from "./problem.ts";
import { createNotes } from "./problem.ts";
import type { SkillEntry } from "./skill-file.ts";

export type AgentSource = {
  readonly origin: Origin;
  readonly dialect: Dialect;
  readonly file: string;
  readonly lines: FieldLines;
  /** Files whose agent of this name it takes the place of. */
  readonly replaces: readonly string[];
};

/** What a file of the project would do that needs the user's trust: have a command run, or put its agent in the place of another. */
export type TrustWish = {
  readonly agent: string;
  readonly file: string;
  readonly line: number;
} & (
  | { readonly type: "command"; readonly command: string }
  /** `definition` is absent where the file only takes the other agent away. */
  | { readonly type: "replace"; readonly of: "built-in" | "user"; readonly definition?: AgentDefinition }
);

export type LoadedAgents = {
  /** By name, ready to run and frozen. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly sources: ReadonlyMap<string, AgentSource>;
  /** Other names, each with the name it stands for. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly skills: ReadonlyMap<string, SkillEntry>;
  /** The depth that the project's roles ask for; the session's own holds where it is smaller. */
  readonly maxDepth?: number;
  /** Agents of one owner that have the same name, and which of them is used. */
  readonly clashes: readonly Problem[];
  /** Files of prompts that other files name, absolute. */
  readonly promptFiles: readonly string[];
  readonly problems: readonly Problem[];
  /** Of agents of the project that were not loaded for them. */
  readonly refused: readonly TrustWish[];
  /** All of it with one agent more, which code gives: whom each agent may start is worked out anew. */
  readonly register: (definition: AgentDefinition) => LoadedAgents;
};

/** Where agents and skills come from that no file defines. */
export const IN_CODE = "(code)";

type Found = { readonly draft: AgentDraft; readonly source: AgentSource };

type Replacing = {
  readonly name: string;
  readonly definition?: AgentDefinition;
  readonly file: string;
  readonly line: number;
  readonly origin: Origin;
  readonly note: Note;
};

export type Adding = { readonly origin: Origin; readonly dialect: Dialect; readonly file: string; readonly note: Note };

export type Catalogue = {
  readonly add: (read: ReadAgent, adding: Adding) => void;
  readonly addSkill: (skill: SkillEntry, note: Note) => void;
  readonly addProblems: (problems: readonly Problem[]) => void;
  /** Of several the smallest holds. */
  readonly limitDepth: (maxDepth: number) => void;
  readonly addPromptFile: (file: string) => void;
  readonly finish: () => LoadedAgents;
};

/** `isTrusted`: whether the project may do this. */
export const createCatalogue = (isTrusted: (wish: TrustWish) => boolean): Catalogue => {
  const found = new Map<string, Found>();
  const skills = new Map<string, SkillEntry>();
  const problems: Problem[] = [];
  const refused: TrustWish[] = [];
  const promptFiles = new Set<string>();
  const clashes: Problem[] = [];

  /** Of two agents of one owner the narrower has the name; where neither is, both are kept, each with a name of its own. Undefined: it is left out. */
  const settleClash = (draft: AgentDraft, { origin, dialect, file, note }: Adding): AgentDraft | undefined => {
    const { definition, lines } = draft;
    const { name } = definition;
    const earlier = found.get(name);
    if (!earlier || earlier.source.origin !== origin || origin === "built-in") return draft;
    const line = lineFor(lines, "name");
    const say = (message: string): void => {
      note("warning", line, message);
      clashes.push({ file, line, severity: "warning", message });
    };
    const from = earlier.source.file;
    if (isNoWider(definition, earlier.draft.definition)) {
      say(`it takes the place of the agent "${name}" of ${from}, which may do as much or more`);
      return draft;
    }
    if (isNoWider(earlier.draft.definition, definition)) {
      say(`the agent "${name}" of ${from} may do less and is used; this one is left out`);
      return undefined;
    }
    const apart = [`${name}-${dialect}`, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${name}-${dialect}-${number}`)];
    const free = apart.find((one) => isAgentName(one) && !found.has(one));
    if (free === undefined) {
      say(`there is an agent "${name}" in ${from} already; this one is left out`);
      return undefined;
    }
    say(`there is an agent "${name}" with other rights in ${from}; this one is "${free}"`);
    return { ...draft, definition: { ...definition, name: free } };
  };
  let maxDepth: number | undefined;

  /** A project takes the place of its own agents, and of others once that is trusted. */
  const mayReplace = (replacing: Replacing): boolean => {
    const { name, definition, file, line, origin, note } = replacing;
    const of = found.get(name)?.source.origin;
    if (of === undefined || of === "project" || origin !== "project") return true;
    const wish = { type: "replace", agent: name, file, line, of, ...(definition === undefined ? {} : { definition }) } as const;
    if (isTrusted(wish)) return true;
    refused.push(wish);
    const whose = of === "user" ? "the user's" : "the built-in";
    const would = definition === undefined ? `take away ${whose} agent` : `take the place of ${whose} agent`;
    note("warning", line, `it would ${would} "${name}", for which the project must be trusted; it is left out`);
    return false;
  };

  const take = (read: AgentDraft, adding: Adding): void => {
    const { origin, dialect, file, note } = adding;
    const draft = settleClash(read, adding);
    if (!draft) return;
    const { definition, lines } = draft;
    const { name, accept } = definition;
    if (accept && "command" in accept && origin === "project") {
      const wish = { type: "command", agent: name, file, line: lineFor(lines, "accept"), command: accept.command } as const;
      if (!isTrusted(wish)) {
        refused.push(wish);
        note("error", wish.line, `"accept" has a command run, for which the project must be trusted`);
        return;
      }
    }
    const earlier = found.get(name)?.source;
    if (!mayReplace({ name, definition, file, line: lineFor(lines, "name"), origin, note })) return;
    if (earlier && earlier.origin !== origin)
      note("notice", lineFor(lines, "name"), `it takes the place of the agent "${name}" of ${earlier.file}`);
    // It moves to the end, where its aliases win.
    found.delete(name);
    found.set(name, {
      draft,
      source: { origin, dialect, file, lines, replaces: earlier ? [...earlier.replaces, earlier.file] : [] },
    });
  };

  const catalogue: Catalogue = {
    add: (read, adding) => {
      if (read.type === "agent") take(read.draft, adding);
      if (read.type !== "disabled") return;
      const earlier = found.get(read.name)?.source;
      const { origin, file, note } = adding;
      if (!mayReplace({ name: read.name, file, line: read.line, origin, note })) return;
      adding.note(
        "notice",
        read.line,
        earlier ? `it takes away the agent "${read.name}" of ${earlier.file}` : `the agent "${read.name}" is disabled`,
      );
      found.delete(read.name);
    },
    addSkill: (skill, note) => {
      const earlier = skills.get(skill.name);
      if (earlier?.origin === "user" && skill.origin === "project") {
        note("warning", 1, `the user has a skill "${skill.name}" in ${earlier.file}, which is kept; this one is left out`);
        return;
      }
      if (earlier) note("notice", 1, `it takes the place of the skill "${skill.name}" of ${earlier.file}`);
      skills.set(skill.name, Object.freeze(skill));
    },
    addProblems: (more) => void problems.push(...more),
    addPromptFile: (file) => void promptFiles.add(file),
    limitDepth: (depth) => void (maxDepth = Math.min(maxDepth ?? Infinity, depth)),
    finish: () => {
      const { agents, aliases, problems: ofNames } = resolveNames(found);
      return {
        agents,
        aliases,
        skills,
        sources: new Map([...found].map(([name, { source }]) => [name, source])),
        problems: [...problems, ...ofNames],
        refused,
        promptFiles: [...promptFiles],
        clashes,
        ...(maxDepth === undefined ? {} : { maxDepth }),
        register: (definition) => {
          // Whoever registers it again means to replace it.
          found.delete(definition.name);
          catalogue.add(
            { type: "agent", draft: { definition, lines: new Map() } },
            { origin: "user", dialect: "retinue", file: IN_CODE, note: createNotes(IN_CODE).note },
          );
          return catalogue.finish();
        },
      };
    },
  };
  return catalogue;
};

/** Only when all agents are known is it known whom each may start. */
const resolveNames = (found: ReadonlyMap<string, Found>): Pick<LoadedAgents, "agents" | "aliases" | "problems"> => {
  const problems: Problem[] = [];
  const note = (name: string, severity: Severity, at: readonly [field: string, value: string], message: string): void => {
    const source = found.get(name)?.source;
    if (source) problems.push({ file: source.file, line: lineFor(source.lines, ...at), severity, message });
  };
  const definitions = new Map([...found].map(([name, { draft }]) => [name, draft.definition]));
  const { aliases, lost } = toAliases(definitions);
  for (const { agent, alias, to } of lost)
    note(
      agent,
      "notice",
      ["aliases", alias],
      `its alias "${alias}" means the agent "${to}" of ${found.get(to)?.source.file ?? ""}`,
    );
  const agents = new Map<string, AgentDefinition>();
  for (const [name, definition] of definitions) {
    const { names, unreachable } = resolveDelegates(name, definition.delegates, definitions, aliases);
    for (const delegate of unreachable)
      note(name, "warning", ["delegates", delegate], `it may not start "${delegate}", which no agent may reach`);
    agents.set(name, deepFreeze({ ...definition, delegates: [...names] }));
  }
  return { agents, aliases, problems };
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
};
