/** Finds an agent by whatever it is called: `code-search`, `code_search`, `CodeSearch` and `subagents/code-search` are one. */

type Named = { readonly name: string; readonly aliases: readonly string[] };

/** What is left of a name without case and separators, and without the one folder that it may stand in; empty where it is no name. */
const bare = (raw: string): string => {
  const [, name = ""] = /^\s*(?:[\w-]+\/)?([\w -]+?)(?:\.(?:md|ya?ml))?\s*$/.exec(raw) ?? [];
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "");
};

/** By name first, then by alias, then by what is left of both without case and separators. */
export const findAgentNamed = <A extends Named>(raw: unknown, agents: Iterable<A>): A | undefined => {
  if (typeof raw !== "string") return undefined;
  const all = [...agents];
  const exact = all.find(({ name }) => name === raw) ?? all.find(({ aliases }) => aliases.includes(raw));
  if (exact) return exact;
  const wanted = bare(raw);
  if (wanted === "") return undefined;
  return (
    all.find(({ name }) => bare(name) === wanted) ?? all.find(({ aliases }) => aliases.some((alias) => bare(alias) === wanted))
  );
};
