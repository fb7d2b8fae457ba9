/**
 * What stood in a file before `write`, `edit` or the merge of a worktree changed it, kept in the user's own folder by session, so that the changes of a turn can be taken back.
 * Nothing here can fail a change: what could not be kept cannot be taken back, and that is told when somebody asks for it.
 */
import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CallId, RunIdentity, SessionId } from "@retinue/protocol";
import { z } from "zod";

/** A change that is about to be made. */
export type VersionChange = {
  readonly run: Pick<RunIdentity, "sessionId" | "runId">;
  /** Absent where no call but a merge changes it. */
  readonly callId?: CallId;
  /** Absolute and real. */
  readonly workspace: string;
  /** Relative to the workspace, with forward slashes. */
  readonly file: string;
  /** Null where nothing stood there. */
  readonly before: Uint8Array | null;
  /** Null where it is deleted. */
  readonly after: Uint8Array | string | null;
  /** Whether what stood there could be run; absent where the change leaves that as it is. */
  readonly wasExecutable?: boolean;
};

export type KeepVersion = (change: VersionChange) => Promise<void>;

const KEPT_CHANGE = z.object({
  runId: z.templateLiteral(["run_", z.string()]),
  callId: z.string().exactOptional(),
  workspace: z.string(),
  file: z.string(),
  /** Digests; null where nothing stood there. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  wasExecutable: z.boolean().exactOptional(),
});

export type KeptChange = z.infer<typeof KEPT_CHANGE>;

export type KeptVersions = {
  readonly keep: KeepVersion;
  /** In the order in which they were made. */
  readonly changes: (sessionId: SessionId) => Promise<readonly KeptChange[]>;
  /** Undefined where it was not kept. */
  readonly content: (sessionId: SessionId, digest: string) => Promise<Buffer | undefined>;
  readonly forget: (sessionId: SessionId) => Promise<void>;
};

export type KeptVersionsOptions = {
  readonly folder: string;
  /** Contents that may not be copied anywhere. */
  readonly isSecret?: (text: string) => boolean;
};

/** Larger ones are not kept. */
const MOST_BYTES = 10_000_000;
/** Of those that were changed longest ago, none is kept beyond so many. */
const MOST_SESSIONS = 50;

export const digestVersion = (content: Uint8Array | string): string => createHash("sha256").update(content).digest("hex");

export const createKeptVersions = ({ folder, isSecret = () => false }: KeptVersionsOptions): KeptVersions => {
  const folderOf = (sessionId: SessionId): string => path.join(folder, path.basename(sessionId));
  const listOf = (sessionId: SessionId): string => path.join(folderOf(sessionId), "changes.jsonl");

  const keepContent = async (sessionId: SessionId, digest: string, content: Uint8Array): Promise<void> => {
    if (content.length > MOST_BYTES || isSecret(Buffer.from(content).toString("utf8"))) return;
    await writeFile(path.join(folderOf(sessionId), digest), content, { mode: 0o600, flag: "wx" }).catch((thrown: unknown) => {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
    });
  };

  const append = async ({ run, callId, workspace, file, before, after, wasExecutable }: VersionChange): Promise<void> => {
    const { sessionId, runId } = run;
    if ((await mkdir(folderOf(sessionId), { recursive: true, mode: 0o700 })) !== undefined) await dropOldest(folder);
    const digest = before === null ? null : digestVersion(before);
    if (before !== null && digest !== null) await keepContent(sessionId, digest, before);
    const change: KeptChange = {
      runId,
      ...(callId === undefined ? {} : { callId }),
      workspace,
      file,
      before: digest,
      after: after === null ? null : digestVersion(after),
      ...(wasExecutable === undefined ? {} : { wasExecutable }),
    };
    await appendFile(listOf(sessionId), `${JSON.stringify(change)}\n`, { mode: 0o600 });
  };

  return {
    keep: (change) => append(change).catch(() => undefined),
    changes: async (sessionId) => {
      const text = await readFile(listOf(sessionId), "utf8").catch(() => "");
      return text.split("\n").flatMap((line) => toChange(line) ?? []);
    },
    content: (sessionId, digest) => readFile(path.join(folderOf(sessionId), path.basename(digest))).catch(() => undefined),
    forget: (sessionId) => rm(folderOf(sessionId), { recursive: true, force: true }),
  };
};

/** A line that was cut by a crash is none. */
const toChange = (line: string): KeptChange | undefined => {
  try {
    return KEPT_CHANGE.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};

const dropOldest = async (folder: string): Promise<void> => {
  const names = await readdir(folder);
  if (names.length <= MOST_SESSIONS) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(path.join(folder, name, "changes.jsonl")).catch(() => null))?.mtimeMs })),
  );
  const oldest = aged
    .filter((one): one is { readonly name: string; readonly at: number } => one.at !== undefined)
    .toSorted((a, b) => a.at - b.at);
  for (const { name } of oldest.slice(0, names.length - MOST_SESSIONS))
    await rm(path.join(folder, name), { recursive: true, force: true });
};
