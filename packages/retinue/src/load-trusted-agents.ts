/**
 * The agents of a session. One of the project that has a command run to accept its results is loaded once the user has trusted that very
 * command; until then it is told as something that the project asks for.
 */
import path from "node:path";
import type { CommandWish, LoadedAgents, LoadOptions } from "@retinue/agents";
import { loadAgents } from "@retinue/agents";
import type { TrustClaim, TrustStore } from "@retinue/confine/trust";
import { digestCommandFiles, digestOf } from "@retinue/confine/trust";

export type TrustedAgents = {
  readonly loaded: LoadedAgents;
  readonly untrusted: readonly TrustClaim[];
  /** Errors of files, but for those that a yes would mend. */
  readonly problems: readonly string[];
};

/** `projectDir` is real. */
export const loadTrustedAgents = async (
  options: LoadOptions & { readonly projectDir: string },
  trust: Pick<TrustStore, "isTrusted">,
): Promise<TrustedAgents> => {
  const claimOf = (wish: CommandWish): Promise<TrustClaim> => toAgentClaim(wish, options.projectDir);
  let loaded = await loadAgents(options);
  const trusted = new Set<string>();
  for (const wish of loaded.refused) if (await trust.isTrusted(await claimOf(wish))) trusted.add(keyOf(wish));
  if (trusted.size > 0) loaded = await loadAgents({ ...options, trusted: (wish) => trusted.has(keyOf(wish)) });
  const isWish = ({ file, line }: { readonly file: string; readonly line: number }): boolean =>
    loaded.refused.some((wish) => wish.file === file && wish.line === line);
  return {
    loaded,
    untrusted: await Promise.all(loaded.refused.map(claimOf)),
    problems: loaded.problems
      .filter((problem) => problem.severity === "error" && !isWish(problem))
      .map(({ file, line, message }) => `${file}:${line}: ${message}`),
  };
};

const keyOf = ({ agent, file, command }: CommandWish): string => JSON.stringify([agent, file, command]);

const toAgentClaim = async ({ agent, file, command }: CommandWish, project: string): Promise<TrustClaim> => {
  const relative = path.relative(project, file).split(path.sep).join("/");
  const files = await digestCommandFiles({ root: project, texts: [command] });
  const names = Object.keys(files);
  return {
    project,
    subject: `agent:${agent} (${relative})`,
    hash: digestOf({ agent, file: relative, command, ...(names.length === 0 ? {} : { files }) }),
    shown: `runs this to accept what ${agent} hands in: ${command}${names.length === 0 ? "" : ` with ${names.join(", ")} as they are now`}`,
  };
};
