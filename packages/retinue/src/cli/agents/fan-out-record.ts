/**
 * The tasks of a fan-out, written to a file below `~/.retinue/fanouts` before the first of them is started, each with the session that it will
 * be: a fan-out that was cut off is resumed by it, without starting a task twice. The file goes when all of them have ended.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import { retinueHome } from "../../settings/retinue-home.ts";

const sessionIdSchema = z.templateLiteral(["ses_", z.string()]);

const recordSchema = z.object({
  id: z.templateLiteral(["fan_", z.string()]),
  workspace: z.string(),
  /** As they were given on the command line. */
  options: z.object({
    model: z.string().optional(),
    tools: z.string().optional(),
    isolation: z.string().optional(),
    approve: z.string().optional(),
    limit: z.array(z.string()).optional(),
    concurrency: z.string().optional(),
  }),
  tasks: z.array(z.object({ agent: z.string(), task: z.string(), model: z.string().optional(), sessionId: sessionIdSchema })),
});

export type FanOutRecord = z.infer<typeof recordSchema>;
export type RecordedTask = FanOutRecord["tasks"][number] & { readonly sessionId: SessionId };

const folderOf = (env: NodeJS.ProcessEnv): string => join(retinueHome(env), "fanouts");

export const writeFanOut = async (record: FanOutRecord, env: NodeJS.ProcessEnv): Promise<void> => {
  const folder = folderOf(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${record.id}.json`);
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
};

export const removeFanOut = async ({ id }: FanOutRecord, env: NodeJS.ProcessEnv): Promise<void> =>
  rm(join(folderOf(env), `${id}.json`), { force: true });

export type FindFanOut = {
  /** The beginning of its id or of a session of it; `latest` is that of the workspace of which a session was written to last. */
  readonly name: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  /** Which of these sessions was written to last; undefined where the record has none of them. Asked for only where there are several fan-outs. */
  readonly latestOf: (sessions: ReadonlySet<SessionId>) => Promise<SessionId | undefined>;
};

export const findFanOut = async ({ name, workspace, env, latestOf }: FindFanOut): Promise<FanOutRecord> => {
  const all = await readAll(env);
  const found =
    name === "latest"
      ? await findLatest(
          all.filter((one) => one.workspace === workspace),
          latestOf,
        )
      : all.filter(({ id, tasks }) => [id, ...tasks.map(({ sessionId }) => sessionId)].some((one) => isNamed(one, name)));
  const [only, ...others] = found;
  if (!only)
    throw new RetinueError(
      "usage",
      `There is no fan-out ${name === "latest" ? `of the folder ${workspace} ` : `${name} `}to resume.`,
      {
        hint: "One whose tasks have all ended is forgotten; `retinue sessions list` shows their sessions.",
      },
    );
  if (others.length > 0)
    throw new RetinueError("usage", `${found.length} fan-outs begin with ${name}.`, { hint: "Give more of the id." });
  return only;
};

/** No clock decides, as with sessions, unless none of them has begun a task. */
const findLatest = async (
  fanOuts: readonly FanOutRecord[],
  latestOf: FindFanOut["latestOf"],
): Promise<readonly FanOutRecord[]> => {
  if (fanOuts.length < 2) return fanOuts;
  const bySession = new Map(fanOuts.flatMap((one) => one.tasks.map(({ sessionId }) => [sessionId, one] as const)));
  const latest = await latestOf(new Set(bySession.keys()));
  const found = latest === undefined ? undefined : bySession.get(latest);
  return found ? [found] : fanOuts.slice(-1);
};

const isNamed = (id: string, name: string): boolean => name !== "" && (id.startsWith(name) || id.slice(4).startsWith(name));

/** In the order of their ids; what is no fan-out of ours is left out. */
const readAll = async (env: NodeJS.ProcessEnv): Promise<readonly FanOutRecord[]> => {
  const folder = folderOf(env);
  const names = await readdir(folder).catch(() => []);
  const records: FanOutRecord[] = [];
  for (const name of names.filter((one) => one.endsWith(".json")).toSorted()) {
    const parsed = recordSchema.safeParse(toJson(await readFile(join(folder, name), "utf8")));
    if (parsed.success) records.push(parsed.data);
  }
  return records;
};

const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
