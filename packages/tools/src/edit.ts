/**
 * `edit`: exact replacements in one file or in several, all or nothing. Nothing is written before every edit of every file is known to fit,
 * a file that somebody changed meanwhile is left alone, and what was written is taken back when a later file fails.
 */
import { access, constants, realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool, ToolContext } from "@retinue/runtime";
import { defineTool, isInside, toShownSchema } from "@retinue/runtime";
import { z } from "zod";
import type { Edit } from "./edit/apply-edits.ts";
import { applyEdits } from "./edit/apply-edits.ts";
import { compareAs } from "./edit/compare-as.ts";
import type { TextFile } from "./edit/text-file.ts";
import { readTextFile, toContent } from "./edit/text-file.ts";
import { toUnifiedDiff } from "./edit/unified-diff.ts";
import { inFileTurn } from "@retinue/confine";
import { noteWritten, requireKnown, type SeenBefore } from "@retinue/confine";
import { count, MAX_OUTPUT_CHARS, toModelText } from "@retinue/confine";
import { toToolError } from "@retinue/confine";
import { toAbsolutePath, toShownPath } from "@retinue/confine";
import type { IsSecret } from "@retinue/confine";
import { createSecretCheck, writeInside } from "@retinue/confine";
import { withNearestFiles } from "./nearest-files.ts";
import type { KeepVersion } from "./versions/kept-versions.ts";

const TEXT = z.string().max(1_000_000);

const EDITS = z
  .array(
    z.object({
      old: TEXT.describe("Exact text, without line numbers."),
      new: TEXT,
      all: z.boolean().optional().describe("Every place; else old must occur once."),
    }),
  )
  .min(1)
  .max(200);

const PATH = z.string().min(1);

const INPUT = z
  .object({
    path: PATH.optional(),
    edits: EDITS.optional(),
    files: z
      .array(z.object({ path: PATH, edits: EDITS }))
      .min(1)
      .max(50)
      .optional(),
  })
  .refine(
    ({ path: named, edits, files }) =>
      files === undefined ? named !== undefined && edits !== undefined : named === undefined && edits === undefined,
    { message: "Give either path and edits, or files." },
  );

/** What is said of an edit is said once; its shape stands in both places, since some models can write nothing else than a schema allows. */
const SHOWN = z.object({
  path: PATH.optional(),
  edits: EDITS.optional(),
  files: z
    .array(z.object({ path: PATH, edits: z.array(z.object({ old: z.string(), new: z.string(), all: z.boolean().optional() })) }))
    .optional()
    .describe("Instead: several files, each {path, edits}."),
});

export type EditInput = z.infer<typeof INPUT>;

export type EditOptions = {
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Told of each change before it is made. */
  readonly keepVersion?: KeepVersion;
  readonly seenBefore?: SeenBefore;
};

export const createEditTool = ({ unprotected, keepVersion, seenBefore }: EditOptions = {}): Tool<EditInput> => {
  const isSecret = createSecretCheck(unprotected);
  return defineTool({
    name: "edit",
    description: "Replaces exact pieces of text files; all edits of a call are made, in order, or none.",
    input: INPUT,
    inputSchema: toShownSchema(SHOWN),
    effect: "write",
    touches: (input) => ({ paths: toRequests(input).map((request) => request.path) }),
    execute: async (input, { run, callId, workspace, scope, signal }) => {
      const requests = toRequests(input);
      const files = requests.map((request) => toAbsolutePath(workspace, request.path));
      const { planned, modified } = await inFileTurn(files, async () => {
        const changes: PlannedChange[] = [];
        const place = { workspace, run, scope, signal, isSecret, seenBefore };
        for (const request of requests) changes.push(await plan(place, request, changes));
        signal.throwIfAborted();
        if (keepVersion)
          for (const { absolute, before, after } of changes)
            await keepVersion({
              run,
              callId,
              workspace,
              file: path.relative(workspace, absolute).replaceAll(path.sep, "/"),
              before: Buffer.from(toContent(before, before.text)),
              after: toContent(before, after),
            });
        const names = await writeAll({ workspace, isSecret }, changes);
        for (const { absolute, before, after } of changes) await noteWritten(run, absolute, toContent(before, after));
        return { planned: changes, modified: names };
      });
      return { content: [{ type: "text", text: toModelText(toReport(planned)) }], files: { created: [], modified } };
    },
  });
};

type Place = Pick<ToolContext, "workspace"> & { readonly isSecret: IsSecret };

type Request = { readonly path: string; readonly edits: readonly Edit[] };

const toRequests = ({ path: named, edits, files }: EditInput): readonly Request[] =>
  files ?? (named !== undefined && edits !== undefined ? [{ path: named, edits }] : []);

type PlannedChange = {
  readonly absolute: string;
  readonly shown: string;
  readonly before: TextFile;
  readonly after: string;
  readonly replacements: number;
  readonly notes: readonly string[];
};

/** Reads the file and makes the edits in memory; throws when anything stands against writing the outcome. */
const plan = async (
  {
    workspace,
    run,
    scope,
    signal,
    isSecret,
    seenBefore,
  }: Place & Pick<ToolContext, "run" | "scope" | "signal"> & { readonly seenBefore: SeenBefore | undefined },
  request: Request,
  others: readonly PlannedChange[],
): Promise<PlannedChange> => {
  const absolute = toAbsolutePath(workspace, request.path);
  const shown = toShownPath(workspace, absolute);
  if (!isInside(workspace, absolute)) throw new RetinueError("path_outside_workspace", `${shown} is outside the workspace.`);
  if (others.some((other) => other.absolute === absolute)) throw failed(`${shown} is named twice.`, "Put its edits together.");
  const compare = isSecret(path.relative(workspace, absolute)) ? undefined : compareAs(shown);
  const changed = await requireKnown({ run, file: absolute, shown, replaces: false, seenBefore, compare }).then(
    () => null,
    toChanged,
  );
  const before = await readTextFile({ workspace, absolute, shown, isSecret }).catch(async (thrown: unknown) => {
    throw await withNearestFiles(thrown, { workspace, scope, signal, tool: "edit", shown, isSecret });
  });
  await requireWritable({ absolute, shown, before });
  const outcome = applyEdits(before.text, request.edits);
  // Each edit names what it replaces: where that stands exactly once, nobody's change is lost.
  if (changed && (outcome.type === "refused" || request.edits.some(({ all }) => all === true))) throw changed;
  if (outcome.type === "refused") {
    const which = request.edits.length > 1 ? `, edit ${outcome.number} of ${request.edits.length}` : "";
    throw failed(`${shown}${which}: ${toModelText(outcome.reason)}`, "Nothing was written.");
  }
  const notes = [...(outcome.notes ?? []), ...(changed ? [toChangedSince(changed)] : [])];
  return { absolute, shown, before, after: outcome.text, replacements: outcome.replacements, notes };
};

/** With the difference, where it is known: the agent has the file before it from now on. */
const toChangedSince = ({ message }: RetinueError): string => {
  const difference = message.split("\n").slice(1);
  return ["The file was changed since you last read it; the text to replace still stood in it exactly once.", ...difference].join(
    "\n",
  );
};

/** The error of a file that was changed since the run saw it; anything else is thrown. */
const toChanged = (thrown: unknown): RetinueError => {
  if (thrown instanceof RetinueError && thrown.code === "file_changed") return thrown;
  throw thrown;
};

/** Most of what the write itself would refuse, told before any file is written. */
const requireWritable = async ({
  absolute,
  shown,
  before,
}: Pick<PlannedChange, "absolute" | "shown" | "before">): Promise<void> => {
  try {
    if ((await realpath(absolute)) !== absolute)
      throw failed(`${shown} is or leads through a symbolic link; nothing is written through links.`, "Name the real path.");
    await access(absolute, constants.W_OK);
  } catch (thrown) {
    throw toToolError(thrown, shown);
  }
  if (before.hardLinks > 1)
    throw failed(
      `${shown} has ${before.hardLinks} hard links; writing it would change a file elsewhere too.`,
      "Delete it and write it anew.",
    );
};

/** The names of the files that were changed. */
const writeAll = async (place: Place, planned: readonly PlannedChange[]): Promise<readonly string[]> => {
  for (const change of planned) await requireUnchanged(place, change);
  const written: PlannedChange[] = [];
  try {
    for (const change of planned) {
      await requireUnchanged(place, change);
      const outcome = await put(place.workspace, change, toContent(change.before, change.after));
      if (outcome === "modified") written.push(change);
    }
  } catch (thrown) {
    const left = await takeBack(place, written);
    if (left.length === 0) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RetinueError("tool_failed", `${reason} Written before and not taken back: ${left.join(", ")}.`, { cause: thrown });
  }
  return written.map(({ shown }) => shown);
};

const put = (workspace: string, { absolute }: PlannedChange, content: string) =>
  writeInside({ root: workspace, file: path.relative(workspace, absolute), content });

const requireUnchanged = async (place: Place, { absolute, shown, before }: PlannedChange): Promise<void> => {
  const { hash } = await readTextFile({ ...place, absolute, shown });
  if (hash !== before.hash) throw failed(`${shown} was changed by somebody else meanwhile.`, "Read it and edit it again.");
};

/** Gives the names of the files that could not be brought back to what they were. */
const takeBack = async (place: Place, written: readonly PlannedChange[]): Promise<readonly string[]> => {
  const left: string[] = [];
  for (const change of written.toReversed())
    try {
      const { text } = await readTextFile({ ...place, absolute: change.absolute, shown: change.shown });
      if (text !== change.after) throw new Error("somebody else has changed it since");
      await put(place.workspace, change, toContent(change.before, change.before.text));
    } catch {
      left.push(change.shown);
    }
  return left;
};

const toReport = (planned: readonly PlannedChange[]): string => {
  const each = Math.floor((MAX_OUTPUT_CHARS - 1000) / planned.length);
  return planned
    .map(({ shown, before, after, replacements, notes }) => {
      const diff = toUnifiedDiff({ file: shown, before: before.text, after }, each);
      return before.text === after
        ? `Unchanged ${shown}: the edits cancel each other out.`
        : [`Edited ${shown} (${count(replacements, "replacement")}).`, ...notes, diff].join("\n");
    })
    .join("\n\n");
};

const failed = (message: string, hint: string): RetinueError => new RetinueError("tool_failed", message, { hint });
