/**
 * How the agents that a run may start are told to its model: each is described once, in the prompt or as a tool of its own, within a share of the
 * context that does not grow with their number. Descriptions are shortened first, then left out; what is not told at all is found with `find_agent`.
 */
import type { AgentDefinition } from "@retinue/protocol/agent-file";

/** About 1,500 tokens. */
const CATALOGUE_CHARS = 6_000;
/** For agents that are tools of their own, about 1,000 tokens. */
const TOOLS_CHARS = 4_000;
const SHORT_CHARS = 100;

export type Offered = {
  /** Agents that are tools of their own. */
  readonly asTools: readonly AgentDefinition[];
  /** Agents that `delegate_to_agent` takes. */
  readonly byName: readonly AgentDefinition[];
};

/** Who is offered to a run, and how they are told. */
export type OfferedCatalogue = Offered & Catalogue;

const MOST_KEPT = 16;
const kept = new WeakMap<Agents, Map<string, OfferedCatalogue>>();

type Agents = ReadonlyMap<string, AgentDefinition>;

/** The prompt and the tools of a run are made from the same catalogue, which is made once for the same agents. */
export const catalogueOf = (agents: Agents, delegates: readonly string[], tools: readonly string[]): OfferedCatalogue => {
  const ofAgents = kept.get(agents) ?? new Map<string, OfferedCatalogue>();
  kept.set(agents, ofAgents);
  const key = `${delegates.join("\0")}\0\0${tools.join("\0")}`;
  let catalogue = ofAgents.get(key);
  if (!catalogue) {
    const offered = offerAgents(
      delegates.flatMap((name) => agents.get(name) ?? []),
      tools,
    );
    catalogue = { ...offered, ...describeAgents(offered) };
    if (ofAgents.size >= MOST_KEPT) ofAgents.clear();
    ofAgents.set(key, catalogue);
  }
  return catalogue;
};

/** A tool that has the name of an agent is not hidden by it. */
const offerAgents = (available: readonly AgentDefinition[], tools: readonly string[]): Offered => {
  const asTools: AgentDefinition[] = [];
  let room = TOOLS_CHARS;
  for (const agent of available) {
    if (agent.expose === "delegate" || tools.includes(agent.name)) continue;
    room -= agent.description.length + JSON.stringify(agent.input ?? {}).length + 200;
    if (room < 0) break;
    asTools.push(agent);
  }
  const isTool = new Set(asTools);
  return { asTools, byName: available.filter((agent) => agent.expose !== "tool" || !isTool.has(agent)) };
};

export type Catalogue = {
  readonly lines: readonly string[];
  /** How many are not named. */
  readonly untold: number;
};

/** Every agent in as many words as there is room for; those that are tools of their own are described there, but when to use them is told here. */
const describeAgents = ({ asTools, byName }: Offered): Catalogue => {
  const isTool = new Set(asTools);
  const others = byName.filter((agent) => !isTool.has(agent) || hasCases(agent));
  // Where nobody else is there, the list says at least their names.
  if (others.length === 0 && asTools.length > 0)
    return { lines: [`- as tools of their own: ${asTools.map(({ name }) => name).join(", ")}`], untold: 0 };
  // Those whose cases are listed stand behind those that have one line.
  const byCases = others.toSorted((one, other) => Number(hasCases(one)) - Number(hasCases(other)));
  for (const lines of [byCases.map(inFull), others.map(shortened)])
    if (charsOf(lines) <= CATALOGUE_CHARS) return { lines, untold: 0 };
  // The first ones are those that come with Retinue and are known to fit most tasks.
  const described = others.slice(0, MOST_DESCRIBED).map(shortened);
  let room = CATALOGUE_CHARS - charsOf(described) - BY_NAME.length;
  const named: string[] = [];
  for (const { name } of others.slice(MOST_DESCRIBED)) {
    room -= name.length + 2;
    if (room < 0) break;
    named.push(name);
  }
  return {
    lines: [...described, `${BY_NAME}${named.join(", ")}`],
    untold: others.length - described.length - named.length,
  };
};

const MOST_DESCRIBED = 12;
const BY_NAME = "- by name: ";

const charsOf = (lines: readonly string[]): number => lines.reduce((chars, { length }) => chars + length + 1, 0);

const hasCases = ({ delegateWhen = [] }: AgentDefinition): boolean => delegateWhen.length > 0;

const inFull = ({ name, description, delegateWhen = [] }: AgentDefinition): string =>
  delegateWhen.length === 0
    ? `- **${name}**: ${oneLine(description)}`
    : [`**Delegate to ${name.toUpperCase()} when:**`, ...delegateWhen.map((one) => `- ${oneLine(one)}`)].join("\n");

const shortened = ({ name, description }: AgentDefinition): string => `- **${name}**: ${shorten(description, SHORT_CHARS)}`;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The first sentence, or as many words as fit. */
export const shorten = (text: string, most: number): string => {
  const line = oneLine(text);
  const sentence = /^.+?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  if (sentence.length <= most) return sentence;
  const cut = sentence.slice(0, most - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most >> 1))}…`;
};
