/** Files in which earlier versions kept queued turns, beside the record: what still waits in one is moved into the record. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SessionId } from "@retinue/protocol";

const fileOf = (home: string, sessionId: SessionId): string => join(home, "later", `${sessionId}.json`);

const readLater = async (home: string, sessionId: SessionId): Promise<readonly string[]> => {
  try {
    const read: unknown = JSON.parse(await readFile(fileOf(home, sessionId), "utf8"));
    return Array.isArray(read) ? read.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return [];
  }
};

const writeLater = async (home: string, sessionId: SessionId, texts: readonly string[]): Promise<void> => {
  const file = fileOf(home, sessionId);
  if (texts.length === 0) return rm(file, { force: true });
  await mkdir(join(home, "later"), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(texts), { mode: 0o600 });
};

/** The sessions for which something waits. */
export const listLater = async (home: string): Promise<readonly SessionId[]> =>
  (await readdir(join(home, "later")).catch(() => []))
    .filter((name) => name.startsWith("ses_") && name.endsWith(".json"))
    .map((name) => basename(name, ".json") as SessionId);

/** A text leaves the file once it is recorded. */
export const moveLater = async (home: string, sessionId: SessionId, queue: (text: string) => Promise<unknown>): Promise<void> => {
  for (;;) {
    const [next, ...rest] = await readLater(home, sessionId);
    if (next === undefined) return;
    await queue(next);
    await writeLater(home, sessionId, rest);
  }
};
