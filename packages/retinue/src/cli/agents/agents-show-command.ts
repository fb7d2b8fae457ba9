/** `retinue agents show`: one agent whole, where it comes from, and what it may use here. */
import type { LoadedAgents, TrustWish } from "@retinue/agents";
import { formatAgent } from "@retinue/agents";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { withInventory } from "../inventory.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { findMissingBelow, toEffectiveRights } from "./effective-rights.ts";
import { explainAgent } from "./explain-agent.ts";
import { findAgent } from "./find-agent.ts";
import type { RefusedFile } from "./find-refused.ts";
import { findRefused } from "./find-refused.ts";
import { formatLimits } from "./format-limits.ts";

export type AgentsShowOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean };

export const agentsShowCommand = async (
  name: string,
  { json, ...options }: AgentsShowOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, redact, env } = surroundings;
  const { settings, workspace, origins } = await loadSessionSettings(options, surroundings);
  return withInventory({ settings, workspace, env }, async (inventory) => {
    const { loaded } = inventory;
    const agent = lookUp(name, loaded);
    if ("problems" in agent) {
      const { file, problems } = agent;
      const told = [
        `${name} is left out, since its file has an error: ${file}`,
        ...problems.map(({ line, severity, message }) => `${line}: ${severity}: ${message}`),
      ];
      if (json === true) await stdout.write(`${toJsonLine({ agent: null, file, problems }, redact)}\n`);
      else for (const line of told) await stdout.write(`${toPrintable(redact(line), "line")}\n`);
      return EXIT.failed;
    }
    const source = loaded.sources.get(agent.name);
    const { tools, limits } = toEffectiveRights(agent, inventory);
    const missingBelow = findMissingBelow(agent, inventory);
    const why = explainAgent(agent, { inventory, origins, tools });
    const problems = loaded.problems.filter(({ file }) => file === source?.file).toSorted((one, other) => one.line - other.line);
    if (json === true) {
      const from = source && { origin: source.origin, dialect: source.dialect, file: source.file, replaces: source.replaces };
      await stdout.write(`${toJsonLine({ agent, from, effective: { tools, limits, missingBelow }, why, problems }, redact)}\n`);
      return EXIT.done;
    }
    const lines = [
      `From ${source?.origin ?? "nowhere"} (${source?.dialect ?? "unknown"}): ${source?.file ?? ""}`,
      ...(source?.replaces ?? []).map((file) => `In place of ${file}`),
      ...loaded.refused.filter((wish) => wish.agent === agent.name).map(toWaitingLine),
      `Tools here (${tools.length}): ${tools.join(", ") || "none"}`,
      ...Object.entries(missingBelow).map(([above, lost]) => `Below ${above} without: ${lost.join(", ")}`),
      `Limits here: ${formatLimits(limits).join(", ") || "none"}`,
      `May start: ${agent.delegates.join(", ") || "nobody"}`,
      "What takes effect, and whose word it is:",
      ...why.map(({ key, value, from }) => `  ${key}: ${value} (${from})`),
      ...problems.map(({ line, severity, message }) => `${line}: ${severity}: ${message}`),
    ];
    for (const line of lines) await stdout.write(`${toPrintable(redact(line), "line")}\n`);
    await stdout.write(`\n${toPrintable(redact(formatAgent(agent)), "prose")}`);
    return EXIT.done;
  });
};

/** A file of the project that would take this agent's place. */
const toWaitingLine = ({ file, type, ...wish }: TrustWish): string =>
  type === "replace" && "of" in wish
    ? `${file} waits for trust; until then the ${wish.of === "user" ? "user's" : "built-in"} agent answers. \`retinue trust\` shows it.`
    : `${file} waits for trust. \`retinue trust\` shows it.`;

const lookUp = (name: string, loaded: LoadedAgents): AgentDefinition | RefusedFile => {
  try {
    return findAgent(name, loaded);
  } catch (thrown) {
    const refused = findRefused(name, loaded);
    if (refused) return refused;
    throw thrown;
  }
};
