/**
 * The one place where it is decided whether a tool call may run: from the tool's own declaration, the run's frozen grant and the real
 * paths it will touch. Nothing a model or a tool says changes the outcome, and a denial beats everything.
 */
import path from "node:path";
import type { ErrorValue, Json, ProposedAct, RuleSet, RunIdentity, RunSpec } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import { DELEGATE } from "../delegation/delegate-tool-name.ts";
import { FIND_AGENT } from "../delegation/find-agent-tool-name.ts";
import type { AskedAct } from "./approvals.ts";
import { differencesOf, isAskedAbout } from "./approvals.ts";
import { areAsRead, findPrograms, readIn } from "./find-programs.ts";
import { reachesHost } from "./host-pattern.ts";
import { createPathMatcher } from "./globs/path-globs.ts";
import type { Protection } from "./protected-paths.ts";
import type { RuledCall, RuleVerdict } from "./rules/judge-rules.ts";
import { isAllowedByRule, judgeRules } from "./rules/judge-rules.ts";
import { parseShellLine } from "./shell/parse-shell-line.ts";
import { BOUND, findUnportable, IMPORTED, mayHoldRoles, namesRoles, PRIVATE, protectionOf } from "./protected-paths.ts";
import { toSkillHead } from "./skill-head.ts";
import { classifyCommand, runsNothing, scriptsOf } from "./shell-command.ts";
import type { AnyTool, Touches } from "../loop/tool.ts";

export type Judgement =
  | { readonly type: "allow" }
  | { readonly type: "ask"; readonly act: ProposedAct }
  | { readonly type: "deny"; readonly error: ErrorValue };

export type Judged = {
  readonly callId: string;
  readonly tool: AnyTool;
  readonly input: unknown;
  readonly spec: RunSpec;
  /** Follows every link. */
  readonly realPath: (path: string) => Promise<string>;
  /** Who makes the call; absent for a call of our own. */
  readonly agent?: string;
  /** Which run makes it; absent for a call of our own. */
  readonly run?: RunIdentity;
  /** The skills that its run has loaded. */
  readonly loadedSkills?: () => readonly string[];
  /** The act that a human was asked about, and when: the act says what has changed since. */
  readonly asked?: AskedAct & { readonly askedAt: string };
};

export type JudgeOptions = {
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Files that trusted hooks, servers and checks run, absolute and real: no agent writes them. */
  readonly bound?: () => readonly string[];
  /** Whether instructions of the project import a file, absolute: a human is asked before an agent writes it. */
  readonly isImported?: (file: string) => Promise<boolean>;
  /** Whether a settings file that may define agents does, by its real path; without it every such file counts. */
  readonly holdsRoles?: (real: string) => Promise<boolean>;
  /** Whether a real path belongs to Retinue itself, seen from a workspace: nobody reads or writes it, whatever is set free by name. */
  readonly isPrivate?: (real: string, workspace: string) => boolean;
  /** A hash of a file's content; undefined for what is no file. With it an approval of a command holds for the scripts it runs as they are. */
  readonly digest?: (path: string) => Promise<string | undefined>;
  /** A hash of all files of a workspace. With it an approval of a command that could run any of them holds for all as they are. */
  readonly digestTree?: (workspace: string) => Promise<string>;
  /** Names the files of a workspace that changed since it had a hash, at a time. */
  readonly findTreeChanges?: (workspace: string, tree: string, since: string) => Promise<readonly string[] | undefined>;
  /** The text of a script; undefined for what is no file, or too long. With it a command that runs only plain scripts is bound to those alone. */
  readonly readScript?: (path: string) => Promise<string | undefined>;
  /** What stands against a sandbox for commands at this moment; undefined where they run in one. Asked only when a command is judged. */
  readonly sandboxObstacle?: () => Promise<SandboxObstacle | undefined>;
  /** The user has waived the sandbox where there is none. */
  readonly allowUnsandboxed?: boolean;
  /** Calls that these rules allow by name are not asked about. They lift nothing else: no denial, no protection, no rule that asks. */
  readonly preapproved?: readonly RuleSet[];
  /** The same, while a run has one of the skills that the user trusts to say so. */
  readonly skills?: PreapprovingSkills;
};

export type PreapprovingSkills = {
  /** By the skill's name. */
  readonly rules: ReadonlyMap<string, RuleSet>;
  /** The skills that stand in an agent's prompt. */
  readonly taughtTo: (agent: string) => readonly string[];
};

/** `isInstalled`: there should be a sandbox, and it does not work now. */
export type SandboxObstacle = { readonly reason: string; readonly isInstalled: boolean };

/** What a human is told besides the act itself. */
type Why = { readonly unsandboxed: string | undefined; readonly askedBy: string | undefined };

type Place = { readonly named: string; readonly real: string; readonly protection: Protection | undefined };

const ALLOW: Judgement = { type: "allow" };
/** Names of changed files that a question shows. */
const MOST_CHANGES = 20;
const UNRULED: RuleVerdict = { effect: "allow" };

export const createJudge = (options: JudgeOptions = {}) => {
  const {
    unprotected = [],
    bound = () => [],
    isImported = async () => false,
    isPrivate = () => false,
    holdsRoles = async () => true,
    digest,
    digestTree,
    findTreeChanges,
    readScript,
    sandboxObstacle,
    allowUnsandboxed = false,
    preapproved = [],
    skills,
  } = options;
  const isFree = createPathMatcher(unprotected, { anyCase: true });

  /** Where nothing is known of a sandbox there is none for programs that look into what others wrote. */
  const obstacleTo = async ({ withoutSandbox }: Touches): Promise<SandboxObstacle | undefined> => {
    if (sandboxObstacle) return sandboxObstacle();
    return withoutSandbox === undefined ? undefined : { reason: withoutSandbox, isInstalled: false };
  };

  /** How a path is protected by its name or by that of what it leads to. */
  const protectionAt = (workspace: string, named: string, real: string): Protection | undefined => {
    if (isPrivate(real, workspace)) return PRIVATE;
    for (const at of [path.resolve(workspace, named), real]) {
      const file = path.relative(workspace, at).split(path.sep).join("/");
      if (isFree(file)) continue;
      const protection = protectionOf(file);
      const isBound = protection?.write !== "deny" && bound().includes(at);
      if (protection || isBound) return isBound ? BOUND : protection;
    }
    return undefined;
  };

  /** A name that is protected by itself stays as it is. */
  const importedAt = async (workspace: string, named: string, real: string): Promise<Protection | undefined> => {
    for (const at of new Set([path.resolve(workspace, named), real]))
      if (!isFree(path.relative(workspace, at).split(path.sep).join("/")) && (await isImported(at))) return IMPORTED;
    return undefined;
  };

  /** Whether a file defines agents already, or may after this call. */
  const definesRoles = async (input: unknown, real: string): Promise<boolean> =>
    namesRoles(JSON.stringify(input) ?? "") || holdsRoles(real);

  /** Whether a command line does nothing but look at what this run may look at anyway. */
  const isHarmless = async (line: string, { spec, realPath }: Judged): Promise<boolean> => {
    const verdict = classifyCommand(line);
    if (verdict.type === "unknown") return false;
    // Settings of a repository name programs, which only a sandbox holds.
    if (verdict.usesGit && (!sandboxObstacle || (await sandboxObstacle()))) return false;
    for (const named of verdict.paths) {
      const real = await realPath(path.resolve(spec.workspace, named)).catch(() => undefined);
      if (real === undefined || !isInside(spec.workspace, real)) return false;
      if (protectionAt(spec.workspace, named, real)?.read === "deny") return false;
    }
    return true;
  };

  const isAllowedInWorkspace = async (judged: Judged, touches: Touches, places: readonly Place[]): Promise<boolean> => {
    switch (judged.tool.effect) {
      case "write":
        return (
          places.length > 0 && (touches.hosts ?? []).length === 0 && places.every(({ protection }) => protection === undefined)
        );
      case "execute":
        return touches.command !== undefined && (await isHarmless(touches.command, judged));
      case "network":
        return false;
      case "read":
        return true;
      default:
        return judged.tool.effect satisfies never;
    }
  };

  /** What an answer to a question about a command is bound to: the files that it runs, or all files where they cannot be told. */
  const toFiles = async (
    { command: line = "", decidedBy = [] }: Touches,
    workspace: string,
  ): Promise<Pick<ProposedAct, "scripts" | "tree">> => {
    const scripts: { path: string; digest: string }[] = [];
    const programs = runsNothing(line) ? [] : await findPrograms(line, { read: readIn(workspace, readScript) });
    const named = [...decidedBy, ...scriptsOf(line), ...(programs ?? []).map((program) => program.file)];
    for (const file of digest === undefined ? [] : new Set(named)) {
      const content = await digest?.(path.resolve(workspace, file));
      if (content !== undefined) scripts.push({ path: file, digest: content });
    }
    const areKnown =
      programs?.length === 0 || (programs && digest && (await areAsRead(programs, readIn(workspace, readScript)))) === true;
    const tree = areKnown ? undefined : await digestTree?.(workspace);
    return { ...(scripts.length === 0 ? {} : { scripts }), ...(tree === undefined ? {} : { tree }) };
  };

  const changesIn = async (act: ProposedAct, { asked, spec }: Judged): Promise<readonly string[] | undefined> => {
    if (asked === undefined || isAskedAbout(asked, act)) return undefined;
    const { tree } = asked.act;
    const files = tree === undefined || tree === act.tree ? [] : await findTreeChanges?.(spec.workspace, tree, asked.askedAt);
    const changed = [...new Set([...differencesOf(asked.act, act), ...(files ?? [])])].slice(0, MOST_CHANGES);
    return changed.length === 0 ? ["files of the workspace"] : changed;
  };

  const toAct = async (
    judged: Judged,
    touches: Touches,
    places: readonly Place[],
    { unsandboxed, askedBy }: Why,
  ): Promise<ProposedAct> => {
    const { callId, tool, input, spec } = judged;
    const guarded = places.filter(({ protection }) => protection !== undefined).map(({ named }) => named);
    const act: ProposedAct = {
      callId,
      tool: tool.name,
      effect: tool.effect,
      // The input was parsed from JSON, so that it is one.
      input: input as Json,
      paths: places.map(({ real }) => real),
      hosts: [...(touches.hosts ?? [])],
      ...(guarded.length === 0 ? {} : { protectedPaths: guarded }),
      ...(await toFiles(touches, spec.workspace)),
      ...(unsandboxed === undefined ? {} : { unsandboxed }),
      ...(askedBy === undefined ? {} : { askedBy }),
      ...(isGivenSecrets(touches) ? { secrets: [...(touches.secrets ?? [])] } : {}),
      ...(touches.question === undefined ? {} : { question: touches.question }),
    };
    const changed = await changesIn(act, judged);
    return changed === undefined ? act : { ...act, changed };
  };

  const toQuestion = async (...about: Parameters<typeof toAct>): Promise<Judgement> => {
    try {
      return { type: "ask", act: await toAct(...about) };
    } catch (thrown) {
      // An answer that cannot be bound to what it is about, for whatever reason, is not asked for.
      return { type: "deny", error: toErrorValue(thrown) };
    }
  };

  const judgeTouches = async (judged: Judged, touches: Touches): Promise<Judgement> => {
    const { tool, spec, realPath } = judged;
    const { grant, workspace } = spec;
    const places: Place[] = [];
    for (const named of touches.paths ?? []) {
      if (named.includes("\0")) return deny("path_outside_workspace", "A path may not contain a NUL character.");
      let real: string;
      try {
        real = await realPath(path.resolve(workspace, named));
      } catch (thrown) {
        if (!(thrown instanceof RetinueError)) throw thrown;
        // A name too long, a folder that may not be looked into: nothing can be said of where it leads.
        return { type: "deny", error: toErrorValue(thrown) };
      }
      if (!isInside(workspace, real))
        return deny("path_outside_workspace", `"${named}" is ${real}, which is outside the workspace ${workspace}.`);
      const relative = path.relative(workspace, real);
      const byName = protectionAt(workspace, named, real);
      const isPlain = byName?.write === "ask" && mayHoldRoles(relative) && !(await definesRoles(judged.input, real));
      const protection =
        (isPlain ? undefined : byName) ?? (tool.effect === "write" ? await importedAt(workspace, named, real) : undefined);
      if (protection?.read === "deny")
        return deny("path_protected", `"${named}" is ${protection.why}; agents neither read nor write it.`);
      if (tool.effect === "write") {
        if (!isInScope(grant.writes, relative))
          return deny(
            "path_outside_scope",
            `"${named}" is not among the paths that this agent may write: ${grant.writes.map((globs) => globs.join(", ")).join("; and ")}.`,
          );
        const oddness = findUnportable(path.sep === "\\" ? relative.replaceAll("\\", "/") : relative);
        if (oddness !== undefined) return deny("path_protected", `Nothing is written to ${JSON.stringify(named)}: ${oddness}.`);
        if (protection?.write === "deny")
          return deny("path_protected", `"${named}" is ${protection.why}; agents do not write it.`);
      }
      places.push({ named, real, protection: tool.effect === "write" ? protection : undefined });
    }
    for (const host of touches.hosts ?? [])
      if (!grant.hosts.every((list) => list.some((pattern) => reachesHost(pattern, host))))
        return deny("host_outside_grant", `"${host}" is not among the hosts that this agent may reach.`);
    // Whom a run may start is said by its delegates.
    const isRuled = grant.rules !== undefined && !startsAgents(tool.name, spec);
    const verdict = isRuled ? judgeRules(grant.rules, toRuledCall(judged, touches, places)) : UNRULED;
    if (verdict.effect === "deny")
      return deny("act_denied", `A rule does not let "${tool.name}" do this (${verdict.by}).${howElse(touches)}`);
    const askedBy = verdict.effect === "ask" ? verdict.by : undefined;
    const isConcerned = touches.needsSandbox === true || touches.withoutSandbox !== undefined;
    const obstacle = isConcerned && !allowUnsandboxed ? await obstacleTo(touches) : undefined;
    const unsandboxed = obstacle && (touches.withoutSandbox ?? toUnprotected(obstacle, grant));
    // Where a sandbox would have kept the agent to its grant, or should be there and is not, a human decides in every mode.
    const mustAsk =
      askedBy !== undefined || isGivenSecrets(touches) || (obstacle !== undefined && (obstacle.isInstalled || isLimited(grant)));
    const ask = (): Promise<Judgement> => toQuestion(judged, touches, places, { unsandboxed, askedBy });
    if (touches.question !== undefined) return ask();
    if (tool.effect === "read" && askedBy === undefined)
      return unsandboxed === undefined || (grant.approve === "all" && !mustAsk) ? ALLOW : ask();
    if (tool.effect === "read") return ask();
    const isPreapproved = (): boolean => {
      if (!places.every(({ protection }) => protection === undefined)) return false;
      const sets = [...preapproved, ...(skills ? rulesOfSkills(skills, judged) : [])];
      return sets.length > 0 && isAllowedByRule(sets, toRuledCall(judged, touches, places));
    };
    switch (grant.approve) {
      case "all":
        return mustAsk || places.some(({ protection }) => protection?.write === "ask") ? ask() : ALLOW;
      case "read-only":
        return deny("act_denied", `"${tool.name}" would ${tool.effect}, and this run is read-only.`);
      case "workspace":
        return !mustAsk && unsandboxed === undefined && (isPreapproved() || (await isAllowedInWorkspace(judged, touches, places)))
          ? ALLOW
          : ask();
      case "ask":
        return !mustAsk && unsandboxed === undefined && isPreapproved() ? ALLOW : ask();
      default:
        return grant.approve satisfies never;
    }
  };

  return (judged: Judged): Judgement | Promise<Judgement> => {
    const touches = judged.tool.touches(judged.input, judged.run);
    return isOnlyRead(judged, touches) ? ALLOW : judgeTouches(judged, touches);
  };
};

/** It reads what the run holds already, a delegation among it: there is no path, host, program, rule or person that could stand in its way. */
const isOnlyRead = ({ tool, spec }: Judged, touches: Touches): boolean =>
  tool.effect === "read" &&
  spec.grant.rules === undefined &&
  (touches.paths === undefined || touches.paths.length === 0) &&
  (touches.hosts === undefined || touches.hosts.length === 0) &&
  touches.command === undefined &&
  touches.question === undefined &&
  touches.needsSandbox !== true &&
  touches.withoutSandbox === undefined &&
  !isGivenSecrets(touches);

/** Of the skills that are in the context of the call's run: loaded by it, or in its prompt from the start. */
const rulesOfSkills = ({ rules, taughtTo }: PreapprovingSkills, { agent, loadedSkills, spec }: Judged): readonly RuleSet[] => {
  if (rules.size === 0 || agent === undefined) return [];
  const taught = taughtTo(agent).filter((name) => spec.system.includes(`${toSkillHead(name)}\n`));
  return [...new Set([...taught, ...(loadedSkills?.() ?? [])])].flatMap((name) => rules.get(name) ?? []);
};

export const judge = createJudge();

export const isInside = (folder: string, file: string): boolean => {
  const relative = path.relative(folder, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
};

const startsAgents = (tool: string, { delegates }: RunSpec): boolean =>
  tool === DELEGATE || tool === FIND_AGENT || delegates.includes(tool);

/** Tools that look through folders and leave out, file by file, what rules do not let be read. */
const FILTERING: ReadonlySet<string> = new Set(["read", "ls", "glob", "grep"]);

/** Of what starts programs, paths do not tell which. */
const toRuledCall = ({ tool, spec }: Judged, touches: Touches, places: readonly Place[]): RuledCall => {
  const { workspace, worktree, directory = "" } = spec;
  const texts = typeof touches.about === "string" ? [touches.about] : touches.about;
  return {
    tool: tool.name,
    roots: [workspace, ...(worktree === undefined ? [] : [path.join(worktree.of, directory)])].map((root) =>
      root.split(path.sep).join("/"),
    ),
    paths:
      touches.paths === undefined || tool.effect === "execute"
        ? undefined
        : places.flatMap(({ named, real }) => {
            const forms = [path.resolve(workspace, named), real];
            return [...new Set(forms.map((at) => path.relative(workspace, at).split(path.sep).join("/")))];
          }),
    command: touches.command,
    texts,
    hosts: touches.hosts ?? [],
    looksBelow: tool.effect === "read" && texts === undefined && places.length > 0 && !FILTERING.has(tool.name),
  };
};

/** What the model may try in place of a line that no rule could be found for. */
const howElse = ({ command }: Touches): string =>
  command !== undefined && parseShellLine(command) === undefined
    ? " The line could not be read as single commands, so that the strictest rule holds: write it as plain commands."
    : "";

/** One glob of each list must match. */
export const isInScope = (writes: RunSpec["grant"]["writes"], relative: string): boolean => {
  const file = relative.split(path.sep).join("/");
  return writes.every((globs) => createPathMatcher(globs)(file));
};

/** Whether it may not see or write everything of the workspace, or not reach every host. */
const isLimited = ({ writes, hosts, directory }: RunSpec["grant"]): boolean =>
  directory !== undefined ||
  !writes.every((globs) => globs.includes("**") || globs.includes("**/*")) ||
  !hosts.every((list) => list.includes("*"));

/** For the one who decides: why there is no sandbox, and what the command could do then. */
const toUnprotected = ({ reason }: SandboxObstacle, grant: RunSpec["grant"]): string =>
  `It would run without a sandbox (${reason}): it could read and change every file that you can, secrets too, and reach every host and ` +
  `every program of this machine${isLimited(grant) ? ", though this agent may not" : ""}.`;

const isGivenSecrets = ({ secrets = [] }: Touches): boolean => secrets.length > 0;

const deny = (code: ErrorValue["code"], message: string): Judgement => ({ type: "deny", error: { code, message } });
