/**
 * A small JSON file in which a decision of the user is kept. It is written whole or not at all, readable by its owner alone, and what cannot
 * be understood is never taken for "nothing was decided".
 */
import { randomUUID } from "node:crypto";
import { constants, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { describeIssues } from "@retinue/protocol/describe-issues";
import { z } from "zod";

export type StateFile<State> = {
  readonly read: () => Promise<State>;
  /** Changes follow each other; each sees what the one before wrote. */
  readonly change: (change: (state: State) => State) => Promise<void>;
};

export type StateFileOptions<State> = { readonly file: string; readonly schema: z.ZodType<State>; readonly empty: State };

const MOST_BYTES = 16 * 1024 * 1024;

export const createStateFile = <State>({ file, schema, empty }: StateFileOptions<State>): StateFile<State> => {
  let last: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<State> => {
    const text = await readText(file);
    if (text === undefined) return empty;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      throw unreadable(file, "it is not JSON", thrown);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw unreadable(file, describeIssues(parsed.error).replaceAll("\n", "; "));
    return parsed.data;
  };
  return {
    read,
    change: (change) => {
      const next = last.then(async () => writeText(file, `${JSON.stringify(change(await read()), undefined, 2)}\n`));
      last = next.catch(() => undefined);
      return next;
    },
  };
};

const readText = async (file: string): Promise<string | undefined> => {
  let handle;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw unreadable(file, thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw unreadable(file, "it is no regular file");
    if (stats.size > MOST_BYTES) throw unreadable(file, "it is larger than 16 MiB");
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
};

const writeText = async (file: string, text: string): Promise<void> => {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.${randomUUID()}`;
  try {
    const handle = await open(written, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(written, file);
  } catch (thrown) {
    await rm(written, { force: true });
    throw thrown;
  }
};

const unreadable = (file: string, why: string, cause?: unknown): RetinueError =>
  new RetinueError("state_unreadable", `${file}: ${why}.`, { cause });
