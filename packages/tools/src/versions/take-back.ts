/**
 * Takes the file changes of some runs back: planned first, so that a person sees what will be changed, and then carried out file by file, each looked at once
 * more. A file that holds anything but what these runs left in it is never touched.
 */
import { constants, open } from "node:fs/promises";
import path from "node:path";
import { inFileTurn, removeInside, writeInside } from "@retinue/confine";
import type { RunId, SessionId } from "@retinue/protocol";
import { toUnifiedDiff } from "../edit/unified-diff.ts";
import { digestVersion, type KeptChange, type KeptVersions } from "./kept-versions.ts";

export type TakenBackFile = {
  /** Relative to the workspace. */
  readonly file: string;
  /** What it will be; null where it will be deleted. */
  readonly to: Buffer | null;
  /** Of what it must hold until then; null where nothing may stand there. */
  readonly from: string | null;
  /** Whether it will be one that can be run; absent where that stays as it is. */
  readonly executable?: boolean;
  /** What will be changed, for people. */
  readonly diff: string;
};

export type TakeBackPlan = {
  readonly files: readonly TakenBackFile[];
  /** What cannot be taken back, and why. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
};

export type TakeBackOptions = {
  readonly versions: KeptVersions;
  readonly sessionId: SessionId;
  readonly workspace: string;
  readonly runs: ReadonlySet<RunId>;
};

const MOST_DIFF_CHARS = 1_000_000;
const CHANGED_SINCE = "it was changed since, by a command or by somebody else";

export const planTakeBack = async ({ versions, sessionId, workspace, runs }: TakeBackOptions): Promise<TakeBackPlan> => {
  const all = (await versions.changes(sessionId)).filter((change) => change.workspace === workspace);
  const names = new Set(all.filter(({ runId }) => runs.has(runId)).map(({ file }) => file));
  const files: TakenBackFile[] = [];
  const refused: { file: string; reason: string }[] = [];
  for (const file of names) {
    const standing = await readStanding(path.join(workspace, file));
    const target = standing === undefined ? CHANGED_SINCE : findTarget(all, file, runs, standing);
    if (standing === undefined || typeof target === "string") {
      refused.push({ file, reason: typeof target === "string" ? target : CHANGED_SINCE });
      continue;
    }
    const from = standing === null ? null : digestVersion(standing);
    if (from === target.digest) continue;
    const to = target.digest === null ? null : await versions.content(sessionId, target.digest);
    if (to === undefined) refused.push({ file, reason: "what stood in it before was not kept" });
    else {
      const { executable } = target;
      files.push({ file, to, from, diff: toDiff(file, standing, to), ...(executable === undefined ? {} : { executable }) });
    }
  }
  return { files, refused };
};

/** The version before the first change of these runs, found backwards from what stands there; a reason where another hand lies between. */
const findTarget = (
  all: readonly KeptChange[],
  file: string,
  runs: ReadonlySet<RunId>,
  standing: Buffer | null,
): { readonly digest: string | null; readonly executable?: boolean } | string => {
  let at = standing === null ? null : digestVersion(standing);
  let executable: boolean | undefined;
  const own = all.filter((change) => change.file === file);
  const first = own.findIndex(({ runId }) => runs.has(runId));
  for (const change of own.slice(first).toReversed()) {
    // A call that was cut off before it wrote has changed nothing.
    if (change.after !== at && change.before === at) continue;
    if (change.after !== at) return CHANGED_SINCE;
    if (!runs.has(change.runId)) return "a later turn changed it, too";
    at = change.before;
    executable = change.wasExecutable ?? executable;
  }
  return { digest: at, ...(executable === undefined ? {} : { executable }) };
};

const toDiff = (file: string, standing: Buffer | null, to: Buffer | null): string =>
  toUnifiedDiff(
    { file, before: standing === null ? "" : toShownText(standing), after: to === null ? "" : toShownText(to) },
    MOST_DIFF_CHARS,
  );

/** Without the byte order mark, which nobody reads. */
const toShownText = (content: Buffer): string => content.toString("utf8").replace(/^\uFEFF/, "");

/** Gives the files that were taken back, and those that changed since they were looked at. */
export const takeBack = async (
  plan: TakeBackPlan,
  workspace: string,
): Promise<{ readonly done: readonly string[]; readonly refused: TakeBackPlan["refused"] }> => {
  const done: string[] = [];
  const refused = [...plan.refused];
  for (const { file, to, from, executable } of plan.files)
    await inFileTurn([path.join(workspace, file)], async () => {
      const standing = await readStanding(path.join(workspace, file));
      const now = standing === undefined ? undefined : standing === null ? null : digestVersion(standing);
      if (now !== from) return void refused.push({ file, reason: CHANGED_SINCE });
      if (to === null) await removeInside({ root: workspace, file });
      else await writeInside({ root: workspace, file, content: to, ...(executable === undefined ? {} : { executable }) });
      done.push(file);
    }).catch((thrown: unknown) => refused.push({ file, reason: thrown instanceof Error ? thrown.message : String(thrown) }));
  return { done, refused };
};

/** Null where nothing stands there; undefined where it is no regular file. */
export const readStanding = async (file: string): Promise<Buffer | null | undefined> => {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)).catch((thrown: unknown) =>
    thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT" ? null : undefined,
  );
  if (!handle) return handle;
  try {
    return (await handle.stat()).isFile() ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
};
