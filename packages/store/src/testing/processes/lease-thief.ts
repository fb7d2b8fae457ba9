/**
 * A process that takes the lease of one run again and again while another does the same. Each time it does what a driver
 * does: reads how far the run is, records that it begins the next effect, makes it, records that it is done. An effect
 * is a line in a file, so that one made twice is seen.
 */
import type { RunId, SessionId } from "@retinue/protocol";
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createSqliteLog } from "../../sqlite/sqlite-log.ts";
import { createRunDrafts } from "../session-drafts.ts";

const [path = "", effects = "", session = "", runId = "", steals = ""] = process.argv.slice(2);
const log = createSqliteLog({ path });
const run = createRunDrafts({ sessionId: session as SessionId, runId: runId as RunId });
// Both begin when both are there.
appendFileSync(`${effects}.ready`, "x");
while (readFileSync(`${effects}.ready`).length < 2) await delay(2);
let stolen = 0;
let lost = 0;
let made = 0;
while (stolen < Number(steals)) {
  const lease = await log.lease(run.identity.runId);
  stolen += 1;
  try {
    for (let turn = 0; turn < 3; turn += 1) {
      const events = await log.read(run.identity.sessionId);
      const next = events.filter((event) => event.type === "tool.started").length + 1;
      // Only who could record that it begins may make the effect; what was begun and not settled stays unknown.
      await log.append([run.toolStarted(`c${next}`, { effect: "write", repeatable: false })], lease);
      appendFileSync(effects, `${next}\n`);
      made += 1;
      await log.append([run.toolSettled(`c${next}`, "done")], lease);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== "lease_lost") throw error;
    lost += 1;
  }
}
await log.close();
process.stdout.write(`${JSON.stringify({ stolen, lost, made })}\n`);
