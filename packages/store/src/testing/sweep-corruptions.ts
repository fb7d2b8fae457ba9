/**
 * Damages copies of a store's file, one after the other, and asks each copy everything. What comes back must be right,
 * or the store must have said that it is damaged.
 */
import { RetinueError } from "@retinue/protocol";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSqliteLog } from "../sqlite/sqlite-log.ts";
import type { SqliteLog } from "../sqlite/sqlite-log.ts";
import { recordSession } from "./recorded-session.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { createSeededRandom } from "./seeded-random.ts";

export type CorruptionSweep = {
  /** Refused when it was opened, or named by `verify`. */
  readonly detected: number;
  /** What was damaged is used by nobody: everything was read as it was written. */
  readonly harmless: number;
  /** Read without complaint, and not what was written. */
  readonly silent: readonly string[];
  /** Failed with something else than an error of ours. */
  readonly crashed: readonly string[];
};

export type SweepOptions = { readonly folder: string; readonly mutations: number; readonly seed: number };

const PAGE = 4096;
const SESSIONS = ["ses_1", "ses_2", "ses_3"] as const;

type Mutation = { readonly name: string; readonly apply: (bytes: Buffer, random: SeededRandom) => Buffer };

const overwrite = (bytes: Buffer, at: number, with_: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  with_.copy(copy, at);
  return copy;
};

const noise = (random: SeededRandom, length: number): Buffer => Buffer.from(Array.from({ length }, () => random.below(256)));

const MUTATIONS: readonly Mutation[] = [
  {
    name: "a bit is turned",
    apply: (bytes, random) => {
      const at = random.below(bytes.length);
      return overwrite(bytes, at, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))]));
    },
  },
  { name: "a byte is another", apply: (bytes, random) => overwrite(bytes, random.below(bytes.length), noise(random, 1)) },
  { name: "16 bytes are noise", apply: (bytes, random) => overwrite(bytes, random.below(bytes.length - 16), noise(random, 16)) },
  {
    name: "512 bytes are zero",
    apply: (bytes, random) => overwrite(bytes, 512 * random.below(bytes.length / 512), Buffer.alloc(512)),
  },
  {
    name: "a page is zero",
    apply: (bytes, random) => overwrite(bytes, PAGE * random.below(bytes.length / PAGE), Buffer.alloc(PAGE)),
  },
  {
    name: "a page stands in the place of another",
    apply: (bytes, random) => {
      const from = PAGE * random.below(bytes.length / PAGE);
      return overwrite(bytes, PAGE * random.below(bytes.length / PAGE), bytes.subarray(from, from + PAGE));
    },
  },
  { name: "the end is cut off", apply: (bytes, random) => bytes.subarray(0, random.below(bytes.length)) },
  {
    name: "a letter of a text is another",
    apply: (bytes, random) => {
      const from = random.below(bytes.length);
      const at = bytes.indexOf("e", from);
      return at === -1 ? bytes : overwrite(bytes, at, Buffer.from("a"));
    },
  },
];

export const sweepCorruptions = async ({ folder, mutations, seed }: SweepOptions): Promise<CorruptionSweep> => {
  const original = join(folder, "original.db");
  const log = createSqliteLog({ path: original });
  for (const sessionId of SESSIONS) await recordSession(log, { sessionId, output: `output of ${sessionId} `.repeat(200) });
  await log.readSide.search("output");
  await log.readSide.deleteSession("ses_3");
  const truth = await readEverything(log);
  await log.close();
  const bytes = readFileSync(original);

  const random = createSeededRandom(seed);
  const path = join(folder, "damaged.db");
  let detected = 0;
  let harmless = 0;
  const silent: string[] = [];
  const crashed: string[] = [];
  for (let count = 0; count < mutations; count += 1) {
    const mutation = random.of(MUTATIONS);
    const damaged = mutation.apply(bytes, random);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    writeFileSync(path, damaged);
    const outcome = await ask(path, [truth]);
    if (outcome === "detected") detected += 1;
    else if (outcome === "right") harmless += 1;
    else if (outcome === "wrong") silent.push(`${count}: ${mutation.name}`);
    else crashed.push(`${count}: ${mutation.name}: ${outcome.crash}`);
  }
  return { detected, harmless, silent, crashed };
};

/**
 * A write-ahead file that is taken away while it is brought into the store's file leaves some of its pages there and not the others. Every such file
 * is asked everything: what it holds is what was there before, or all of it, or the store says that it is damaged.
 */
export const sweepTakenWal = async ({ folder }: Pick<SweepOptions, "folder">): Promise<CorruptionSweep> => {
  const path = join(folder, "original.db");
  const states: { readonly bytes: Buffer; readonly truth: string }[] = [];
  for (const sessions of [SESSIONS.slice(0, 1), SESSIONS.slice(1)]) {
    const log = createSqliteLog({ path });
    for (const sessionId of sessions) await recordSession(log, { sessionId, output: `output of ${sessionId} `.repeat(200) });
    await log.readSide.search("output");
    const truth = await readEverything(log);
    await log.close();
    states.push({ bytes: readFileSync(path), truth });
  }
  const [before, after] = states;
  if (before === undefined || after === undefined) throw new Error("nothing was recorded");
  const torn = join(folder, "torn.db");
  const outcomes = { detected: 0, right: 0 };
  const silent: string[] = [];
  const crashed: string[] = [];
  for (let end = PAGE; end < after.bytes.length; end += PAGE) {
    for (const name of ["", "-wal", "-shm"]) rmSync(`${torn}${name}`, { force: true });
    writeFileSync(torn, Buffer.concat([after.bytes.subarray(0, end), before.bytes.subarray(end)]));
    const outcome = await ask(torn, [before.truth, after.truth]);
    if (outcome === "detected" || outcome === "right") outcomes[outcome] += 1;
    else if (outcome === "wrong") silent.push(`pages before ${end / PAGE}`);
    else crashed.push(`pages before ${end / PAGE}: ${outcome.crash}`);
  }
  return { detected: outcomes.detected, harmless: outcomes.right, silent, crashed };
};

const ask = async (
  path: string,
  truths: readonly string[],
): Promise<"detected" | "right" | "wrong" | { readonly crash: string }> => {
  let log: SqliteLog | undefined;
  try {
    log = createSqliteLog({ path });
    if ((await log.readSide.verify()).damage.length > 0) return "detected";
    return truths.includes(await readEverything(log)) ? "right" : "wrong";
  } catch (error) {
    return error instanceof RetinueError ? "detected" : { crash: String(error) };
  } finally {
    await log?.close();
  }
};

/** All that can be read from a store, as one text. */
const readEverything = async (log: SqliteLog): Promise<string> => {
  const { readSide } = log;
  const sessions = (await readSide.listSessions({ limit: 500 })).items;
  const everything: unknown[] = [sessions];
  for (const { sessionId } of sessions) {
    const messages = (await readSide.messages(sessionId, { limit: 500 })).items;
    everything.push(messages, await log.read(sessionId), await readSide.tree(sessionId), await readSide.exportSession(sessionId));
    for (const { id } of messages) everything.push((await readSide.children(id)).items, await readSide.message(id));
    for (const { agent_role: agent } of messages.slice(0, 6))
      if (agent !== null) everything.push(await readSide.messages(sessionId, { agent }));
  }
  for (const by of ["agent", "model", "depth", "pair", "day"] as const) everything.push(await readSide.stats({ by }));
  for (const words of ["output", "bug", "review", "ses_1", "fixed", "go", "ou*", "out*", "bu*", "rev*", "fi*", "g*"])
    everything.push(await readSide.search(words, { limit: 500 }));
  return JSON.stringify(everything);
};
