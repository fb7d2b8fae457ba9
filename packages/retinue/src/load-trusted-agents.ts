/**
 * The agents of a session. One of the project that has a command run to accept its results, or takes the place of an agent that is not the
 * project's, is loaded once the user has trusted just that; until then it is told as something that the project asks for.
 */
import path from "node:path";
import type {
  ClaudeHook,
  ClaudeSettings,
  ForeignSettingsFile,
  TrustWish,
  LoadedAgents,
  LoadOptions,
  RuleSurroundings,
  SkillEntry,
} from "@retinue/agents";
import { loadAgents, loadForeignSettings, toSessionRules } from "@retinue/agents";
import type { RuleSet } from "@retinue/protocol";
import { matchesAny } from "@retinue/protocol/names";
import type { TrustClaim, TrustStore } from "@retinue/confine/trust";
import { digestCommandFiles, digestOf } from "@retinue/confine/trust";
import { spellOut } from "./hooks/spell-out.ts";

export type TrustedAgents = {
  readonly loaded: LoadedAgents;
  /** The permissions of other worlds' settings. */
  readonly permissions: SessionPermissions;
  /** What skills spare questions about while they are loaded, by name: the user's own, and of the project those that the user trusts. */
  readonly skillRules: ReadonlyMap<string, RuleSet>;
  readonly untrusted: readonly TrustClaim[];
  /** Errors of files, but for those that a yes would mend, and agents that have the same name. */
  readonly problems: readonly string[];
};

/** What settings of other worlds say of every agent's calls. */
export type SessionPermissions = {
  readonly files: ClaudeSettings["files"];
  readonly rules: readonly RuleSet[];
  /** Spare questions, and nothing else. */
  readonly preapproved: readonly RuleSet[];
  /** Those of the user, and of the project once it is trusted. */
  readonly hooks: readonly ClaudeHook[];
  /** The files that they are from. */
  readonly hookFiles: readonly string[];
};

/** `projectDir` is real, as is `folder`, the one that is worked in. */
export const loadTrustedAgents = async (
  options: LoadOptions & Pick<RuleSurroundings, "env"> & { readonly projectDir: string; readonly folder?: string },
  trust: Pick<TrustStore, "isTrusted">,
): Promise<TrustedAgents> => {
  const claimOf = (wish: TrustWish): Promise<TrustClaim> => toAgentClaim(wish, options.projectDir);
  let loaded = await loadAgents(options);
  const trusted = new Set<string>();
  for (const wish of loaded.refused) if (await trust.isTrusted(await claimOf(wish))) trusted.add(keyOf(wish));
  if (trusted.size > 0) loaded = await loadAgents({ ...options, trusted: (wish) => trusted.has(keyOf(wish)) });
  const isWish = ({ file, line }: { readonly file: string; readonly line: number }): boolean =>
    loaded.refused.some((wish) => wish.file === file && wish.line === line);
  const settings = await loadForeignSettings(options);
  const wishes = settings.files.filter(({ origin, allowed }) => origin === "project" && allowed.length > 0);
  const claims = new Map(wishes.map((file) => [file, toSettingsClaim(file, options.projectDir)]));
  const granted = new Set<ForeignSettingsFile>();
  for (const [file, claim] of claims) if (await trust.isTrusted(claim)) granted.add(file);
  const base = baseFrom(options.projectDir, options.folder);
  const ofHooks = await trustHooks(settings.files, options.projectDir, trust);
  const ofSkills = await trustSkills([...loaded.skills.values()], { project: options.projectDir, base, trust });
  const denied = settings.files.flatMap(({ deniedAgents }) => deniedAgents);
  return {
    skillRules: ofSkills.rules,
    loaded: withoutAgents({ ...loaded, problems: [...loaded.problems, ...settings.problems] }, denied),
    permissions: {
      files: settings.files,
      ...toSessionRules(
        settings,
        (file) => granted.has(file),
        ({ folder }) => (folder === undefined ? base : baseFrom(folder, options.folder)),
      ),
      hooks: ofHooks.files.flatMap(({ hooks }) => hooks),
      hookFiles: ofHooks.files.map(({ file }) => file),
    },
    untrusted: [
      ...(await Promise.all(loaded.refused.map(claimOf))),
      ...[...claims].flatMap(([file, claim]) => (granted.has(file) ? [] : [claim])),
      ...ofSkills.untrusted,
      ...ofHooks.untrusted,
    ],
    problems: [
      ...[...loaded.problems, ...settings.problems].filter((problem) => problem.severity === "error" && !isWish(problem)),
      ...loaded.clashes,
    ].map(({ file, line, message }) => `${file}:${line}: ${message}`),
  };
};

/** The folder that is worked in, seen from where rules begin. */
const baseFrom = (from: string, folder: string | undefined): string =>
  folder === undefined ? "" : path.relative(from, folder).split(path.sep).join("/");

/** The files whose hooks are run. Who wants no hooks has none; a project has this to say of its own alone. */
const trustHooks = async (
  all: readonly ForeignSettingsFile[],
  project: string,
  trust: Pick<TrustStore, "isTrusted">,
): Promise<{ readonly files: readonly ForeignSettingsFile[]; readonly untrusted: readonly TrustClaim[] }> => {
  const isDisabled = (origin: ForeignSettingsFile["origin"]): boolean =>
    all.some((file) => file.disablesHooks && (file.origin === "user" || origin === "project"));
  const files: ForeignSettingsFile[] = [];
  const untrusted: TrustClaim[] = [];
  for (const file of all) {
    if (file.hooks.length === 0 || isDisabled(file.origin)) continue;
    const claim = file.origin === "user" ? undefined : await toHooksClaim(file, project);
    if (claim && !(await trust.isTrusted(claim))) untrusted.push(claim);
    else files.push(file);
  }
  return { files, untrusted };
};

/** The commands are bound as they are written, with the files of the project that they run as they are. */
const toHooksClaim = async ({ file, hooks }: ForeignSettingsFile, project: string): Promise<TrustClaim> => {
  const relative = path.relative(project, file).split(path.sep).join("/");
  const files = await digestCommandFiles({ root: project, texts: hooks.map(({ command }) => spellOut(command)) });
  const names = Object.keys(files);
  const shown = hooks.map(({ event, matcher, command }) => `${event}${matcher === undefined ? "" : ` (${matcher})`}: ${command}`);
  return {
    project,
    subject: `hooks:${relative}`,
    hash: digestOf({ file: relative, hooks: hooks.map((hook) => ({ ...hook })), files }),
    shown: `runs these commands: ${shown.join("; ")}${names.length === 0 ? "" : ` with ${names.join(", ")} as they are now`}`,
  };
};

type SkillTrust = { readonly project: string; readonly base: string; readonly trust: Pick<TrustStore, "isTrusted"> };

const trustSkills = async (
  skills: readonly SkillEntry[],
  { project, base, trust }: SkillTrust,
): Promise<{ readonly rules: ReadonlyMap<string, RuleSet>; readonly untrusted: readonly TrustClaim[] }> => {
  const rules = new Map<string, RuleSet>();
  const untrusted: TrustClaim[] = [];
  for (const skill of skills) {
    const { name, file, origin, allowed = [] } = skill;
    if (allowed.length === 0) continue;
    const claim = origin === "user" ? undefined : await toSkillClaim(skill, project);
    if (claim && !(await trust.isTrusted(claim))) untrusted.push(claim);
    else rules.set(name, { from: file === "" ? `the skill ${name}` : file, rules: allowed, ...(base === "" ? {} : { base }) });
  }
  return { rules, untrusted };
};

/** The list is bound as it is written, with the files that its commands name as they are. */
const toSkillClaim = async ({ name, file, allowedTools = [] }: SkillEntry, project: string): Promise<TrustClaim> => {
  const relative = path.relative(project, file).split(path.sep).join("/");
  const files = await digestCommandFiles({ root: project, texts: allowedTools, isDeep: false, hasLists: false });
  const names = Object.keys(files);
  return {
    project,
    subject: `skill:${name} (${relative})`,
    hash: digestOf({ skill: name, file: relative, allow: [...allowedTools], ...(names.length === 0 ? {} : { files }) }),
    shown:
      `while it is loaded, has these calls not asked about: ${allowedTools.join(", ")}` +
      (names.length === 0 ? "" : ` with ${names.join(", ")} as they are now`),
  };
};

/** Nobody may start the agents that settings deny; a person may. */
const withoutAgents = (loaded: LoadedAgents, denied: readonly string[]): LoadedAgents => {
  if (denied.length === 0) return loaded;
  const agents = [...loaded.agents].map(([name, agent]) => {
    const delegates = agent.delegates.filter((other) => !matchesAny(denied, other));
    return [name, delegates.length === agent.delegates.length ? agent : { ...agent, delegates }] as const;
  });
  return { ...loaded, agents: new Map(agents), register: (definition) => withoutAgents(loaded.register(definition), denied) };
};

/** What is allowed is bound as it is written. */
const toSettingsClaim = ({ file, allowedAsWritten }: ForeignSettingsFile, project: string): TrustClaim => {
  const relative = path.relative(project, file).split(path.sep).join("/");
  return {
    project,
    subject: `permissions:${relative}`,
    hash: digestOf({ file: relative, allow: [...allowedAsWritten] }),
    shown: `has these calls not asked about: ${allowedAsWritten.join(", ")}`,
  };
};

const keyOf = (wish: TrustWish): string => JSON.stringify(wish);

const toAgentClaim = async (wish: TrustWish, project: string): Promise<TrustClaim> => {
  const relative = path.relative(project, wish.file).split(path.sep).join("/");
  const subject = `agent:${wish.agent} (${relative})`;
  return wish.type === "command"
    ? toCommandClaim(wish, { project, relative, subject })
    : toReplaceClaim(wish, { project, relative, subject });
};

type Wish<Type extends TrustWish["type"]> = Extract<TrustWish, { readonly type: Type }>;
type Place = { readonly project: string; readonly relative: string; readonly subject: string };

const toCommandClaim = async (
  { agent, command }: Wish<"command">,
  { project, relative, subject }: Place,
): Promise<TrustClaim> => {
  const files = await digestCommandFiles({ root: project, texts: [command] });
  const names = Object.keys(files);
  return {
    project,
    subject,
    hash: digestOf({ agent, file: relative, command, ...(names.length === 0 ? {} : { files }) }),
    shown: `runs this to accept what ${agent} hands in: ${command}${names.length === 0 ? "" : ` with ${names.join(", ")} as they are now`}`,
  };
};

/** The whole definition is bound: prompt, tools and limits, also where they come from files of their own. */
const toReplaceClaim = ({ agent, of, definition }: Wish<"replace">, { project, relative, subject }: Place): TrustClaim => {
  const whose = of === "user" ? "your own" : "the built-in";
  return {
    project,
    subject: `${subject} in place of ${of}`,
    hash: digestOf({ agent, file: relative, replaces: of, definition: JSON.stringify(definition ?? null) }),
    shown:
      definition === undefined
        ? `takes away ${whose} agent ${agent}`
        : `waits for trust; until then ${whose} agent ${agent} answers, whose place it takes: ${firstLine(definition.prompt)}`,
  };
};

const firstLine = (prompt: string): string => {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};
