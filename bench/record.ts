/**
 * `npm run bench:record`: how long the record takes to answer, against what it may take. A session of 10,000 messages and a database of
 * 1,000,000, both made by the store's own appends in a temporary folder; every question is asked in a fresh process, where its first answer
 * counts too. `--messages N` makes a smaller database, `--database FILE` takes one that is there. Exits 1 when a bound is missed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fillDatabase } from "./record-database.ts";
import { recordLongSession } from "./record-session.ts";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MOST_MS = 200;
const LONG_SESSION = 10_000;

const { values } = parseArgs({ options: { messages: { type: "string", default: "1000000" }, database: { type: "string" } } });
const messages = Number(values.messages);

type Row = {
  readonly what: string;
  readonly openMs: number;
  readonly firstMs: number;
  readonly laterMs: number;
  readonly isMet: boolean;
};
const rows: Row[] = [];

const ask = (file: string, question: string, session: string, where: string): void => {
  const out = execFileSync(process.execPath, [path.join(HERE, "record-ask.ts"), file, question, session], { encoding: "utf8" });
  const { openMs, firstMs, laterMs } = JSON.parse(out) as { openMs: number; firstMs: number; laterMs: number };
  const row = { what: `${question}, ${where}`, openMs, firstMs, laterMs, isMet: firstMs <= MOST_MS && laterMs <= MOST_MS };
  rows.push(row);
  process.stdout.write(
    `${row.what.padEnd(52)} ${[openMs, firstMs, laterMs].map((ms) => ms.toFixed(1).padStart(9)).join(" ")}  ${row.isMet ? "" : `MISSED: ${MOST_MS} ms`}\n`,
  );
};

const folder = mkdtempSync(path.join(tmpdir(), "retinue-bench-record-"));
try {
  process.stdout.write(
    `${"milliseconds".padEnd(52)} ${["open", "first", "later"].map((title) => title.padStart(9)).join(" ")}\n`,
  );
  const long = path.join(folder, "long.db");
  const { sessionId, messages: count, isSame } = await recordLongSession({ path: long, messages: LONG_SESSION });
  process.stdout.write(
    `a session of ${count} messages: ${isSame ? "read and replayed event for event as it was" : "MISSED: read or replayed otherwise than it was"}\n`,
  );
  for (const question of ["list", "tree", "messages"]) ask(long, question, sessionId, `a session of ${LONG_SESSION} messages`);

  let large = values.database;
  if (large === undefined) {
    large = path.join(folder, "large.db");
    await fillDatabase({
      path: large,
      messages,
      told: (done) => process.stderr.write(`\r${done} of ${messages} messages written`),
    });
    process.stderr.write("\n");
  }
  const questions = [
    "list",
    "tree",
    "messages",
    "rare word",
    "common word",
    "long beginning",
    "short beginning",
    "common word and beginning",
    "phrase",
    "no hit",
    "stats by agent",
    "stats by day",
  ];
  for (const question of questions) ask(large, question, "ses_0", `${messages} messages`);

  mkdirSync(path.join(HERE, "results"), { recursive: true });
  writeFileSync(
    path.join(HERE, "results", "record.json"),
    `${JSON.stringify({ at: new Date().toISOString(), node: process.version, messages, mostMs: MOST_MS, isSame, rows }, null, 2)}\n`,
  );
  if (!isSame || rows.some(({ isMet }) => !isMet)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
