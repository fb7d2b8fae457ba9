/** `write`: a whole text file, with the folders it needs. What it reports as changed is what it found changed. */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { defineTool, isInside } from "@retinue/runtime";
import { z } from "zod";
import { inFileTurn } from "@retinue/confine";
import { createSecretCheck, noteWritten, requireKnown, type SeenBefore } from "@retinue/confine";
import { count } from "@retinue/confine";
import { toAbsolutePath, toShownPath } from "@retinue/confine";
import { writeInside } from "@retinue/confine";
import { compareAs } from "./edit/compare-as.ts";
import type { KeepVersion } from "./versions/kept-versions.ts";
import { readStanding } from "./versions/take-back.ts";

const INPUT = z.object({
  path: z.string().min(1).describe("Missing folders are made."),
  content: z.string().max(10_000_000),
});

export type WriteInput = z.infer<typeof INPUT>;

export type WriteOptions = {
  /** Told of each change before it is made. */
  readonly keepVersion?: KeepVersion;
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
  readonly seenBefore?: SeenBefore;
};

export const createWriteTool = ({ keepVersion, unprotected, seenBefore }: WriteOptions = {}): Tool<WriteInput> => {
  const isSecret = createSecretCheck(unprotected);
  return defineTool({
    name: "write",
    description: "Creates a text file or replaces its whole content.",
    input: INPUT,
    effect: "write",
    touches: ({ path: named }) => ({ paths: [named] }),
    execute: async ({ path: named, content }, { run, callId, workspace, signal }) => {
      signal.throwIfAborted();
      const file = toRelative(workspace, named);
      const absolute = path.join(workspace, file);
      const shown = toShownPath(workspace, absolute);
      const outcome = await inFileTurn([absolute], async () => {
        const compare = isSecret(file) ? undefined : compareAs(shown);
        await requireKnown({ run, file: absolute, shown, replaces: true, seenBefore, compare });
        const before = keepVersion ? await readStanding(absolute) : undefined;
        if (before !== undefined) await keepVersion?.({ run, callId, workspace, file, before, after: content });
        const written = await writeInside({ root: workspace, file, content });
        await noteWritten(run, absolute, content);
        return written;
      });
      const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
      const said = { created: "Created", modified: "Replaced", unchanged: "Unchanged, it already held just that:" }[outcome];
      return {
        content: [
          { type: "text", text: `${said} ${shown} (${count(lines, "line")}, ${count(Buffer.byteLength(content), "byte")}).` },
        ],
        files: { created: outcome === "created" ? [shown] : [], modified: outcome === "modified" ? [shown] : [] },
      };
    },
  });
};

/** Only the prefix of an absolute path is taken off; what remains is judged name by name when it is walked. */
const toRelative = (workspace: string, named: string): string => {
  const absolute = toAbsolutePath(workspace, named);
  if (!isInside(workspace, absolute))
    throw new RetinueError("path_outside_workspace", `"${named.replaceAll("\0", "\\0")}" is outside the workspace.`);
  if (!path.isAbsolute(named)) return named.replace(/^(?:\.[\\/])+/, "");
  const prefix = workspace.endsWith(path.sep) ? workspace : workspace + path.sep;
  return named.startsWith(prefix) ? named.slice(prefix.length) : path.relative(workspace, absolute);
};
