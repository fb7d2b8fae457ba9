/** Calls of git, and what is said where git may not run or there is no repository. */
import type { Exchange } from "../conversation.ts";
import { findNearest, toListing } from "../project/listing.ts";
import { parseRead } from "../tool-output.ts";
import type { PlannedCall } from "../calls.ts";
import { clip } from "../wording.ts";
import { listWorkspace } from "./look-at-project.ts";
import type { Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered } from "./rule.ts";

export const git = (...args: readonly string[]): PlannedCall => call("git", { args: [...args] });

/** What one call of git said, by how its arguments begin; undefined where it failed or was not made. */
export const gitText = (exchanges: readonly Exchange[], ...begin: readonly string[]): string | undefined => {
  const made = exchanges.find(({ tool, input }) => tool === "git" && startsWith(input["args"], begin));
  return made && !made.isError ? (made.text === "(no output)" ? "" : made.text) : undefined;
};

const startsWith = (args: unknown, begin: readonly string[]): boolean =>
  Array.isArray(args) && begin.every((word, index) => args[index] === word);

/** Asks git; where it fails, tells why and shows the changelog, which needs no git. */
export const askGit = (
  at: Situation,
  text: string,
  calls: readonly PlannedCall[],
  report: (exchanges: readonly Exchange[]) => Turn,
): Turn => {
  const exchanges = exchangesOf(at);
  const asked = exchanges.filter(({ tool }) => tool === "git");
  if (asked.length === 0 && at.turns.length === 0) return callOr(text, offered(at, ...calls), () => answer(NOT_OFFERED));
  if (asked.length === 0 || asked.some(({ isError }) => !isError)) return report(exchanges);
  return withoutGit(at, asked[0]?.text ?? "");
};

const NOT_OFFERED = "This takes git, which is not offered here. Nothing was looked up.";

const withoutGit = (at: Situation, why: string): Turn => {
  const exchanges = exchangesOf(at);
  const listing = toListing(exchanges);
  const isListed = exchanges.some(({ tool }) => tool === "ls" || tool === "glob");
  const newest = offered(at, call("glob", { pattern: "**", order: "newest", limit: 8 }));
  if (!isListed)
    return callOr("Git gave no answer; looking at what can be read without it.", [...listWorkspace(at, 1), ...newest], () =>
      answer(explain(why)),
    );
  const [changelog] = findNearest(listing, /^(?:change|history|news|release)/i);
  const read = exchanges.find(({ tool, input }) => tool === "read" && input["path"] === changelog);
  if (changelog !== undefined && !read && offered(at, call("read", { path: changelog, limit: 25 })).length > 0)
    return { type: "calls", text: `Reading ${changelog}.`, calls: [call("read", { path: changelog, limit: 25 })] };
  const lines =
    read && !read.isError
      ? parseRead(read.text)
          .filter(({ text }) => text.trim() !== "")
          .slice(0, 12)
      : [];
  const recent =
    exchanges
      .findLast(({ tool, isError }) => tool === "glob" && !isError)
      ?.text.split("\n")
      .slice(1, 9) ?? [];
  return answer(
    explain(why),
    changelog !== undefined && lines.length > 0
      ? `Without git, ${changelog} says:\n${lines.map(({ number, text }) => `- ${changelog}:${number}: ${clip(text)}`).join("\n")}`
      : recent.length > 0
        ? `Without git, the files that changed last on this disk:\n${recent.map((path) => `- ${path}`).join("\n")}`
        : "",
  );
};

/** Says plainly what stands in the way, and what to do. */
const explain = (why: string): string => {
  if (/not a git repository|no git repository|is no repository|no repository/i.test(why))
    return "This folder is not a git repository, so there is no history to ask.";
  if (/does not have any commits|unknown revision|bad revision|ambiguous argument 'HEAD'/i.test(why))
    return "The repository has no commits yet.";
  const first = clip(why.replace(/^Error(?: \([\w-]+\))?: /, "").split("\n")[0] ?? "", 200);
  if (/denied|sandbox|approv|bubblewrap|nobody/i.test(why))
    return `Git was not run: ${first}\nWithout a sandbox (bubblewrap) git runs only after a yes. Install bubblewrap, answer yes when asked, or pass \`--approve all\`.`;
  return `Git failed: ${first}`;
};
