/** Looks through everything that was loaded, file by file: what is wrong, what is read and not honoured, and what does not fit the session. */
import type { Limits } from "@retinue/protocol";
import { LIMIT_NAMES } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { AgentSource, LoadedAgents } from "./catalogue.ts";
import type { ForeignSettingsFile } from "./claude-settings.ts";
import type { LoadedCommands } from "./commands/load-commands.ts";
import { findDelegationCycles } from "./delegation-cycles.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { lineFor } from "./dialects/dialect.ts";
import { matchesGlob, nearestName } from "@retinue/protocol/names";
import { namesTool } from "@retinue/runtime";
import type { NamedRule } from "./named-rules.ts";
import { toIdleProblems } from "./named-rules.ts";
import { findUnfilled } from "./new-agent-file.ts";
import type { Origin } from "./places.ts";
import type { Problem, Severity } from "./problem.ts";
import { SEVERITIES } from "./problem.ts";

export type CheckOptions = {
  /** Every tool of the session. */
  readonly toolNames: Iterable<string>;
  /** Why a model of this name cannot be had, in a sentence; undefined where it can. Absent: models are not looked at. */
  readonly whyNoModel?: (name: string) => string | undefined;
  /** The MCP servers of the settings. Absent: servers are not looked at. */
  readonly mcpServerNames?: Iterable<string>;
  /** Settings of other programs. Absent: their rules are not looked at. */
  readonly settings?: readonly Pick<ForeignSettingsFile, "file" | "named">[];
  /** What was found of commands. Absent: they are not looked at. */
  readonly commands?: LoadedCommands;
  /** Of the session. */
  readonly limits?: Limits;
  readonly maxDepth?: number;
};

export type FileReport = {
  readonly file: string;
  /** Of the agents that it defines; a file that defines none has neither. */
  readonly origin?: Origin;
  readonly dialect?: Dialect;
  /** It is a file of a command. */
  readonly isCommand?: true;
  readonly agents: readonly string[];
  readonly problems: readonly Omit<Problem, "file">[];
};

export type AgentsReport = {
  readonly files: readonly FileReport[];
  readonly counts: Readonly<Record<Severity, number>>;
};

export const checkAgents = (loaded: LoadedAgents, options: CheckOptions): AgentsReport => {
  const names = { tools: [...options.toolNames], servers: options.mcpServerNames && new Set(options.mcpServerNames) };
  const problems = [...loaded.problems, ...cyclesOf(loaded), ...depthOf(loaded, options)];
  for (const [name, agent] of loaded.agents) {
    const source = loaded.sources.get(name);
    if (source) problems.push(...checkAgent({ agent, source, loaded, options, ...names }));
  }
  const known = { tools: names.tools, servers: [...(names.servers ?? [])] };
  for (const { file, named } of options.settings ?? []) problems.push(...toIdleProblems(file, named, known));
  const { commands } = options;
  if (commands) problems.push(...commands.problems, ...commandsOf(commands, loaded));
  return toReport(loaded, problems, new Set(commands?.files));
};

/** What is wrong with commands that only the agents tell. */
const commandsOf = ({ commands }: LoadedCommands, { agents, aliases }: LoadedAgents): readonly Problem[] =>
  [...commands.values()].flatMap(({ file, agent, agentLine = 1 }) =>
    agent === undefined || agents.has(agent) || aliases.has(agent)
      ? []
      : {
          file,
          line: agentLine,
          severity: "warning" as const,
          message: `there is no agent "${agent}"${hint(agent, agents.keys())}; whoever is asked carries the command out`,
        },
  );

type Checked = {
  readonly agent: AgentDefinition;
  readonly source: AgentSource;
  readonly loaded: LoadedAgents;
  readonly options: CheckOptions;
  readonly tools: readonly string[];
  readonly servers: ReadonlySet<string> | undefined;
};

const checkAgent = (checked: Checked): readonly Problem[] => {
  const { agent, source, loaded, options, servers } = checked;
  const problems: Problem[] = [];
  const note = (severity: Severity, field: string, value: string | undefined, message: string): void =>
    void problems.push({ file: source.file, line: lineFor(source.lines, field, value), severity, message });
  checkTools(checked, note);
  problems.push(...idleRulesOf(checked));
  for (const name of agent.delegates)
    if (!loaded.agents.has(name))
      note("warning", "delegates", name, `it may start "${name}", but there is no such agent${hint(name, loaded.agents.keys())}`);
  const models = [agent.model, ...agent.fallbacks].flatMap((model) => model ?? []);
  for (const model of models) {
    const why = options.whyNoModel?.(model);
    if (why !== undefined) note("warning", model === agent.model ? "model" : "fallbacks", model, toRemark(why));
  }
  for (const skill of agent.skills)
    if (!loaded.skills.has(skill))
      note("warning", "skills", skill, `there is no skill "${skill}"${hint(skill, loaded.skills.keys())}`);
  for (const server of agent.mcpServers)
    if (servers && !servers.has(server))
      note("warning", "mcpServers", server, `there is no MCP server "${server}" in the settings`);
  if (agent.accept && "agent" in agent.accept && !loaded.agents.has(agent.accept.agent))
    note("error", "accept", undefined, `"${agent.accept.agent}" is to accept its results, but there is no such agent`);
  for (const limit of LIMIT_NAMES) {
    const own = agent.limits[limit];
    const most = options.limits?.[limit];
    if (own !== undefined && most !== undefined && own > most)
      note("notice", "limits", limit, `${limit} of ${own} is above the session's ${most}, which holds`);
  }
  const { iterations = Infinity, toolCalls = 0 } = agent.limits;
  if (iterations <= toolCalls)
    note(
      "notice",
      "limits",
      "toolCalls",
      `at one call a turn, ${iterations} iterations leave no turn to answer after ${toolCalls} tool calls; set iterations to ${toolCalls + 1}`,
    );
  for (const field of source.origin === "built-in" ? [] : findUnfilled(agent))
    note("warning", field, undefined, `its ${field} is still the one of the template; fill in what stands as …`);
  if (agent.description.length > LONG_DESCRIPTION)
    note(
      "notice",
      "description",
      undefined,
      `its description has ${agent.description.length} characters, and enters the prompt of every agent that may start it`,
    );
  return problems;
};

const LONG_DESCRIPTION = 1_024;

/** A sentence in the form of all remarks: a small letter, and no full stop. */
const toRemark = (sentence: string): string => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;

type NoteField = (severity: Severity, field: string, value: string | undefined, message: string) => void;

const checkTools = ({ agent, source, tools, loaded }: Checked, note: NoteField): void => {
  // What comes with Retinue names tools that not every installation has.
  const severity = source.origin === "built-in" ? "notice" : "warning";
  for (const field of ["tools", "hiddenTools"] as const) {
    const patterns = agent[field] ?? [];
    for (const pattern of isNamed(source, field) ? patterns : []) {
      // A name may stand in two forms, of which one is told.
      const forms = patterns.filter((one) => one === pattern || one.replace(".", "_") === pattern);
      if (pattern === "*" || forms.some((form) => tools.some((tool) => matchesGlob(form, tool)))) continue;
      if (isOtherForm(pattern, patterns)) continue;
      const isAgent = loaded.agents.has(pattern);
      note(
        severity,
        field,
        pattern,
        isAgent
          ? `"${pattern}" is an agent and no tool; list it in "delegates"`
          : `there is no tool "${pattern}"${hint(pattern, tools)}`,
      );
    }
  }
  const usable = tools.filter(
    (tool) =>
      agent.tools.some((pattern) => matchesGlob(pattern, tool)) &&
      !namesTool(agent.deniedTools, tool) &&
      !(agent.hiddenTools ?? []).some((pattern) => matchesGlob(pattern, tool)),
  );
  if (usable.length === 0 && agent.delegates.length === 0)
    note("notice", "tools", undefined, "it may use no tool and start no agent: it can only answer");
};

/** opencode writes `server_tool`, which becomes `server.tool`, too. */
const isOtherForm = (pattern: string, all: readonly string[]): boolean =>
  pattern.includes(".") && all.includes(pattern.replace(".", "_"));

/** What an agent's own file denies or has asked, by the tools that it names. What comes with Retinue names tools that not every installation has. */
export const namedRulesOf = (agent: AgentDefinition, source: AgentSource): readonly NamedRule[] => {
  if (source.origin === "built-in") return [];
  const denied = isNamed(source, "deniedTools") ? agent.deniedTools : [];
  const held = (agent.rules ?? []).filter(({ effect }) => effect !== "allow").flatMap(({ tools }) => tools);
  return [
    ...denied.map((name) => ({ name, line: lineFor(source.lines, "deniedTools", name) })),
    ...held.map((name) => ({ name, line: lineFor(source.lines, "rules", name) })),
  ]
    .filter(({ name }, index, all) => {
      const names = all.map((one) => one.name);
      return names.indexOf(name) === index && !isOtherForm(name, names);
    })
    .map(({ name, line }) => ({ written: name, line, tools: [name] }));
};

const idleRulesOf = ({ agent, source, tools, servers }: Checked): readonly Problem[] =>
  toIdleProblems(source.file, namedRulesOf(agent, source), { tools, servers: [...(servers ?? [])] });

/** Whether the file itself names tools. Those that a dialect gives where it does not are nobody's mistake. */
const isNamed = ({ origin, lines }: AgentSource, field: "tools" | "deniedTools" | "hiddenTools"): boolean =>
  origin === "built-in" || [...lines.keys()].some((key) => key === field || key.startsWith(`${field}:`));

const hint = (name: string, names: Iterable<string>): string => {
  const nearest = nearestName(name, names);
  return nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
};

const cyclesOf = ({ agents, sources }: LoadedAgents): readonly Problem[] =>
  findDelegationCycles(new Map([...agents].map(([name, { delegates }]) => [name, delegates]))).flatMap((way) => {
    const source = sources.get(way[0] ?? "");
    if (!source) return [];
    const line = lineFor(source.lines, "delegates", way[1]);
    return {
      file: source.file,
      line,
      severity: "warning" as const,
      message: `agents that may start each other, until the depth ends: ${way.join(" → ")}`,
    };
  });

const depthOf = ({ maxDepth, sources }: LoadedAgents, options: CheckOptions): readonly Problem[] => {
  const source = [...sources.values()].find(({ dialect }) => dialect === "agent-roles");
  if (!source || maxDepth === undefined || options.maxDepth === undefined || maxDepth <= options.maxDepth) return [];
  const message = `MaxDepth of ${maxDepth} is above the session's ${options.maxDepth}, which holds`;
  return [{ file: source.file, line: 1, severity: "notice", message }];
};

const toReport = (
  { sources, skills }: LoadedAgents,
  problems: readonly Problem[],
  commands: ReadonlySet<string>,
): AgentsReport => {
  const byFile = Map.groupBy(problems, ({ file }) => file);
  const agentsOf = Map.groupBy(sources, ([, { file }]) => file);
  const files = new Set([...agentsOf.keys(), ...[...skills.values()].map(({ file }) => file), ...commands, ...byFile.keys()]);
  return {
    files: [...files].toSorted().map((file) => {
      const defined = agentsOf.get(file) ?? [];
      const source = defined[0]?.[1];
      return {
        file,
        ...(source ? { origin: source.origin, dialect: source.dialect } : {}),
        ...(commands.has(file) ? { isCommand: true as const } : {}),
        agents: defined.map(([name]) => name).toSorted(),
        problems: (byFile.get(file) ?? [])
          .map(({ line, severity, message }) => ({ line, severity, message }))
          .toSorted((a, b) => a.line - b.line || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
      };
    }),
    counts: {
      error: problems.filter(({ severity }) => severity === "error").length,
      warning: problems.filter(({ severity }) => severity === "warning").length,
      notice: problems.filter(({ severity }) => severity === "notice").length,
    },
  };
};
