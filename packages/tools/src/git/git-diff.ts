/** `git_diff`: what changed, as a unified diff below a summary by file. */
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { formatBytes, toModelText } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import { runOpenly } from "@retinue/confine";
import { toRepositoryPath } from "@retinue/confine";
import type { GitOptions, Repository } from "@retinue/confine";
import { openForCall, toTouches } from "./open-for-call.ts";

const REVISION = z.string().min(1).max(1000);

const INPUT = z.object({
  from: REVISION.optional().describe("A revision; default: what is staged, or HEAD with staged."),
  to: REVISION.optional().describe("A revision; default: the files as they are."),
  path: z.string().min(1).optional().describe("Only in here."),
  staged: z.boolean().optional().describe("What the next commit would hold."),
});

export type GitDiffInput = z.infer<typeof INPUT>;

/** Given to every diff, before all else. */
const ALWAYS = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--no-color"];

export const createGitDiffTool = (options: GitOptions = {}): Tool<GitDiffInput> =>
  defineTool({
    name: "git_diff",
    description: "Shows what changed since the last commit, what is staged, or between two revisions.",
    input: INPUT,
    effect: "read",
    touches: ({ from, to, path: named, staged }) => ({
      ...toTouches(options, [named ?? "."]),
      about: ["git diff", staged === true ? "--staged" : undefined, from, to, named]
        .filter((word) => word !== undefined)
        .join(" "),
    }),
    execute: async ({ from, to, path: named, staged }, context) => {
      if (to !== undefined && from === undefined) throw wrong("to needs from.");
      if (to !== undefined && staged === true) throw wrong("staged compares with one revision, not with two.");
      const repository = await openForCall(options, context);
      const revisions: string[] = [];
      for (const revision of [from, to]) if (revision !== undefined) revisions.push(await toCommit(repository, revision));
      const paths = [await toRepositoryPath(context.workspace, named ?? ".")];
      const untracked = to === undefined && staged !== true ? listUntracked(repository, paths) : Promise.resolve("");
      const shown = runOpenly(repository, {
        command: "diff",
        args: [...ALWAYS, ...(staged === true ? ["--cached"] : []), "--stat", "--patch"],
        targets: revisions,
        paths: paths.map((each) => `:(literal)${each}`),
      });
      const [{ end, withheld }, names] = await Promise.all([shown, untracked]);
      if (end.exitCode !== 0 && !end.cut) throw new RetinueError("tool_failed", `git failed: ${end.errors}`);
      const parts = [end.output.trimEnd()];
      if (end.cut) parts.push(`[cut after ${formatBytes(Buffer.byteLength(end.output))}; name a path]`);
      if (withheld.length > 0) parts.push(`[left out, since agents do not read them: ${withheld.map(escapeName).join(", ")}]`);
      parts.push(names);
      return toModelText(parts.filter((part) => part !== "").join("\n\n") || "No difference.");
    },
  });

/** Its name as git knows it, which cannot be taken for an option or a path. */
const toCommit = async (repository: Repository, revision: string): Promise<string> => {
  const refused = new RetinueError("tool_failed", `"${revision}" names no commit.`, { hint: "Give a branch, tag or commit." });
  if (revision.startsWith("-") || revision.includes("\0")) throw refused;
  const { exitCode, output } = await repository.run({ args: ["rev-parse", "--quiet", "--verify", `${revision}^{commit}`] });
  const hash = output.trim();
  if (exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(hash)) throw refused;
  return hash;
};

const listUntracked = async (repository: Repository, paths: readonly string[]): Promise<string> => {
  const args = ["ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "--", ...paths];
  const names = (await repository.read({ args, literalPaths: true })).trimEnd();
  return names === "" ? "" : `Not known to git yet:\n${names}`;
};

const wrong = (message: string): RetinueError =>
  new RetinueError("tool_failed", message, { hint: "Give from and to, or from alone, or staged with or without from." });
