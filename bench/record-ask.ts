/** Asks a database one thing, the first time and some times more, in a process of its own. Prints one line of JSON. */
import type { SessionId } from "@retinue/protocol";
import { createSqliteLog } from "@retinue/store/sqlite";
import { COMMON_WORD, RARE_WORD } from "./record-database.ts";

const [path = "", question = "", session = "ses_0"] = process.argv.slice(2);
const sessionId = session as SessionId;

const began = performance.now();
const log = createSqliteLog({ path });
const { readSide } = log;
const openMs = performance.now() - began;

const QUESTIONS: Readonly<Record<string, () => unknown>> = {
  list: () => readSide.listSessions({ order: "updated", limit: 20 }),
  tree: () => readSide.tree(sessionId),
  messages: () => readSide.messages(sessionId, { limit: 50 }),
  "rare word": () => readSide.search(RARE_WORD),
  "common word": () => readSide.search(COMMON_WORD),
  "long beginning": () => readSide.search(COMMON_WORD.slice(0, -2)),
  "short beginning": () => readSide.search("qu"),
  "common word and beginning": () => readSide.search(`${COMMON_WORD} ve`),
  phrase: () => readSide.search("bacon-concon"),
  "no hit": () => readSide.search("zzzyx"),
  "stats by agent": () => readSide.stats({ by: "agent" }),
  "stats by day": () => readSide.stats({ by: "day" }),
};

const ask = QUESTIONS[question];
if (!ask) throw new Error(`There is no question ${question}.`);
const times: number[] = [];
for (let round = 0; round < 5; round += 1) {
  const from = performance.now();
  await ask();
  times.push(performance.now() - from);
}
await log.close();
const [firstMs = 0, ...later] = times;
process.stdout.write(`${JSON.stringify({ openMs, firstMs, laterMs: later.toSorted((a, b) => a - b)[later.length >> 1] })}\n`);
