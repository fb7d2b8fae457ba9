/** `write`: a whole text file, with the folders it needs. What it reports as changed is what it found changed. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool, ToolContext } from "@retinue/runtime";
import { createReadCheck, defineTool, isInside } from "@retinue/runtime";
import { z } from "zod";
import { inFileTurn } from "@retinue/confine";
import { isUnseen, noteRead, noteWritten, requireKnown, type SeenBefore } from "@retinue/confine";
import { count, toModelText } from "@retinue/confine";
import type { IsSecret } from "@retinue/confine";
import { createSecretCheck } from "@retinue/confine";
import { readTextFile } from "./edit/text-file.ts";
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
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Told of each change before it is made. */
  readonly keepVersion?: KeepVersion;
  readonly seenBefore?: SeenBefore;
};

export const createWriteTool = ({ unprotected, keepVersion, seenBefore }: WriteOptions = {}): Tool<WriteInput> => {
  const isSecret = createSecretCheck(unprotected);
  return defineTool({
    name: "write",
    description: "Creates a text file or replaces its whole content.",
    input: INPUT,
    effect: "write",
    touches: ({ path: named }) => ({ paths: [named] }),
    execute: async ({ path: named, content }, { run, callId, workspace, scope, signal, act }) => {
      signal.throwIfAborted();
      const file = toRelative(workspace, named);
      const absolute = path.join(workspace, file);
      const shown = toShownPath(workspace, absolute);
      const outcome = await inFileTurn([absolute], async () => {
        const compare = isSecret(file) ? undefined : compareAs(shown);
        await requireKnown({ run, file: absolute, shown, replaces: true, seenBefore, compare });
        // Who allowed this very act has seen what it changes.
        if (act === undefined)
          await refuseUnseen({ workspace, run, scope, file, absolute, shown, isSecret, seenBefore }, content);
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

type Unseen = Pick<ToolContext, "workspace" | "run" | "scope"> & {
  /** From the workspace on, as it was named. */
  readonly file: string;
  readonly absolute: string;
  readonly shown: string;
  readonly isSecret: IsSecret;
  readonly seenBefore: SeenBefore | undefined;
};

const HEAD_LINES = 40;
const HEAD_CHARS = 2_000;

/** A file that the run never saw is not replaced at the first try: it is shown how the file begins, and has seen it then. */
const refuseUnseen = async (
  { workspace, run, scope, file, absolute, shown, isSecret, seenBefore }: Unseen,
  content: string,
): Promise<void> => {
  // A path that is refused anyway shows nothing.
  if (path.relative(workspace, absolute) !== file || !createReadCheck("write", scope)(shown)) return;
  if (!(await isUnseen(run, absolute, seenBefore))) return;
  const stats = await stat(absolute, { bigint: true }).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size === 0n) return;
  // What cannot be read as text is left to the write itself.
  const text = await readTextFile({ workspace, absolute, shown, isSecret }).then(
    (opened) => opened.text,
    () => undefined,
  );
  if (text === undefined || text === content) return;
  noteRead(run, absolute, stats, text);
  const lines = text.split("\n");
  const head = toModelText(lines.slice(0, HEAD_LINES).join("\n").slice(0, HEAD_CHARS));
  throw new RetinueError(
    "file_unread",
    `${shown} exists (${count(lines.length, "line")}), and you have not read it. Nothing was written. It begins:\n${head}\n`,
  );
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
